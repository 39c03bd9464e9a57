// Package run keeps what outlives the process that began it: runs of pipelines and over stories, relays, crews. Each
// run has a directory that is named for its id, with its record (a JSON file that is replaced whole), a lock that the
// process holds that runs it, the log of what it printed in the background, and a file that asks it to stop.
//
// The lock, and not the record, shows whether a process runs it: one that was killed, or that a
// reboot ended, is reported as interrupted. The package knows what a run is by Record alone, and
// has no goroutine of its own but those of Detach and Cancellable, which end with their calls.
package run

// Package process sees and ends operating-system processes: who runs in a
// terminal, who descends from whom, with which arguments, and whether one that
// was seen before still lives.
//
// A process is identified by its pid and its start time, so that a reused pid is never
// taken for it. The package knows no terminal
// server and no agent. It starts no goroutine and keeps nothing between calls;
// looking at one process costs a few file reads on Linux and a system call or
// two on macOS.
package process

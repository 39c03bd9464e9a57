// Package process reads and ends operating-system processes: which run in a terminal, their
// ancestors, arguments and environments, and whether one that was read before is still
// alive.
//
// A process is identified by its pid and its start time, so that another process with a
// reused pid is not mistaken for it. The package knows no terminal server and no agent. It
// starts no goroutine and keeps nothing between calls. Reading one process takes a few file
// reads on Linux and one or two system calls on macOS.
package process

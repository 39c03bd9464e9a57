// Package wire speaks tmux's client protocol over the server's unix socket. It
// runs commands without a process, a session or an attached client, and gives
// the same output, errors and exit status as the tmux program would.
//
// Servers up to 3.5a end, with everything they hold, when a client's message is malformed.
// So one encoder writes every request in one fixed form in which only the arguments and the
// working directory vary, both are checked before a byte is sent, and a server is asked for
// its version before anything that changes it. After an unexpected answer the package never
// speaks to that server again.
//
// The package knows no sessions, panes or formats, starts no server, and opens no file for
// one, so that commands that read or write files or standard input fail. It keeps no
// goroutine and no connection between calls, so there is nothing to close.
package wire

// Package tmux implements engine.Engine for a tmux server. It knows no agents.
//
// A Server has two transports. The socket transport speaks tmux's own client protocol, so
// that it starts no process and attaches no client. The exec transport runs one tmux
// process for each request. Reads use either; creating (which needs an environment) and
// requests that do not fit a message always use exec. After an unexpected answer on the
// socket, the Server uses exec from then on, and Info says why.
//
// Opening a Server starts nothing. Only Watch starts goroutines, which end with its
// context.
package tmux

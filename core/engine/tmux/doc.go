// Package tmux is one tmux server: ask it, hear what changed, type into it,
// capture its screens. It implements engine.Engine and knows no agents.
//
// A Server speaks to tmux in one of two ways. The socket transport talks tmux's
// own client protocol, so that no process is started and nothing attaches. The
// exec transport runs one tmux process with all questions of the moment in it.
// Reads take either; creating (which needs an environment) and whatever does
// not fit a message always take exec. After any surprise on the socket exec is
// used for the rest of the process's life, and Info says why.
//
// Opening a Server starts nothing. The only goroutines are those of Watch, which end
// with its context.
package tmux

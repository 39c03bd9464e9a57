package wire

import (
	"errors"

	"cupola/core/engine"
)

// The sentinels of this package. It returns them, as engine.ErrNoServer, engine.ErrSilent and engine.ErrDenied, wrapped
// in what was seen.
var (
	// ErrTooLong means that the arguments exceed MaxArgv or the working directory
	// exceeds a message. Nothing was sent.
	ErrTooLong = errors.New("tmux command too long")
	// ErrNUL means that an argument or the working directory holds a NUL byte.
	// Nothing was sent.
	ErrNUL = errors.New("NUL byte in tmux command")
	// ErrNoCommand means that there are no arguments, which tmux would take for
	// new-session. Nothing was sent.
	ErrNoCommand = errors.New("no tmux command")
	// ErrOverflow means that the output exceeds maxOutput. The command did run.
	ErrOverflow = errors.New("tmux output too long")
	// ErrVersion means that the server's version or protocol is not one that this
	// package speaks.
	ErrVersion = errors.New("tmux version not supported on the socket")
	// ErrProtocol means that what listens did not behave as tmux does. The caller
	// should run the tmux program instead for as long as the process lives; the
	// command may or may not have run. Together with engine.ErrNoServer it means that the
	// server died after it had read the command.
	ErrProtocol = errors.New("unexpected answer on the tmux socket")
)

// isSentinel reports whether err says already what went wrong.
func isSentinel(err error) bool {
	for _, sentinel := range []error{engine.ErrDenied, engine.ErrSilent, ErrOverflow, ErrVersion, ErrProtocol} {
		if errors.Is(err, sentinel) {
			return true
		}
	}
	return false
}

package engine

import (
	"errors"
	"fmt"
)

// Elsewhere is a terminal server that lives where this program does not look for one.
type Elsewhere struct {
	Socket string
	// User is the name of the user that has it; empty for this one.
	User string
	// Env is the variable, as NAME=VALUE, with which this program finds it; empty for another user's.
	Env string
}

// Seeker is an engine that can find servers at other sockets than its own.
type Seeker interface {
	// Elsewhere returns the servers that are found while none is where the engine looks, as far as the system says.
	Elsewhere() []Elsewhere
}

// ErrElsewhere means that no server was started, because the one that was used before lives at another socket. It is
// matched by an *ElsewhereError.
var ErrElsewhere = errors.New("a terminal server lives elsewhere")

// ElsewhereError is the error of a call that needs a server: none listens at Missing, and one lives at Socket.
type ElsewhereError struct {
	Elsewhere
	Missing string
}

// Error names both sockets.
func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("%v: at %s, and none is started at %s beside it", ErrElsewhere, e.Socket, e.Missing)
}

// Unwrap returns ErrElsewhere.
func (e *ElsewhereError) Unwrap() error { return ErrElsewhere }

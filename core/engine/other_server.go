package engine

import (
	"errors"
	"fmt"
)

// OtherServer is a terminal server that lives where this program does not look for one.
type OtherServer struct {
	Socket string
	// User is the name of the user that has it; empty for this one.
	User string
	// Env is the variable, as NAME=VALUE, with which this program finds it; empty for another user's.
	Env string
}

// Seeker is an engine that can find servers at other sockets than its own.
type Seeker interface {
	// OtherServers returns the servers that are found while none is where the engine looks, as far as the system says.
	OtherServers() []OtherServer
}

// ErrOtherServer means that no server was started, because the one that was used before lives at another socket. It is
// matched by an *OtherServerError.
var ErrOtherServer = errors.New("a terminal server has another folder")

// OtherServerError is the error of a call that needs a server: none listens at Missing, and one lives at Socket.
type OtherServerError struct {
	OtherServer
	Missing string
}

// Error names both sockets.
func (e *OtherServerError) Error() string {
	return fmt.Sprintf("%v: at %s, and none is started at %s beside it", ErrOtherServer, e.Socket, e.Missing)
}

// Unwrap returns ErrOtherServer.
func (e *OtherServerError) Unwrap() error { return ErrOtherServer }

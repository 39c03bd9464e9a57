package engine

import (
	"errors"
	"fmt"
)

// The sentinels that implementations return, wrapped with the operation.
var (
	// ErrUnavailable means that the server program is not installed.
	ErrUnavailable = errors.New("terminal server program not found")
	// ErrNoEngine means that an engine is named that the settings do not use.
	ErrNoEngine = errors.New("engine not in use")
	// ErrTooOld means that it is older than what Cupola supports.
	ErrTooOld = errors.New("terminal server program too old")
	// ErrNoServer means that no server runs.
	ErrNoServer = errors.New("no terminal server running")
	// ErrHidden means that a server runs that cannot be reached, and is a *HiddenError.
	ErrHidden = errors.New("the terminal server cannot be reached")
	// ErrSilent means that a server runs and did not answer in time: it is suspended, or
	// too busy. It may still carry out the request.
	ErrSilent = errors.New("the terminal server is not answering")
	// ErrBusy means that a server is being replaced by another, or lacks something that its
	// system limits, and cannot take the request now. Its sessions live. It may have carried
	// out the request.
	ErrBusy = errors.New("the terminal server cannot take the request now")
	// ErrLimit is an ErrBusy for a limit of the system, which the text names.
	ErrLimit = fmt.Errorf("%w: it is at a limit of the system", ErrBusy)
	// ErrNoSession, ErrNoWindow and ErrNoPane mean that the target is gone.
	ErrNoSession = errors.New("no such session")
	ErrNoWindow  = errors.New("no such window")
	ErrNoPane    = errors.New("no such pane")
	// ErrDead means that a pane still exists but its program has ended, so that nothing
	// reads typed input.
	ErrDead = errors.New("program has ended")
	// ErrEnded means that a session ended as soon as it was made, ErrUnattached that the server ends each that no
	// terminal shows.
	ErrEnded      = errors.New("the session ended as soon as it was made")
	ErrUnattached = errors.New("tmux ends each session that no terminal shows")
	// ErrDuplicate means that a session of that name exists.
	ErrDuplicate = errors.New("duplicate session")
	// ErrNoSpace means that a pane is too small to be split.
	ErrNoSpace = errors.New("no space for a new pane")
	// ErrBadKey means that a key name is unknown.
	ErrBadKey = errors.New("unknown key")
	// ErrDenied means that the socket belongs to another user.
	ErrDenied = errors.New("permission denied")
)

// Reason is why a server does not answer that lives; empty if no more is known than that it does not.
func Reason(err error) string {
	var hidden *HiddenError
	switch {
	case errors.As(err, &hidden):
		return hidden.Error()
	case errors.Is(err, ErrBusy):
		return err.Error()
	}
	return ""
}

// HiddenError means that a server lives whose socket is deleted.
type HiddenError struct {
	PID    int
	Socket string
}

// Error names the process and the socket.
func (e *HiddenError) Error() string {
	return fmt.Sprintf("%v: process %d lives, but its socket %s was deleted", ErrHidden, e.PID, e.Socket)
}

// Unwrap returns ErrHidden.
func (e *HiddenError) Unwrap() error { return ErrHidden }

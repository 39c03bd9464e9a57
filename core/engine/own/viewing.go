package own

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
)

// Viewing is a terminal that is attached to a pane. Its methods may be called concurrently.
type Viewing struct {
	c *connection
	// sending lets one frame out at a time.
	sending sync.Mutex
}

// ErrLeft means that there is nothing more to view: the pane or its session has ended. Its text says which.
type ErrLeft struct{ Why string }

// Error says why.
func (e *ErrLeft) Error() string { return e.Why }

// View attaches a terminal of a size to a session, and to a pane of it unless it is empty.
func (s *Server) View(
	ctx context.Context,
	session core.SessionID,
	pane core.PaneID,
	width, height int,
) (*Viewing, error) {
	c, err := s.stream(ctx, wire.Request{Op: wire.Attach, Session: session, Pane: pane, Width: width, Height: height})
	if err != nil {
		return nil, err
	}
	return &Viewing{c: c}, nil
}

// Output returns the next bytes for the terminal: first a whole screen, then what the program writes. It returns an
// *ErrLeft once there is nothing more to view, and engine.ErrNoServer if the server is gone.
func (v *Viewing) Output() ([]byte, error) {
	for {
		kind, body, err := wire.ReadFrame(v.c.in)
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, net.ErrClosed):
			return nil, engine.ErrNoServer
		case err != nil:
			return nil, err
		case kind == wire.OutputFrame:
			return body, nil
		case kind == wire.ReplyFrame:
			return nil, &ErrLeft{wire.FaultText(body)}
		}
	}
}

// Type sends what was typed.
func (v *Viewing) Type(text []byte) error {
	v.sending.Lock()
	defer v.sending.Unlock()
	return wire.WriteFrame(v.c, wire.InputFrame, text)
}

// Resize says that the terminal has another size.
func (v *Viewing) Resize(width, height int) error {
	return v.request(wire.Request{Op: wire.Size, Width: width, Height: height})
}

// Show shows another pane, of any session.
func (v *Viewing) Show(session core.SessionID, pane core.PaneID) error {
	return v.request(wire.Request{Op: wire.Attach, Session: session, Pane: pane})
}

func (v *Viewing) request(r wire.Request) error {
	v.sending.Lock()
	defer v.sending.Unlock()
	return wire.WriteJSON(v.c, wire.RequestFrame, r)
}

// Close leaves.
func (v *Viewing) Close() error { return v.c.Close() }

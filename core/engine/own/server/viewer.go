package server

import (
	"sync"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/own/wire"
)

const (
	// mostUnseen is how many bytes wait for a viewer that is slow. Then it is shown the whole screen instead.
	mostUnseen = 1 << 20
	// resizeWithin is how long sizes of a viewer are collected: who drags a window makes dozens a second.
	resizeWithin = 50 * time.Millisecond
)

// viewer is a terminal that is attached to a pane.
type viewer struct {
	tree   *tree
	mu     sync.Mutex
	buffer []byte
	// stale is true if the viewer must be shown the whole screen, ended why it shall leave; empty while it stays.
	stale bool
	ended string
	wake  chan struct{}

	// tree.mu guards what follows.
	pane          *pane
	width, height int
}

func (v *viewer) signal() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// show queues what the program wrote.
func (v *viewer) show(piece []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.stale {
		return
	}
	if len(v.buffer)+len(piece) > mostUnseen {
		v.buffer, v.stale = nil, true
	} else {
		v.buffer = append(v.buffer, piece...)
	}
	v.signal()
}

// redraw has the viewer shown the whole screen.
func (v *viewer) redraw() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.buffer, v.stale = nil, true
	v.signal()
}

// note shows a line that the program did not write.
func (v *viewer) note(text string) { v.show([]byte("\r\n[" + text + "]\r\n")) }

// leave ends a viewer.
func (v *viewer) leave(why string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.ended = why
	v.signal()
}

// attach shows a pane to a terminal until it leaves or the pane is gone.
func (c *connection) attach(request wire.Request) {
	v := &viewer{tree: c.server.tree, wake: make(chan struct{}, 1), width: request.Width, height: request.Height}
	if err := v.turnTo(request); err != nil {
		_ = c.reply(wire.Reply{Fault: wire.FaultOf(err)})
		return
	}
	defer v.closeView()
	if c.reply(wire.Reply{}) != nil {
		return
	}
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		c.readInput(v)
	}()
	for {
		output, ended := v.output()
		if len(output) > 0 && c.sendBytes(wire.OutputFrame, output) != nil {
			return
		}
		if ended != "" {
			_ = c.reply(wire.Reply{Fault: &wire.Fault{Text: ended}})
			return
		}
		select {
		case <-v.wake:
		case <-gone:
			return
		}
	}
}

// output returns the bytes that a viewer has not received, or why the view ended.
func (v *viewer) output() (output []byte, ended string) {
	v.tree.mu.Lock()
	p := v.pane
	v.tree.mu.Unlock()
	if p == nil {
		return nil, "the session has ended"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	output, ended = v.buffer, v.ended
	if v.stale {
		output, v.stale = p.term.Redraw(), false
	}
	v.buffer = nil
	return output, ended
}

// readInput passes on what is typed, and takes sizes.
func (c *connection) readInput(v *viewer) {
	mu := &c.server.tree.mu
	var sizing *time.Timer
	for {
		kind, body, err := wire.ReadFrame(c.in)
		if err != nil {
			return
		}
		switch kind {
		case wire.InputFrame:
			v.typeIn(body)
		case wire.RequestFrame:
			request, err := wire.ParseRequest(body)
			if err != nil {
				return
			}
			switch request.Op {
			case wire.Size:
				mu.Lock()
				v.width, v.height = request.Width, request.Height
				mu.Unlock()
				if sizing != nil {
					sizing.Stop()
				}
				sizing = time.AfterFunc(resizeWithin, v.fit)
			case wire.Attach:
				_ = v.turnTo(request) // what is gone is not shown
			}
		}
	}
}

// typeIn types what a viewer sent. The window then has its size.
func (v *viewer) typeIn(text []byte) {
	v.fit()
	v.tree.mu.Lock()
	p := v.pane
	v.tree.mu.Unlock()
	if p != nil {
		_ = p.typeIn(text) // a dead program hears nothing
	}
}

// fit gives the window of a viewer the viewer's size.
func (v *viewer) fit() {
	v.tree.mu.Lock()
	defer v.tree.mu.Unlock()
	if v.pane != nil && checkSize(v.width, v.height) == nil {
		v.tree.resizeWindow(v.pane.window, v.width, v.height)
	}
}

// turnTo lets a viewer see the pane of a request, or the one of the session that has the keyboard.
func (v *viewer) turnTo(request wire.Request) error {
	v.tree.mu.Lock()
	one, err := v.tree.session(request.Session)
	if err != nil {
		v.tree.mu.Unlock()
		return err
	}
	p := one.windows[0].active
	if request.Pane != "" {
		if p, err = v.tree.pane(request.Pane); err == nil && p.window.session != one {
			err = engine.ErrNoPane
		}
		if err != nil {
			v.tree.mu.Unlock()
			return err
		}
	}
	v.leavePane()
	v.pane = p
	p.window.active = p
	one.viewers++
	p.mu.Lock()
	if p.viewers == nil {
		p.viewers = map[*viewer]bool{}
	}
	p.viewers[v] = true
	p.passToViewers()
	p.mu.Unlock()
	v.tree.follower.restructured()
	v.tree.mu.Unlock()
	v.fit()
	v.redraw()
	return nil
}

// closeView ends what a viewer sees.
func (v *viewer) closeView() {
	v.tree.mu.Lock()
	defer v.tree.mu.Unlock()
	v.leavePane()
	v.tree.follower.restructured()
}

// leavePane lets a viewer see nothing; mu is held.
func (v *viewer) leavePane() {
	if v.pane == nil {
		return
	}
	v.pane.mu.Lock()
	delete(v.pane.viewers, v)
	v.pane.passToViewers()
	v.pane.mu.Unlock()
	v.pane.window.session.viewers--
	v.pane = nil
}

package server

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"cupola/core"

	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/process"
)

// sendWithin is how long a client may take to read an answer. One that takes longer is cut off, so that it holds
// nothing.
const sendWithin = 30 * time.Second

// connection is a client.
type connection struct {
	server *server
	conn   *net.UnixConn
	in     *bufio.Reader
	// sending lets one frame out at a time.
	sending sync.Mutex
}

func newConnection(s *server, conn *net.UnixConn) *connection {
	return &connection{server: s, conn: conn, in: bufio.NewReader(conn)}
}

// serve answers requests until the client goes.
func (c *connection) serve() {
	defer c.leave()
	if err := c.admit(); err != nil {
		c.server.opts.Log.Warn("refused a client", "error", err)
		return
	}
	var hello wire.Hello
	if wire.ReadHello(c.in, &hello) != nil || c.send(wire.HelloFrame, c.server.hello()) != nil {
		return
	}
	for {
		var request wire.Request
		if err := wire.ReadJSON(c.in, wire.RequestFrame, &request); err != nil {
			if errors.Is(err, wire.ErrFrame) {
				_ = c.reply(wire.Reply{Fault: wire.FaultOf(err)})
			}
			return
		}
		if err := c.server.refuses(); err != nil {
			if c.reply(wire.Reply{Fault: wire.FaultOf(err)}) != nil {
				return
			}
			continue
		}
		switch request.Op {
		case wire.Watch:
			if c.reply(wire.Reply{}) == nil {
				focus := engine.Focus{}
				if request.Focus != nil {
					focus = *request.Focus
				}
				c.watch(focus)
			}
			return
		case wire.Attach:
			c.attach(request)
			return
		case wire.Upgrade: // it counts as no request: it waits for the others
			err := c.server.upgrader.upgrade(request.Path, c)
			if c.reply(wire.Reply{Fault: wire.FaultOf(err)}) != nil {
				return
			}
			continue
		}
		c.server.asked.Add(1)
		err := c.reply(c.server.answer(request))
		c.server.asked.Done()
		if err != nil {
			return
		}
	}
}

// leave closes the connection.
func (c *connection) leave() {
	c.server.tree.mu.Lock()
	delete(c.server.clients, c)
	c.server.tree.mu.Unlock()
	_ = c.conn.Close()
}

// admit refuses other users, and puts the others on the list.
func (c *connection) admit() error {
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return err
	}
	uid, failed := 0, error(nil)
	if err := raw.Control(func(fd uintptr) { _, uid, failed = process.Peer(int(fd)) }); err != nil {
		return err
	}
	if failed == nil && uid != os.Getuid() && uid != 0 {
		failed = fmt.Errorf("user %d", uid)
	}
	if failed == nil {
		c.server.tree.mu.Lock()
		c.server.clients[c] = true
		c.server.tree.mu.Unlock()
	}
	return failed
}

func (c *connection) reply(reply wire.Reply) error { return c.send(wire.ReplyFrame, reply) }

func (c *connection) send(kind wire.Kind, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return c.sendBytes(kind, body)
}

func (c *connection) sendBytes(kind wire.Kind, body []byte) error {
	c.sending.Lock()
	defer c.sending.Unlock()
	_ = c.conn.SetWriteDeadline(time.Now().Add(sendWithin))
	return wire.WriteFrame(c.conn, kind, body)
}

// answer does what a request asks for.
func (s *server) answer(request wire.Request) wire.Reply {
	reply, err := s.do(request)
	reply.Fault = wire.FaultOf(err)
	return reply
}

func (s *server) do(r wire.Request) (wire.Reply, error) {
	if err := s.refuses(); err != nil {
		return wire.Reply{}, err
	}
	var launch engine.Launch
	if r.Launch != nil {
		launch = wire.UnpackLaunch(*r.Launch)
	}
	environ := core.Map(r.Environ, wire.Unpack)
	switch r.Op {
	case wire.List:
		l := wire.MapListing(s.tree.listing(r.Detail), wire.Pack)
		return wire.Reply{Listing: &l}, nil
	case wire.Capture:
		return wire.Reply{Screens: s.tree.capture(r.Asks)}, nil
	case wire.Create:
		loc, err := s.create(launch, environ)
		return wire.Reply{Place: &loc}, err
	case wire.Respawn:
		loc, err := s.respawn(r.Pane, launch, environ)
		return wire.Reply{Place: &loc}, err
	case wire.Paste:
		p, err := s.tree.find(r.Pane)
		if err == nil {
			err = p.paste(r.Text)
		}
		return wire.Reply{}, err
	case wire.Press:
		p, err := s.tree.find(r.Pane)
		if err == nil {
			err = p.press(r.Keys)
		}
		return wire.Reply{}, err
	case wire.KillPane:
		return wire.Reply{}, s.tree.killPane(r.Pane)
	case wire.KillSession:
		return wire.Reply{}, s.tree.killSession(r.Session)
	case wire.Rename:
		return wire.Reply{}, s.tree.rename(r.Session, r.Name)
	case wire.Resize:
		return wire.Reply{}, s.tree.resize(r.Pane, r.Width, r.Height)
	case wire.Tag:
		for i := range r.Tags {
			r.Tags[i].Value = wire.Unpack(r.Tags[i].Value)
		}
		return wire.Reply{}, s.tree.tag(r.Tags)
	case wire.Shutdown:
		s.tree.endAll()
		return wire.Reply{}, nil
	}
	return wire.Reply{}, fmt.Errorf(
		"this terminal server (version %s) knows no request %q; %w",
		s.opts.Version,
		r.Op,
		syscall.ENOSYS,
	)
}

// refuses returns why the server takes no requests now; nil if it does.
func (s *server) refuses() error {
	s.tree.mu.Lock()
	defer s.tree.mu.Unlock()
	switch {
	case s.tree.ending:
		return wire.ErrEnding
	case s.upgrader.upgrading:
		return wire.ErrUpgrading
	}
	return nil
}

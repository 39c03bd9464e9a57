package keeper

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// stopSendTimeout is how long a member may take to read the last frames of a stopping keeper.
const stopSendTimeout = 250 * time.Millisecond

// writeWithin is how long a member may take to read a line.
const writeWithin = 5 * time.Second

// server serves a keeper's hub to the other members. Each member has a cursor into the hub, so that a slow
// one costs nothing and finally gets the whole snapshot instead of what it missed.
type server struct {
	hub      *hub
	since    time.Time
	focus    *sharedFocus
	timeouts wire.Timeouts
	log      *slog.Logger
	listener net.Listener
	// open closes when the keeper's first snapshot is in the hub.
	open chan struct{}
	// hooked handles hook reports.
	hooked func(core.PaneID, detect.Hook)
	// alerted handles reports about alerts, and ran reports that runs have changed.
	alerted func(*wire.AlertReport)
	ran     func()
	talks   sync.WaitGroup

	mu   sync.Mutex
	seen []core.Revision
}

// listen opens the socket. It removes the socket of a dead keeper, which the lock permits.
func (s *server) listen(socket string) error {
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return rundir.UnusableError(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return rundir.UnusableError(err)
	}
	if l, is := listener.(*net.UnixListener); is {
		// The path may belong to another keeper by then; the keeper removes its own.
		l.SetUnlinkOnClose(false)
	}
	s.listener = listener
	if err := os.Chmod(socket, 0o600); err != nil {
		listener.Close()
		return rundir.UnusableError(err)
	}
	return nil
}

// accept serves until ctx ends. It then sends all members their last frames, and closes the connections.
func (s *server) accept(ctx context.Context) {
	defer s.talks.Wait()
	defer context.AfterFunc(ctx, func() { s.listener.Close() })()
	for {
		conn, err := s.listener.Accept()
		switch {
		case err == nil:
			s.talks.Go(func() { s.serve(ctx, conn) })
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return
		default:
			s.log.Warn("a member could not be accepted", "error", err)
			_ = core.Sleep(ctx, 100*time.Millisecond)
		}
	}
}

// serve serves one member.
func (s *server) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now().Add(stopSendTimeout)) })()
	g, err := s.readHello(ctx, conn)
	if err != nil {
		s.log.Debug("a member was turned away", "error", err)
		return
	}
	if g.Hook != "" {
		if hook := panetag.DecodeHook(g.Hook); hook != nil {
			s.hooked(g.Pane, *hook)
		}
		return
	}
	if g.Alert != nil {
		s.alerted(g.Alert)
		return
	}
	if g.Runs {
		s.ran()
		return
	}
	if g.Watched {
		s.focus.watch(1)
		defer s.focus.watch(-1)
	}
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	s.talks.Go(func() {
		// A member sends nothing more; the read ends when it disconnects.
		_, _ = io.Copy(io.Discard, conn)
		hangUp()
	})
	if err := s.stream(ctx, conn, g); err != nil {
		s.log.Debug("a member was lost", "pid", g.PID, "error", err)
	}
}

// readHello reads a member's hello and answers it, always with our own protocol version.
func (s *server) readHello(ctx context.Context, conn net.Conn) (wire.Hello, error) {
	var g wire.Hello
	if err := limit(ctx, s.timeouts.Welcome, conn.SetDeadline); err != nil {
		return g, err
	}
	foreign := wire.NewLineReader(conn).DecodeFirst(&g)
	if foreign == nil && !g.Reports() {
		s.mu.Lock()
		s.seen = append(s.seen, g.Seen)
		s.mu.Unlock()
	}
	hello, err := wire.Encode(wire.Welcome{Protocol: wire.Protocol, PID: os.Getpid(), Since: s.since})
	if err == nil {
		_, err = conn.Write(hello)
	}
	return g, errors.Join(foreign, err, conn.SetReadDeadline(time.Time{}))
}

// stream sends a member what it does not know, now and after every change.
func (s *server) stream(ctx context.Context, conn net.Conn, g wire.Hello) error {
	select {
	case <-s.open:
	case <-ctx.Done():
		return nil
	}
	heartbeat := time.NewTicker(s.timeouts.Heartbeat)
	defer heartbeat.Stop()
	var read cursor
	if g.Known {
		read = s.hub.at(g.Since)
	}
	for first := true; ; first = false {
		b, after, changed := s.hub.next(read)
		f := wire.Frame{Type: wire.FrameHeartbeat}
		if first || !b.empty() {
			f = wire.Frame{Type: wire.FrameBatch, Events: b.events, Snapshot: b.snapshot, Resync: b.resync}
		}
		if first || !b.empty() || ctx.Err() == nil {
			if err := s.send(ctx, conn, f); err != nil {
				return err
			}
		}
		if !first && read.runs != after.runs {
			if err := s.send(ctx, conn, wire.Frame{Type: wire.FrameRuns}); err != nil {
				return err
			}
		}
		read = after
		if ctx.Err() != nil {
			return nil
		}
		select {
		case <-changed:
		case <-heartbeat.C:
		case <-ctx.Done():
		}
	}
}

func (s *server) send(ctx context.Context, conn net.Conn, f wire.Frame) error {
	line, err := wire.Encode(f)
	if err != nil {
		return err
	}
	if err := limit(ctx, writeWithin, conn.SetWriteDeadline); err != nil {
		return err
	}
	_, err = conn.Write(line)
	return err
}

// limit sets a deadline, which is short once ctx has ended.
func limit(ctx context.Context, d time.Duration, set func(time.Time) error) error {
	err := set(time.Now().Add(d))
	if ctx.Err() != nil {
		err = set(time.Now().Add(stopSendTimeout))
	}
	return err
}

// newest returns the newest revision, up to a ceiling, that members received from the previous keeper; 0 if
// there is none. A ceiling of 0 does not limit.
func (s *server) newest(ceiling core.Revision) core.Revision {
	s.mu.Lock()
	defer s.mu.Unlock()
	var newest core.Revision
	for _, seen := range s.seen {
		if ceiling == 0 || seen <= ceiling {
			newest = max(newest, seen)
		}
	}
	return newest
}

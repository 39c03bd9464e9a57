package own

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/system/private"
	"cupola/core/system/private/socket"
	"cupola/core/system/process"
	"cupola/core/system/shell"
)

// mostIdle is how many connections are kept for later requests.
const mostIdle = 4

// connection is one to the server. It carries one request at a time.
type connection struct {
	net.Conn
	in    *bufio.Reader
	hello wire.Hello
}

// connect returns an unused connection.
func (s *Server) connect(ctx context.Context) (*connection, error) {
	for {
		select {
		case c := <-s.idle:
			if c.open() {
				return c, nil
			}
			_ = c.Close()
		default:
			return s.dial(ctx)
		}
	}
}

// open reports whether the server has not closed a connection, as one does that has ended.
func (c *connection) open() bool {
	conn, is := c.Conn.(*net.UnixConn)
	if !is {
		return false
	}
	raw, err := conn.SyscallConn()
	if err != nil {
		return false
	}
	open := false
	err = raw.Control(func(fd uintptr) {
		var next [1]byte
		_, _, err := unix.Recvfrom(int(fd), next[:], unix.MSG_PEEK|unix.MSG_DONTWAIT)
		open = errors.Is(err, unix.EAGAIN)
	})
	return err == nil && open
}

// upgradeRest is how long to wait for a server that is being upgraded.
const upgradeRest = 20 * time.Millisecond

// replacedWithin is how long a server may take that is replaced by another program.
const replacedWithin = 5 * time.Second

// dial makes a connection and greets the server. A server that closes the connection before it greets is being
// replaced, or ends; dial then dials again to find out.
func (s *Server) dial(ctx context.Context) (*connection, error) {
	for end := time.Now().Add(replacedWithin); ; {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		conn, err := socket.Dial(ctx, s.opts.Socket, s.opts.Timeout)
		if err != nil {
			if err = dialError(err); errors.Is(err, engine.ErrNoServer) {
				err = replaced(s.opts.Socket, end)
			}
			if err == nil {
				err = core.Sleep(ctx, upgradeRest)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		c := &connection{Conn: conn, in: bufio.NewReader(conn)}
		if err = greet(ctx, s, c); err == nil {
			return c, nil
		}
		_ = conn.Close()
		if !errors.Is(err, engine.ErrNoServer) || time.Now().After(end) {
			return nil, err
		}
		if err := core.Sleep(ctx, upgradeRest); err != nil {
			return nil, err
		}
	}
}

// replaced returns nil if a server will take the place of the one that is gone: its terminals are held. It returns
// engine.ErrNoServer if they are not, and engine.ErrBusy after a time.
func replaced(socket string, end time.Time) error {
	held, is := wire.ReadHeld(socket)
	switch {
	case !is && !wire.Starts(socket):
		return engine.ErrNoServer
	case time.Now().Before(end):
		return nil
	case held.Why != "":
		return fmt.Errorf("%w: none can be started (%s); process %d keeps %d terminals and tries again",
			engine.ErrBusy, held.Why, held.PID, held.Panes)
	}
	return fmt.Errorf("%w: it is being replaced; process %d keeps its terminals", engine.ErrBusy, held.PID)
}

// greet exchanges what both sides say first.
func greet(ctx context.Context, s *Server, c *connection) error {
	stop := bounded(ctx, c, s.opts.Timeout)
	err := wire.WriteJSON(c, wire.HelloFrame, wire.Hello{
		Version: wire.Version, Oldest: wire.Oldest, Program: s.opts.Version, Build: s.opts.Build, PID: os.Getpid(),
	})
	if err == nil {
		err = wire.ReadHello(c.in, &c.hello)
	}
	if err = stop(err); err == nil && (c.hello.Version < wire.Oldest || c.hello.Oldest > wire.Version) {
		err = fmt.Errorf("%w: the server of %s speaks version %d of its protocol, this program %d to %d",
			engine.ErrTooOld, c.hello.Program, c.hello.Version, wire.Oldest, wire.Version)
	}
	return err
}

// stream makes a connection for a request after which the server sends what happens.
func (s *Server) stream(ctx context.Context, request wire.Request) (*connection, error) {
	for end := time.Now().Add(replacedWithin); ; {
		c, err := s.dial(ctx)
		if err != nil {
			return nil, err
		}
		reply, err := c.ask(ctx, s.opts.Timeout, request)
		if err == nil {
			err = reply.Fault.Err()
		}
		if err == nil {
			_ = c.SetDeadline(time.Time{})
			return c, nil
		}
		_ = c.Close()
		replaced := errors.Is(err, wire.ErrUpgrading) || errors.Is(err, engine.ErrNoServer)
		switch {
		case errors.Is(err, wire.ErrEnding):
			return nil, fmt.Errorf("%w: %w", engine.ErrNoServer, err)
		case !replaced || time.Now().After(end):
			return nil, err
		}
		if err := core.Sleep(ctx, upgradeRest); err != nil {
			return nil, err
		}
	}
}

func dialError(err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return engine.ErrNoServer
	case errors.Is(err, fs.ErrPermission), errors.Is(err, private.ErrForeign), errors.Is(err, private.ErrNoFolder):
		return fmt.Errorf("%w: %w", engine.ErrDenied, err)
	case errors.Is(err, syscall.EAGAIN), errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("%w: %w", engine.ErrSilent, err)
	}
	return err
}

// bounded bounds what is done with a connection by a context and a time. stop ends that, and gives the error the name
// that it has for callers.
func bounded(ctx context.Context, conn net.Conn, limit time.Duration) (stop func(error) error) {
	_ = conn.SetDeadline(time.Now().Add(limit))
	after := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	return func(err error) error {
		after()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, os.ErrDeadlineExceeded):
			return fmt.Errorf("%w: no answer within %v", engine.ErrSilent, limit)
		case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
			return fmt.Errorf("%w: it closed the connection", engine.ErrNoServer)
		}
		return err
	}
}

// keep keeps a connection for later.
func keep(s *Server, c *connection) {
	select {
	case s.idle <- c:
	default:
		_ = c.Close()
	}
}

// Close closes the connections that are kept. It ends nothing on the server.
func (s *Server) Close() error {
	for {
		select {
		case c := <-s.idle:
			_ = c.Close()
		default:
			return nil
		}
	}
}

// call sends a request that has no answer but an error.
func call(ctx context.Context, s *Server, op string, request wire.Request) error {
	_, err := s.ask(ctx, op, 3*s.opts.Timeout, request)
	return err
}

// ask sends a request and returns the answer. An error is wrapped with op.
func (s *Server) ask(ctx context.Context, op string, limit time.Duration, request wire.Request) (wire.Reply, error) {
	for end := time.Now().Add(limit + replacedWithin); ; {
		c, err := s.connect(ctx)
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return wire.Reply{}, fmt.Errorf("%s: %w", op, err)
		}
		reply, err := c.ask(ctx, limit, request)
		if err == nil {
			keep(s, c)
		} else {
			_ = c.Close()
			// The server may have been replaced meanwhile. A request that can be made twice is sent again; dialling
			// shows whether the server is gone.
			if errors.Is(err, engine.ErrNoServer) {
				if repeatable(request.Op) && time.Now().Before(end) {
					continue
				}
				err = unanswered(ctx, s, err)
			}
			return wire.Reply{}, fmt.Errorf("%s: %w", op, err)
		}
		if err := reply.Fault.Err(); errors.Is(err, wire.ErrUpgrading) {
			if err := core.Sleep(ctx, upgradeRest); err != nil {
				return wire.Reply{}, fmt.Errorf("%s: %w", op, err)
			}
			continue
		}
		if err := reply.Fault.Err(); err != nil {
			if errors.Is(err, wire.ErrEnding) {
				err = fmt.Errorf("%w: %w", engine.ErrNoServer, err)
			}
			return wire.Reply{}, fmt.Errorf("%s: %w", op, err)
		}
		return reply, nil
	}
}

// repeatable reports whether a request that has no answer can be made again.
func repeatable(op wire.Op) bool {
	switch op {
	case wire.List, wire.Capture, wire.Tag, wire.Resize, wire.KillPane, wire.KillSession:
		return true
	}
	return false
}

// errUnanswered means that a server was replaced before it answered.
var errUnanswered = fmt.Errorf(
	"%w: it was replaced before it answered, so it is not known whether it did what was asked", engine.ErrBusy)

// unanswered is the error for a request that had no answer because the server ended: whether that is gone, or another
// has taken its place.
func unanswered(ctx context.Context, s *Server, err error) error {
	c, dialled := s.dial(ctx)
	switch {
	case dialled == nil:
		keep(s, c)
		return errUnanswered
	case errors.Is(dialled, engine.ErrNoServer):
		return err
	}
	return dialled
}

func (c *connection) ask(ctx context.Context, limit time.Duration, request wire.Request) (reply wire.Reply, err error) {
	stop := bounded(ctx, c, limit)
	if err = wire.WriteJSON(c, wire.RequestFrame, request); err == nil {
		err = wire.ReadJSON(c.in, wire.ReplyFrame, &reply)
	}
	return reply, stop(err)
}

// start starts a server, and waits until it listens. If another one does already, that is as good.
func start(ctx context.Context, s *Server) error {
	if len(s.opts.Start) == 0 {
		return engine.ErrNoServer
	}
	if err := mayStart(s); err != nil {
		return err
	}
	// The server says in this file that it listens, or what went wrong.
	says, said, err := os.Pipe()
	if err != nil {
		return err
	}
	defer says.Close()
	argv := scoped(s, append(slices.Clone(s.opts.Start), s.opts.Socket))
	cmd := exec.Command(argv[0], argv[1:]...) //nolint:noctx // the server outlives this call
	cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = s.opts.Environ, "/", said, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = said.Close()
	if err != nil {
		return fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	}
	go func() { _ = cmd.Wait() }() // if it ends while this process runs
	stop := context.AfterFunc(ctx, func() { _ = says.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	_ = says.SetReadDeadline(time.Now().Add(12 * s.opts.Timeout))
	text, err := io.ReadAll(says)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("%w: the server did not start in time", engine.ErrSilent)
	case strings.HasPrefix(string(text), wire.Listens):
		socket.Note(s.opts.Note).Write(s.opts.Socket)
		return nil
	}
	return fmt.Errorf("the terminal server did not start: %s", bytes.TrimSpace(text))
}

// scoped lets a server run in a scope of its own of the user's systemd, if there is one: else logging out ends
// whatever was started since logging in, as distributions may have set.
func scoped(s *Server, argv []string) []string {
	runtime := process.Variable(s.opts.Environ, "XDG_RUNTIME_DIR")
	if _, err := os.Stat(filepath.Join(runtime, "systemd", "private")); err != nil || runtime == "" ||
		len(s.opts.Scope) == 0 {
		return argv
	}
	if _, err := exec.LookPath(s.opts.Scope[0]); err != nil {
		return argv
	}
	// Where systemd refuses, the server runs without a scope.
	scope := shell.Line(s.opts.Scope...)
	script := scope + ` true >/dev/null 2>&1 && exec ` + scope + ` "$@"; exec "$@"`
	return append([]string{"/bin/sh", "-c", script, "sh"}, argv...)
}

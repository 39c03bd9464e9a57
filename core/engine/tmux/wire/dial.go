package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/system/private"
	"cupola/core/system/private/socket"
)

// connection is an open socket and the server that was behind it.
type connection struct {
	*net.UnixConn
	server server
}

// hangUp closes the connection.
func (c *connection) hangUp() { _ = c.Close() }

// server identifies one server on a path: the next one has another socket.
type server struct {
	socket os.FileInfo
}

// is reports whether both are the same server. The zero server is no other's.
func (s server) is(other server) bool {
	return s.socket != nil && other.socket != nil &&
		os.SameFile(s.socket, other.socket) && s.socket.ModTime().Equal(other.socket.ModTime())
}

// connect returns a connection to a server that may be asked, and its verdict.
func (c *Client) connect(ctx context.Context) (*connection, *verdict, error) {
	for range 3 {
		if c.verdict.Load() == nil {
			if err := c.probe(ctx); err != nil {
				return nil, nil, err
			}
		}
		conn, err := c.dial(ctx)
		if err != nil {
			return nil, nil, err
		}
		if known := c.verdict.Load(); known != nil && known.server.is(conn.server) {
			if known.err != nil {
				conn.hangUp()
				return nil, known, known.err
			}
			return conn, known, nil
		}
		conn.hangUp()
		if err := c.probe(ctx); err != nil {
			return nil, nil, err
		}
	}
	return nil, nil, fmt.Errorf("%w: replaced again and again", engine.ErrNoServer)
}

// dial connects and checks the server: the socket is the same before and after.
func (c *Client) dial(ctx context.Context) (*connection, error) {
	for range 3 {
		before, err := os.Stat(c.path)
		if err != nil {
			return nil, dialError(err)
		}
		conn, err := c.dialRepeatedly(ctx)
		if err != nil {
			return nil, err
		}
		after, err := os.Stat(c.path)
		if found := (server{before}); err == nil && found.is(server{after}) {
			return &connection{UnixConn: conn, server: found}, nil
		}
		_ = conn.Close()
	}
	return nil, fmt.Errorf("%w: replaced again and again", engine.ErrNoServer)
}

// dialRepeatedly connects, and retries while the server's queue is full.
func (c *Client) dialRepeatedly(ctx context.Context) (*net.UnixConn, error) {
	start := time.Now()
	for {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("tmux socket: %w", err)
		}
		// A local socket answers at once, be it that its queue is full.
		conn, err := socket.Connect(context.WithoutCancel(ctx), c.path, 0)
		switch {
		case err == nil:
			return conn, nil
		case !errors.Is(err, syscall.EAGAIN) && !errors.Is(err, syscall.EINPROGRESS):
			return nil, dialError(err)
		case time.Since(start) > c.timeout:
			return nil, fmt.Errorf("%w: it accepts no connection: %w", engine.ErrSilent, err)
		}
		if err := core.Sleep(ctx, 2*time.Millisecond); err != nil {
			return nil, fmt.Errorf("tmux socket: %w", err)
		}
	}
}

// dialError adds the sentinel for a failed connect or stat, if any.
func dialError(err error) error {
	if errors.Is(err, private.ErrForeign) {
		return fmt.Errorf("%w: %w", engine.ErrDenied, err)
	}
	for errno, sentinel := range map[syscall.Errno]error{
		syscall.ENOENT:       engine.ErrNoServer,
		syscall.ENOTDIR:      engine.ErrNoServer,
		syscall.ENOTSOCK:     engine.ErrNoServer,
		syscall.ECONNREFUSED: engine.ErrNoServer,
		syscall.EACCES:       engine.ErrDenied,
		syscall.EPERM:        engine.ErrDenied,
	} {
		if errors.Is(err, errno) {
			return fmt.Errorf("%w: %w", sentinel, err)
		}
	}
	return fmt.Errorf("tmux socket: %w", err)
}

package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// Client runs commands on the tmux server at one socket. It may be used concurrently; each
// call has its own connection.
type Client struct {
	path string
	// timeout bounds an exchange with an unknown server.
	timeout time.Duration
	// probing admits one probe at a time.
	probing chan struct{}
	verdict atomic.Pointer[verdict]
}

// New returns a client for the socket at path. It does not connect. The timeout limits how long the server may take to
// accept a connection and, until its version is known, to answer.
func New(path string, timeout time.Duration) *Client {
	return &Client{path: path, timeout: timeout, probing: make(chan struct{}, 1)}
}

// Run has the server run a command, given as the tmux program would be given it:
// a name and its arguments, and more commands behind arguments that are ";". tmux
// also ends a command after an argument that ends in ";", unless that is "\;".
//
// A command that tmux refuses is a Result with a status, not an error. The call has no
// environment, so that the default target is not the caller's own pane. Run waits as long
// as the command does; if ctx ends first, the connection is closed at once and ctx's error
// returned, wrapped. The server may still run a command that was sent.
func (c *Client) Run(ctx context.Context, argv []string) (Result, error) {
	request, err := encodeRequest(argv, workingDir(), os.Getpid())
	if err != nil {
		return Result{}, err
	}
	conn, known, err := c.connect(ctx)
	if err != nil {
		return Result{}, err
	}
	result, err := c.exchange(ctx, conn, request)
	if errors.Is(err, ErrProtocol) || errors.Is(err, ErrVersion) {
		c.verdict.Store(&verdict{server: known.server, version: known.version, err: err})
	}
	return result, err
}

// workingDir is where the server looks for relative paths and starts programs.
func workingDir() string {
	dir, err := os.Getwd()
	if err != nil {
		return "/"
	}
	return dir
}

// readers are big enough for any message.
var readers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 2*maxMessage) }}

// exchange sends a request over conn, returns its outcome and closes conn.
func (c *Client) exchange(ctx context.Context, conn *connection, request []byte) (Result, error) {
	defer conn.hangUp()
	stop := context.AfterFunc(ctx, conn.hangUp)
	defer stop()

	from := readers.Get().(*bufio.Reader) //nolint:errcheck // it holds nothing else
	from.Reset(conn)
	defer func() {
		from.Reset(nil)
		readers.Put(from)
	}()
	// A server that refuses a client may have hung up before it was written to; the
	// reason can be read all the same.
	_, unsent := conn.Write(request)
	result, err := readReply(from, conn)
	switch {
	case err == nil:
		return result, nil
	case ctx.Err() != nil:
		return Result{}, fmt.Errorf("tmux socket: %w", ctx.Err())
	case isSentinel(err):
		return Result{}, err
	case unsent != nil:
		err = unsent
	}
	return Result{}, c.lost(ctx, conn.server, err)
}

// lost says what it means that a connection ended with err before the reply did.
func (c *Client) lost(ctx context.Context, from server, err error) error {
	alive := c.alive(ctx, from)
	if ctx.Err() != nil {
		return fmt.Errorf("tmux socket: %w", ctx.Err())
	}
	if alive {
		return fmt.Errorf("%w: connection lost: %w", ErrProtocol, err)
	}
	// Only a peer that closes with our bytes unread causes these; one that had read
	// them may have died of them.
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("%w: connection lost: %w", engine.ErrNoServer, err)
	}
	return fmt.Errorf("%w: it died during the call: %w", engine.ErrNoServer, ErrProtocol)
}

// alive reports whether a server still listens. A dying process may close its
// connections a moment before its socket.
func (c *Client) alive(ctx context.Context, s server) bool {
	for range 5 {
		conn, err := c.dial(ctx)
		if err != nil {
			return !errors.Is(err, engine.ErrNoServer)
		}
		conn.hangUp()
		if !conn.server.is(s) {
			return false
		}
		if core.Sleep(ctx, 10*time.Millisecond) != nil {
			break
		}
	}
	return true
}

package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"cupola/core/engine"
)

// verdict is the result of probing one server: its version, and the reason not to ask it if err is set.
type verdict struct {
	server  server
	version string
	err     error
}

// supported returns an error unless servers of this release, "3.2" to "3.7" with
// or without a letter, are known to take our requests. Development and
// distribution builds of other names may differ from any.
func supported(release string) error {
	minor, known := strings.CutPrefix(release, "3.")
	if known && len(minor) == 2 && minor[1] >= 'a' && minor[1] <= 'z' {
		minor = minor[:1]
	}
	if known && len(minor) == 1 && minor[0] >= '2' && minor[0] <= '7' {
		return nil
	}
	return fmt.Errorf("%w: %.40q", ErrVersion, release)
}

// Probe returns the version of the server, such as "3.3a". It returns the version with
// ErrVersion if it is not one from 3.2 to 3.7. It asks each server once; Run calls it if
// needed.
func (c *Client) Probe(ctx context.Context) (string, error) {
	conn, known, err := c.connect(ctx)
	if conn != nil {
		conn.hangUp()
	}
	if known == nil {
		known = &verdict{}
	}
	return known.version, err
}

// Query is Run for commands that only read. If the server's version is not known yet, the
// command is sent together with the request for the version, which saves a connection. The
// answer of an unsupported server is discarded.
func (c *Client) Query(ctx context.Context, argv []string) (Result, error) {
	if c.verdict.Load() == nil {
		if result, answered := c.introduce(ctx, argv); answered {
			return result, nil
		}
	}
	return c.Run(ctx, argv)
}

// introduce runs argv on a server that is not known yet and reaches a verdict on
// it. Where argv is not answered, Run finds out what there is to say.
func (c *Client) introduce(ctx context.Context, argv []string) (result Result, answered bool) {
	request, err := firstRequest(argv)
	if err != nil || c.lock(ctx) != nil {
		return Result{}, false
	}
	defer c.unlock()
	conn, err := c.dial(ctx)
	if err != nil {
		return Result{}, false
	}
	if c.verdict.Load() != nil {
		conn.hangUp()
		return Result{}, false
	}
	result, err = c.ask(ctx, conn, request)
	release, rest, whole := bytes.Cut(result.Stdout, []byte("\n"))
	known := &verdict{server: conn.server, version: string(release), err: err}
	switch {
	case err == nil && whole:
		known.err = supported(known.version)
	case !errors.Is(err, ErrProtocol) && !errors.Is(err, ErrVersion):
		return Result{}, false
	}
	c.verdict.Store(known)
	result.Stdout = rest
	return result, known.err == nil
}

// firstRequest returns the first request to a server that is not known: a question for its version before the command.
func firstRequest(argv []string) ([]byte, error) {
	return encodeRequest(slices.Concat(versionQuestion, []string{";"}, argv), workingDir(), os.Getpid())
}

// probe reaches a verdict on the server that listens, unless there is one. It
// returns an error only if it reached none.
func (c *Client) probe(ctx context.Context) error {
	if err := c.lock(ctx); err != nil {
		return err
	}
	defer c.unlock()
	conn, err := c.dial(ctx)
	if err != nil {
		return err
	}
	if known := c.verdict.Load(); known != nil && known.server.is(conn.server) {
		return conn.Close()
	}
	release, err := c.askVersion(ctx, conn)
	if err != nil && !errors.Is(err, ErrProtocol) && !errors.Is(err, ErrVersion) {
		return err
	}
	c.verdict.Store(&verdict{server: conn.server, version: release, err: err})
	return nil
}

// lock admits one caller to a server that is not known.
func (c *Client) lock(ctx context.Context) error {
	select {
	case c.probing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("tmux socket: %w", ctx.Err())
	}
}

func (c *Client) unlock() { <-c.probing }

var versionQuestion = []string{"display-message", "-p", "#{version}"}

// askVersion asks the server behind conn and closes conn.
func (c *Client) askVersion(ctx context.Context, conn *connection) (string, error) {
	request, err := encodeRequest(versionQuestion, "/", os.Getpid())
	if err != nil {
		conn.hangUp()
		return "", err
	}
	result, err := c.ask(ctx, conn, request)
	switch {
	case err != nil:
		return "", err
	case result.Exit != 0 || len(result.Stderr) > 0:
		return "", fmt.Errorf("%w: version: status %d: %.200q", ErrProtocol, result.Exit, result.Stderr)
	}
	release := strings.TrimSuffix(string(result.Stdout), "\n")
	return release, supported(release)
}

// ask is exchange with an unknown server, within c's timeout.
func (c *Client) ask(ctx context.Context, conn *connection, request []byte) (Result, error) {
	if !littleEndian() {
		conn.hangUp()
		return Result{}, fmt.Errorf("%w: byte order of this host", ErrVersion)
	}
	limited, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	result, err := c.exchange(limited, conn, request)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		return Result{}, fmt.Errorf("%w within %v", engine.ErrSilent, c.timeout)
	}
	return result, err
}

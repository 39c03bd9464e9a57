package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// verdict is what is known of one server: its version, and why it may not be
// asked if err is set.
type verdict struct {
	server  server
	version string
	err     error
}

// supported matches the releases whose servers are known to take our requests.
// Development and distribution builds of other names may differ from any.
var supported = regexp.MustCompile(`^3\.[2-7][a-z]?$`)

// Probe returns the version of the server, such as "3.3a", and whether it may be
// asked: ErrVersion, with the version, if it is not among those from 3.2 to 3.7.
// A server is asked once in the life of c; one that took its place is asked
// again. Run probes by itself.
func (c *Client) Probe(ctx context.Context) (string, error) {
	conn, known, err := c.connect(ctx)
	if conn != nil {
		conn.Close()
	}
	if known == nil {
		known = &verdict{}
	}
	return known.version, err
}

// probe reaches a verdict on the server that listens, unless there is one. It
// returns an error only if it reached none.
func (c *Client) probe(ctx context.Context) error {
	select {
	case c.probing <- struct{}{}:
		defer func() { <-c.probing }()
	case <-ctx.Done():
		return fmt.Errorf("tmux socket: %w", ctx.Err())
	}
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

// askVersion asks the server behind conn, within c's patience, and closes conn.
func (c *Client) askVersion(ctx context.Context, conn *connection) (string, error) {
	if !littleEndian() {
		conn.Close()
		return "", fmt.Errorf("%w: byte order of this host", ErrVersion)
	}
	request, err := encodeRequest([]string{"display-message", "-p", "#{version}"}, "/", os.Getpid())
	if err != nil {
		conn.Close()
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, c.patience)
	defer cancel()
	result, err := c.exchange(limited, conn, request)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return "", fmt.Errorf("%w: none within %v", ErrProtocol, c.patience)
	case err != nil:
		return "", err
	case result.Exit != 0 || len(result.Stderr) > 0:
		return "", fmt.Errorf("%w: version: status %d: %.200q", ErrProtocol, result.Exit, result.Stderr)
	}
	release := strings.TrimSuffix(string(result.Stdout), "\n")
	if !supported.MatchString(release) {
		return release, fmt.Errorf("%w: %.40q", ErrVersion, release)
	}
	return release, nil
}

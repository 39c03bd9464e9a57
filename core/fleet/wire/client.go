package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"cupola/core/system/private/socket"
)

// Timeouts configures the timeouts between keeper and members.
type Timeouts struct {
	// Heartbeat is the interval of heartbeats of an idle keeper; a suspended keeper holds its lock and sends
	// none.
	Heartbeat time.Duration
	// Silence is the longest time without a frame from the keeper.
	Silence time.Duration
	// Welcome is the deadline of each side's first line.
	Welcome time.Duration
	// Join is how long a member waits while another process holds the lock and does not serve yet, or any
	// more.
	Join time.Duration
	// Rejoin is how often a member that works alone retries to join.
	Rejoin time.Duration
}

// DefaultTimeouts detects a suspended keeper within eight seconds.
var DefaultTimeouts = Timeouts{
	Heartbeat: 2 * time.Second, Silence: 6 * time.Second, Welcome: 2 * time.Second,
	Join: 3 * time.Second, Rejoin: 10 * time.Second,
}

// ErrSilent means that the keeper does not answer.
var ErrSilent = errors.New("no answer from the keeper")

// Link is a member's connection to a keeper.
type Link struct {
	conn    net.Conn
	pace    Timeouts
	lines   *LineReader
	Welcome Welcome
}

// Dial connects to the keeper at a socket and exchanges Hello and Welcome. It returns ErrSilent, ErrVersion
// or ErrMalformed for an unusable keeper, and private.ErrForeign, without a word, for that of another user; any
// other error means that no keeper listens, or not yet.
func Dial(ctx context.Context, path string, g Hello, p Timeouts) (*Link, error) {
	conn, err := socket.Dial(ctx, path, p.Welcome)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	l := &Link{conn: conn, pace: p, lines: NewLineReader(conn)}
	if err := l.handshake(g); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return l, nil
}

func (l *Link) handshake(g Hello) error {
	hello, err := Encode(g)
	if err != nil {
		return err
	}
	if err := l.conn.SetDeadline(time.Now().Add(l.pace.Welcome)); err != nil {
		return err
	}
	if _, err := l.conn.Write(hello); err != nil {
		return silenced(err)
	}
	if err := l.lines.DecodeFirst(&l.Welcome); err != nil {
		return silenced(err)
	}
	return l.conn.SetDeadline(time.Time{})
}

// Next reads the next frame. It returns ErrSilent if the keeper sends nothing for too long.
func (l *Link) Next() (f Frame, err error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(l.pace.Silence)); err != nil {
		return f, err
	}
	err = silenced(l.lines.decode(&f))
	return f, err
}

// Close closes the connection.
func (l *Link) Close() error { return l.conn.Close() }

// silenced converts an expired deadline to ErrSilent.
func silenced(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrSilent, err)
	}
	return err
}

package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// Timeouts is the timeouts between keeper and members.
type Timeouts struct {
	// pulse is how often a keeper that has nothing to say shows that it is there;
	// one that was suspended holds its lock and says nothing.
	Pulse time.Duration
	// Silence is how long a keeper may say nothing at all.
	Silence time.Duration
	// welcome is how long either side may take with its first line.
	Welcome time.Duration
	// enter is how long a member waits while somebody holds the lock and does not
	// serve yet, or not any more.
	Enter time.Duration
	// knock is how often a member that works alone looks whether it need not.
	Knock time.Duration
}

// DefaultTimeouts sees a suspended keeper within eight seconds.
var DefaultTimeouts = Timeouts{
	Pulse: 2 * time.Second, Silence: 6 * time.Second, Welcome: 2 * time.Second,
	Enter: 3 * time.Second, Knock: 10 * time.Second,
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

// Dial greets the keeper at a socket. It returns ErrSilent, ErrVersion or
// ErrMalformed for one that cannot be worked with; any other error means that
// nobody is there, or not yet.
func Dial(ctx context.Context, socket string, g Greeting, p Timeouts) (*Link, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l := &Link{conn: conn, pace: p, lines: NewLineReader(conn)}
	if err := l.greet(g); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

func (l *Link) greet(g Greeting) error {
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

// Next reads the keeper's next frame. It returns ErrSilent where the keeper says nothing for
// too long.
func (l *Link) Next() (f Frame, err error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(l.pace.Silence)); err != nil {
		return f, err
	}
	return f, silenced(l.lines.decode(&f))
}

// Close hangs up.
func (l *Link) Close() error { return l.conn.Close() }

// silenced turns a deadline that passed into ErrSilent.
func silenced(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrSilent, err)
	}
	return err
}

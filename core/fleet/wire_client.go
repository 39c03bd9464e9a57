package fleet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// pace is how patient the members are with one another.
type pace struct {
	// pulse is how often a keeper that has nothing to say shows that it is there;
	// one that was suspended holds its lock and says nothing.
	pulse time.Duration
	// silence is how long a keeper may say nothing at all.
	silence time.Duration
	// welcome is how long either side may take with its first line.
	welcome time.Duration
	// enter is how long a member waits while somebody holds the lock and does not
	// serve yet, or not any more.
	enter time.Duration
	// knock is how often a member that works alone looks whether it need not.
	knock time.Duration
}

// usualPace sees a suspended keeper within eight seconds.
var usualPace = pace{pulse: 2 * time.Second, silence: 6 * time.Second, welcome: 2 * time.Second, enter: 3 * time.Second, knock: 10 * time.Second}

// errSilent means that the keeper does not answer.
var errSilent = errors.New("no answer from the keeper")

// link is a member's connection to a keeper.
type link struct {
	conn    net.Conn
	pace    pace
	lines   *lines
	welcome welcome
}

// dial greets the keeper at a socket. It returns errSilent, errVersion or
// errSpeech for one that cannot be worked with; any other error means that
// nobody is there, or not yet.
func dial(ctx context.Context, socket string, g greeting, p pace) (*link, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	l := &link{conn: conn, pace: p, lines: newLines(conn)}
	if err := l.greet(g); err != nil {
		conn.Close()
		return nil, err
	}
	return l, nil
}

func (l *link) greet(g greeting) error {
	hello, err := encode(g)
	if err != nil {
		return err
	}
	if err := l.conn.SetDeadline(time.Now().Add(l.pace.welcome)); err != nil {
		return err
	}
	if _, err := l.conn.Write(hello); err != nil {
		return silenced(err)
	}
	if err := l.lines.decodeFirst(&l.welcome); err != nil {
		return silenced(err)
	}
	return l.conn.SetDeadline(time.Time{})
}

// next reads the keeper's next frame. It returns errSilent where the keeper says nothing for
// too long.
func (l *link) next() (f frame, err error) {
	if err := l.conn.SetReadDeadline(time.Now().Add(l.pace.silence)); err != nil {
		return f, err
	}
	return f, silenced(l.lines.decode(&f))
}

// close hangs up.
func (l *link) close() error { return l.conn.Close() }

// silenced turns a deadline that passed into errSilent.
func silenced(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("%w: %w", errSilent, err)
	}
	return err
}

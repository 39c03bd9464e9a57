package scripted

import (
	"context"
	"os"
	"syscall"
	"time"
)

const (
	// escTime is how long a lone ESC waits for the rest of a sequence.
	escTime = 25 * time.Millisecond
	// orphanTime is how long a program that outlives its terminal may live.
	orphanTime = 5 * time.Minute
)

// Statuses of a program that a signal ended.
const (
	statusHangup     = 128 + int(syscall.SIGHUP)
	statusInterrupt  = 128 + int(syscall.SIGINT)
	statusTerminated = 128 + int(syscall.SIGTERM)
)

// loop connects the agent with the clock, the terminal and signals. Everything but what
// feeds its channels happens in the goroutine that runs it.
type loop struct {
	options  Options
	agent    *agent
	painter  *painter
	eventLog eventLog
	player   *player // nil without a script
	size     func() (columns, lines int)
	input    <-chan []byte
	signals  <-chan os.Signal

	decoder decoder
	held    []key     // typed before the start
	readyAt time.Time // when the banner is due
	escAt   time.Time // when a lone ESC is the Esc key
	lostAt  time.Time // when a lost terminal ends the program
}

// run serves the agent until it ends. It returns an error only if the log
// cannot be written.
func (l *loop) run(ctx context.Context) (ending, error) {
	l.readyAt = time.Now().Add(l.options.startDelay)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case p, open := <-l.input:
			l.receive(p, open)
		case s := <-l.signals:
			l.signal(s)
		case <-timer.C:
		case <-ctx.Done():
			l.agent.end(ending{reason: "cancelled", code: statusInterrupt})
		}
		next := l.advance(time.Now())
		if err := l.eventLog.write(l.agent.drain()); err != nil {
			return ending{}, err
		}
		l.paint()
		if l.agent.ended != nil {
			return *l.agent.ended, nil
		}
		timer.Stop()
		if !next.IsZero() {
			timer.Reset(time.Until(next))
		}
	}
}

// receive takes bytes from the terminal, or notes that it is gone.
func (l *loop) receive(p []byte, open bool) {
	now := time.Now()
	if !open {
		l.input = nil
		l.lostAt = now.Add(orphanTime)
		if !l.options.outlive {
			l.agent.end(ending{reason: "terminal lost", code: statusHangup})
		}
		return
	}
	l.press(now, l.decoder.feed(p))
	l.escAt = time.Time{}
	if l.decoder.pending() {
		l.escAt = now.Add(escTime)
	}
}

// press gives keys to the agent, or keeps or loses those typed before it
// is there.
func (l *loop) press(now time.Time, keys []key) {
	switch {
	case l.agent.ready:
		for _, k := range keys {
			l.agent.handle(now, k)
		}
	case !l.options.dropEarly:
		l.held = append(l.held, keys...)
	}
}

// signal acts on a signal; all but the resize end the program.
func (l *loop) signal(s os.Signal) {
	switch s {
	case syscall.SIGHUP:
		if !l.options.outlive {
			l.agent.end(ending{reason: "hangup", code: statusHangup})
		}
	case syscall.SIGINT:
		l.agent.end(ending{reason: "signal", code: statusInterrupt})
	case syscall.SIGTERM:
		l.agent.end(ending{reason: "terminated", code: statusTerminated})
	}
}

// advance does what is due, and returns when the next thing is.
func (l *loop) advance(now time.Time) time.Time {
	if !l.agent.ready && !l.readyAt.After(now) {
		l.agent.start(now)
		l.press(now, l.held)
		l.held = nil
	}
	if !l.escAt.IsZero() && !l.escAt.After(now) {
		l.escAt = time.Time{}
		l.press(now, l.decoder.flush())
	}
	if !l.lostAt.IsZero() && !l.lostAt.After(now) {
		l.agent.end(ending{reason: "terminal lost", code: statusHangup})
	}
	wake := earliest(l.escAt, l.lostAt)
	if !l.agent.ready {
		return earliest(wake, l.readyAt)
	}
	l.agent.advance(now)
	if l.player != nil {
		wake = earliest(wake, l.player.play(now, l.agent))
	}
	return earliest(wake, l.agent.next())
}

// earliest is the first of several moments; the zero ones do not count.
func earliest(moments ...time.Time) time.Time {
	var first time.Time
	for _, m := range moments {
		if first.IsZero() || (!m.IsZero() && m.Before(first)) {
			first = m
		}
	}
	return first
}

// paint draws the agent while there is a terminal. Failed writes are ignored: the input ends when the terminal is gone.
func (l *loop) paint() {
	if l.input == nil {
		return
	}
	columns, lines := l.size()
	_ = l.painter.paint(l.agent, columns, lines)
	if l.options.title {
		_ = l.painter.entitle(l.agent.title())
	}
}

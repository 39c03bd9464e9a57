package deliver

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

// leaveWaits is how long the text may stay in the composer after each Enter. A slow agent still takes the
// first one, and the others then find an empty composer.
var leaveWaits = []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond, 4 * time.Second, 4 * time.Second}

const (
	// emptyFor is how long a composer must be empty to count as such.
	emptyFor = 60 * time.Millisecond
	// brokenFor is how long an Enter must show as a line break before it is pressed again.
	brokenFor = 300 * time.Millisecond
	// unclearWait is how long an agent may show neither the text in its composer nor an empty one. Drawing a
	// first turn takes seconds on a slow machine.
	unclearWait = 15 * time.Second
)

// submission watches the text leave the composer after an Enter.
type submission struct {
	c      *delivery
	at     terminal.CaretPosition // when Enter was pressed
	empty  time.Time
	broken time.Time
	last   *terminal.Capture
}

// leave presses Enter until the text leaves the composer. The text is never typed again.
func (c *delivery) leave(ctx context.Context) (core.Outcome, error) {
	d := &submission{c: c}
	for i, limit := range leaveWaits {
		g, err := c.term.Capture(ctx)
		if err != nil {
			return "", err
		}
		disturbed := c.undisturbed(g)
		if i == 0 && disturbed != nil {
			if g, disturbed = c.settled(ctx, g); g == nil {
				return "", disturbed
			}
		}
		composer, found := g.Reading.Composer()
		switch {
		case i == 0 && disturbed != nil:
			return "", disturbed
		case i == 0 && found && !holds(composer, c.text):
			return "", unconfirmedError{"the composer changed before Enter was pressed; " + c.inComposer(g)}
		case i > 0 && (disturbed != nil || !found || !holds(composer, c.text)):
			// The text left, or a dialog opened, since the last capture.
			return d.outcome(ctx, limit)
		}
		d.at = g.CaretIn(composer)
		if err := c.press(ctx); err != nil {
			return "", err
		}
		outcome, err := d.outcome(ctx, limit)
		if !errors.Is(err, terminal.ErrLate) {
			return outcome, err
		}
	}
	return "", unconfirmedError{fmt.Sprintf("the text did not leave the composer after %d times Enter; above it: %q",
		c.enters, d.above())}
}

// outcome waits for the effect of an Enter. It returns ErrLate if the text stays in the composer.
func (d *submission) outcome(ctx context.Context, limit time.Duration) (core.Outcome, error) {
	found, err := d.watch(ctx, limit)
	for end := time.Now().Add(unclearWait); errors.Is(err, terminal.ErrLate) && !d.stays() && time.Now().Before(end); {
		found, err = d.watch(ctx, limit)
	}
	switch {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return "", unconfirmedError{"it was cancelled after Enter; " + d.c.inComposer(d.last)}
	case !errors.Is(err, terminal.ErrLate):
		return d.ended(err)
	}
	if d.stays() && !d.last.Screen.View.InMode {
		return "", terminal.ErrLate
	}
	if _, err := d.c.term.Inspect(ctx); err != nil {
		return d.ended(err)
	}
	return d.unclear()
}

// watch captures until the text has left, or returns ErrLate.
func (d *submission) watch(ctx context.Context, limit time.Duration) (found core.Outcome, err error) {
	d.empty, d.broken = time.Time{}, time.Time{}
	err = d.c.term.Until(ctx, limit, func(g *terminal.Capture) (bool, error) {
		d.last = g
		found, err = d.read(g)
		return found != "" || err != nil, err
	})
	return found, err
}

// stays reports whether the last capture had the text in the composer.
func (d *submission) stays() bool {
	composer, there := d.last.Reading.Composer()
	return there && holds(composer, d.c.text)
}

// read reports from one capture whether the text has left; the empty outcome is not yet.
func (d *submission) read(g *terminal.Capture) (core.Outcome, error) {
	if block, blocked := g.Reading.Blocked(); blocked {
		if d.c.running && !g.Shows(d.c.text) {
			return "", unconfirmedError{terminal.DialogOpen(block) +
				" since Enter was pressed; the composer may hold the text"}
		}
		d.c.note("the text left the composer; %s", terminal.DialogOpen(block))
		return d.taken(g), nil
	}
	composer, found := g.Reading.Composer()
	switch {
	case !found:
		return "", nil
	case composer.Draft == "":
		if d.empty.IsZero() {
			d.empty = time.Now()
		}
		if time.Since(d.empty) < emptyFor {
			return "", nil
		}
		d.c.note("the text left the composer")
		return d.taken(g), nil
	case holds(composer, d.c.text) && g.CaretIn(composer) != d.at:
		if d.broken.IsZero() {
			d.broken = time.Now()
		}
		if time.Since(d.broken) >= brokenFor {
			return "", terminal.ErrLate
		}
		d.empty = time.Time{}
	default:
		d.empty, d.broken = time.Time{}, time.Time{}
	}
	return "", nil
}

// taken returns the outcome of a text that has left, depending on what ran before.
func (d *submission) taken(g *terminal.Capture) core.Outcome {
	working, works := g.Reading.Working()
	if works {
		d.c.note("%s", terminal.Matched(working))
	}
	queued, waits := g.Reading.Queued()
	// Some queue while they start, and appear idle meanwhile.
	waits = waits && (d.c.running || !works)
	if waits {
		d.c.note("%s", terminal.Matched(queued))
	}
	switch {
	case !d.c.running && !waits && d.c.behind && !works:
		d.c.note("its record lacks the end of the turn before")
	case !d.c.running && !waits && !d.c.behind:
		return core.Delivered
	case d.c.running && d.c.steers():
		return core.Steered
	}
	return core.Queued
}

// ended is the outcome if the agent ended after Enter, as commands such as /exit do.
func (d *submission) ended(err error) (core.Outcome, error) {
	if !strings.HasPrefix(d.c.text, "/") {
		return "", err
	}
	d.c.note("the agent ended after Enter: %s", reason(err))
	return core.Delivered, nil
}

// unclear is the outcome if the composer shows neither the text nor is empty.
func (d *submission) unclear() (core.Outcome, error) {
	composer, there := d.last.Reading.Composer()
	switch {
	case there && !begins(composer, d.c.text) && d.last.Shows(d.c.text):
		d.c.note("the text is in the transcript; %s", d.c.inComposer(d.last))
		return d.taken(d.last), nil
	case !there && strings.HasPrefix(d.c.text, "/"):
		d.c.note("the command put something in the composer's place: %q", d.last.LastLine())
		return core.Delivered, nil
	}
	return "", unconfirmedError{"it is not clear what Enter did; " + d.c.inComposer(d.last)}
}

// above returns the line above the composer, where agents show errors.
func (d *submission) above() string {
	composer, found := d.last.Reading.Composer()
	if !found {
		return ""
	}
	lines := d.last.Screen.Lines
	for i := min(composer.Top, len(lines)) - 1; i >= 0; i-- {
		line := terminal.Attributes().ReplaceAllString(lines[i], "")
		if letters := agent.Squeeze(line); len(letters) > 2 {
			return core.Excerpt(line)
		}
	}
	return ""
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"cupola/core/agent"
)

// leaveWaits is how long the text may stay in the composer after each Enter.
// An agent that is merely slow takes the first one yet, and the others then
// find an empty composer.
var leaveWaits = []time.Duration{1500 * time.Millisecond, 2500 * time.Millisecond, 4 * time.Second, 4 * time.Second}

const (
	// emptyFor is how long a composer must stay empty to count as such.
	emptyFor = 60 * time.Millisecond
	// brokenFor is how long an Enter must have been seen as a line break before
	// it is pressed again.
	brokenFor = 300 * time.Millisecond
	// unclearWait is how long an agent may show neither the text in its composer
	// nor an empty one. Drawing a first turn takes seconds on a slow machine.
	unclearWait = 15 * time.Second
)

// departure watches the text leave the composer after an Enter.
type departure struct {
	c      *courier
	at     caretPlace // when Enter was pressed
	empty  time.Time
	broken time.Time
	last   *glance
}

// caretPlace is where the cursor is in a composer, and how many rows that has.
type caretPlace struct{ row, column, rows int }

func (g *glance) caretIn(composer agent.Composer) caretPlace {
	at := g.screen.View.Cursor
	return caretPlace{at.Y - composer.Top, at.X, composer.Bottom - composer.Top}
}

// leave presses Enter until the text leaves the composer. The text is never
// typed again.
func (c *courier) leave(ctx context.Context) (Outcome, error) {
	d := &departure{c: c}
	for i, limit := range leaveWaits {
		g, err := c.peek(ctx)
		if err != nil {
			return "", err
		}
		composer, found := g.reading.Composer()
		disturbed := c.undisturbed(g)
		switch {
		case i == 0 && disturbed != nil:
			return "", disturbed
		case i == 0 && found && !holds(composer, c.text):
			return "", doubt{"the composer changed before Enter was pressed; " + c.inComposer(g)}
		case i > 0 && (disturbed != nil || !found || !holds(composer, c.text)):
			// It left, or something came up, since the last look.
			return d.outcome(ctx, limit)
		}
		d.at = g.caretIn(composer)
		if err := c.press(ctx); err != nil {
			return "", err
		}
		outcome, err := d.outcome(ctx, limit)
		if !errors.Is(err, errLate) {
			return outcome, err
		}
	}
	return "", doubt{fmt.Sprintf("the text did not leave the composer after %d times Enter; above it: %q", c.enters, d.above())}
}

// outcome waits for what an Enter does. It returns errLate where the text stays
// in the composer.
func (d *departure) outcome(ctx context.Context, limit time.Duration) (Outcome, error) {
	found, err := d.watch(ctx, limit)
	for end := time.Now().Add(unclearWait); errors.Is(err, errLate) && !d.stays() && time.Now().Before(end); {
		found, err = d.watch(ctx, limit)
	}
	switch {
	case err == nil:
		return found, nil
	case ctx.Err() != nil:
		return "", doubt{"it was cancelled after Enter; " + d.c.inComposer(d.last)}
	case !errors.Is(err, errLate):
		return d.over(err)
	}
	if d.stays() && !d.last.screen.View.InMode {
		return "", errLate
	}
	if _, err := d.c.see(ctx); err != nil {
		return d.over(err)
	}
	return d.unclear()
}

// watch looks until the text has left, or returns errLate.
func (d *departure) watch(ctx context.Context, limit time.Duration) (found Outcome, err error) {
	d.empty, d.broken = time.Time{}, time.Time{}
	err = d.c.until(ctx, limit, func(g *glance) (bool, error) {
		d.last = g
		found, err = d.read(g)
		return found != "" || err != nil, err
	})
	return found, err
}

// stays reports whether the last look saw the text in the composer.
func (d *departure) stays() bool {
	composer, there := d.last.reading.Composer()
	return there && holds(composer, d.c.text)
}

// read tells from one look whether the text has left; the empty outcome is not
// yet.
func (d *departure) read(g *glance) (Outcome, error) {
	if block, blocked := g.reading.Blocked(); blocked {
		if d.c.running && !g.shows(d.c.text) {
			return "", doubt{dialogOpen(block) + " since Enter was pressed; the composer may hold the text"}
		}
		d.c.note("the text left the composer; %s", dialogOpen(block))
		return d.taken(g), nil
	}
	composer, found := g.reading.Composer()
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
	case holds(composer, d.c.text) && g.caretIn(composer) != d.at:
		if d.broken.IsZero() {
			d.broken = time.Now()
		}
		if time.Since(d.broken) >= brokenFor {
			return "", errLate
		}
		d.empty = time.Time{}
	default:
		d.empty, d.broken = time.Time{}, time.Time{}
	}
	return "", nil
}

// taken names the outcome of a text that has left, by what ran before.
func (d *departure) taken(g *glance) Outcome {
	working, works := g.reading.Working()
	if works {
		d.c.note("%s", matched(working))
	}
	queued, waits := g.reading.Queued()
	// Some queue while they start, and seem idle meanwhile.
	waits = waits && (d.c.running || !works)
	if waits {
		d.c.note("%s", matched(queued))
	}
	switch {
	case !d.c.running && !waits && d.c.behind && !works:
		d.c.note("its record lacks the end of the turn before")
	case !d.c.running && !waits && !d.c.behind:
		return Delivered
	case d.c.steers():
		return Steered
	}
	return Queued
}

// over is the outcome where the agent ended after Enter: commands such as /exit
// do that.
func (d *departure) over(err error) (Outcome, error) {
	if !strings.HasPrefix(d.c.text, "/") {
		return "", err
	}
	d.c.note("the agent ended after Enter: %s", reason(err))
	return Delivered, nil
}

// unclear is the outcome where the composer shows neither the text nor nothing.
func (d *departure) unclear() (Outcome, error) {
	composer, there := d.last.reading.Composer()
	switch {
	case there && !begins(composer, d.c.text) && d.last.shows(d.c.text):
		d.c.note("the text is in the transcript; %s", d.c.inComposer(d.last))
		return d.taken(d.last), nil
	case !there && strings.HasPrefix(d.c.text, "/"):
		d.c.note("the command put something in the composer's place: %q", d.last.lastLine())
		return Delivered, nil
	}
	return "", doubt{"it is not clear what Enter did; " + d.c.inComposer(d.last)}
}

// above is the line above the composer, where agents complain.
func (d *departure) above() string {
	composer, found := d.last.reading.Composer()
	if !found {
		return ""
	}
	lines := d.last.screen.Lines
	for i := min(composer.Top, len(lines)) - 1; i >= 0; i-- {
		line := attributes().ReplaceAllString(lines[i], "")
		if letters := agent.Squeeze(line); len(letters) > 2 {
			return excerpt(line)
		}
	}
	return ""
}

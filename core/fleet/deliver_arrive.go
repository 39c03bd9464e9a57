package fleet

import (
	"context"
	"errors"
	"time"

	"cupola/core/agent"
)

const (
	// arriveWait is how long a paste may take to be seen, and arriveMore what
	// every 10 kB add to that.
	arriveWait = 8 * time.Second
	arriveMore = time.Second
	// settleRounds is how often a composer may still change before Enter.
	settleRounds = 5
)

// arrive waits until the composer holds the text.
func (c *courier) arrive(ctx context.Context) error {
	limit := arriveWait + time.Duration(len(c.text)/10_000)*arriveMore
	var last *glance
	err := c.until(ctx, limit, func(g *glance) (bool, error) {
		last = g
		if err := c.undisturbed(g); err != nil {
			return false, err
		}
		composer, found := g.reading.Composer()
		if !found || !holds(composer, c.text) {
			return false, nil
		}
		c.shown = agent.Squeeze(composer.Draft)
		return true, nil
	})
	if errors.Is(err, errLate) {
		return doubt{"the text was not seen to arrive, so Enter was not pressed; " + c.inComposer(last)}
	}
	return err
}

// undisturbed returns a doubt where Enter would not go to the composer.
func (c *courier) undisturbed(g *glance) error {
	if g.screen.View.InMode {
		return doubt{"somebody began to scroll back, so Enter was not pressed; the composer may hold the text"}
	}
	if block, blocked := g.reading.Blocked(); blocked {
		return doubt{dialogOpen(block) + " since the text was typed, so Enter was not pressed; the composer may hold the text"}
	}
	return nil
}

// settleDraft waits the time that the agent needs between a paste and Enter,
// and looks once more whether Enter would submit the text and nothing else.
func (c *courier) settleDraft(ctx context.Context) error {
	for range settleRounds {
		if err := rest(ctx, c.kind.Typing.Settle); err != nil {
			return err
		}
		g, err := c.peek(ctx)
		if err == nil {
			err = c.undisturbed(g)
		}
		if err != nil {
			return err
		}
		_, c.running = g.reading.Running()
		composer, found := g.reading.Composer()
		before := c.shown
		c.shown = agent.Squeeze(composer.Draft)
		switch {
		case !found:
			c.shown = before
		case !holds(composer, c.text):
			return doubt{"the composer changed before Enter was pressed; " + c.inComposer(g)}
		case c.shown == before:
			return nil
		}
	}
	return doubt{"the composer went on changing, so Enter was not pressed"}
}

// inComposer says what the composer holds.
func (c *courier) inComposer(g *glance) string {
	if g == nil || g.reading == nil {
		return ""
	}
	composer, found := g.reading.Composer()
	switch {
	case !found:
		return "no composer is seen; the last line is " + quoted(g.lastLine())
	case composer.Draft == "":
		return "the composer is empty"
	}
	return "the composer holds " + quoted(excerpt(composer.Draft))
}

func quoted(text string) string { return `"` + text + `"` }

package fleet

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	// plainSettle is the least time between text and Enter, and plainWait how
	// long the screen is watched after each.
	plainSettle = 50 * time.Millisecond
	plainWait   = time.Second
)

// typePlainly types text where no rule reads the screen. A program of the
// user's own may rightly show nothing of it, so there it counts as delivered
// once it is typed; an agent without rules must at least change its screen.
func (c *courier) typePlainly(ctx context.Context, before *glance, rests *leftovers) (Outcome, error) {
	before, err := (lineWriter{c}).free(ctx, before, rests)
	if err != nil {
		return "", err
	}
	if err := c.paste(ctx); err != nil {
		return "", err
	}
	arrived, err := c.changes(ctx, before)
	if err != nil {
		return "", err
	}
	if c.noEnter {
		c.note("the text was typed as it is; %s", seen(arrived != nil))
		return Typed, nil
	}
	settle := plainSettle
	if c.kind != nil {
		settle = max(settle, c.kind.Typing.Settle)
	}
	if err := rest(ctx, settle); err != nil {
		return "", err
	}
	before, err = c.peek(ctx)
	if err != nil {
		return "", err
	}
	if before.screen.View.InMode {
		return "", doubt{"somebody began to scroll back, so Enter was not pressed"}
	}
	if err := c.press(ctx); err != nil {
		return "", err
	}
	changed, err := c.changes(ctx, before)
	switch {
	case err != nil && c.kind == nil:
		c.note("the text was typed as it is; %s after Enter", reason(err))
		return Delivered, nil
	case err != nil:
		return "", err
	case c.kind != nil && arrived == nil && changed == nil:
		return "", doubt{"the screen changed neither at the text nor at Enter"}
	}
	c.note("the text was typed as it is, by no rule but the screen; %s after Enter", seen(changed != nil))
	return Delivered, nil
}

// changes waits for the screen to differ from an earlier look; it returns nil
// if it does not.
func (c *courier) changes(ctx context.Context, before *glance) (*glance, error) {
	var after *glance
	err := c.until(ctx, plainWait, func(g *glance) (bool, error) {
		if !g.differs(before) {
			return false, nil
		}
		after = g
		return true, nil
	})
	if errors.Is(err, errLate) {
		err = nil
	}
	return after, err
}

// differs reports whether a screen is not what it was.
func (g *glance) differs(before *glance) bool {
	return !slices.Equal(g.screen.Lines, before.screen.Lines) || g.screen.View.Cursor != before.screen.View.Cursor
}

func seen(changed bool) string {
	if changed {
		return "the screen changed"
	}
	return "the screen did not change"
}

package deliver

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/fleet/terminal"
)

const (
	// plainSettle is the least time between text and Enter, and plainWait how long to watch the screen after
	// each.
	plainSettle = 50 * time.Millisecond
	plainWait   = time.Second
)

// typePlainly types text into a pane without screen rules. A program that does not show the text may take it for
// something else, so Enter is not pressed there unless forced, and nothing counts as delivered.
func (c *delivery) typePlainly(ctx context.Context, before *terminal.Capture, rests *leftovers) (core.Outcome, error) {
	before, err := c.freeLine(ctx, before, rests)
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
		return core.Typed, nil
	}
	if arrived == nil && !c.force {
		c.unseen = true
		c.note("the screen did not change, so it is not known what took the text, and Enter was not pressed")
		return core.Typed, nil
	}
	settle := plainSettle
	if c.term.Kind != nil {
		settle = max(settle, c.term.Kind.Typing.Settle)
	}
	if err := core.Sleep(ctx, settle); err != nil {
		return "", err
	}
	before, err = c.term.Capture(ctx)
	if err != nil {
		return "", err
	}
	if before.Screen.View.InMode {
		return "", unconfirmedError{"the user began to scroll back, so Enter was not pressed"}
	}
	if err := c.press(ctx); err != nil {
		return "", err
	}
	changed, err := c.changes(ctx, before)
	switch {
	case err != nil && c.term.Kind == nil && arrived != nil:
		c.note("the text was typed as it is; %s after Enter", reason(err))
		return core.Delivered, nil
	case err != nil:
		return "", err
	case arrived == nil:
		c.unseen = true
		c.note("the text was typed as it is; %s at the text, and %s after Enter", seen(false), seen(changed != nil))
		return core.Typed, nil
	}
	c.note("the text was typed as it is, by no rule but the screen; %s after Enter", seen(changed != nil))
	return core.Delivered, nil
}

// changes waits until the screen differs from an earlier capture; nil if it does not.
func (c *delivery) changes(ctx context.Context, before *terminal.Capture) (*terminal.Capture, error) {
	var after *terminal.Capture
	_, err := c.term.Sees(ctx, plainWait, func(g *terminal.Capture) bool {
		if g.Differs(before) {
			after = g
		}
		return after != nil
	})
	return after, err
}

func seen(changed bool) string {
	if changed {
		return "the screen changed"
	}
	return "the screen did not change"
}

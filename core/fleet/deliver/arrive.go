package deliver

import (
	"context"
	"errors"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
	"cupola/core/system/process"
)

const (
	// arriveWait is how long a paste may take to appear, and arriveMore the addition per 10 kB.
	arriveWait = 8 * time.Second
	arriveMore = time.Second
	// readWait is how much longer a program may take that has not even read what was typed.
	readWait = 30 * time.Second
	// settleRounds is how often a composer may change before Enter.
	settleRounds = 5
)

// errBehind means that the text is in the composer behind an earlier prompt, which arrived late.
var errBehind = errors.New("an earlier prompt arrived in front of the text")

// pasteAgain clears the composer, which holds the text behind earlier prompts, and pastes the text alone.
func (c *delivery) pasteAgain(ctx context.Context, stuck []string) error {
	c.note("an earlier prompt arrived late, in front of the text; both were cleared")
	if err := c.clearDraft(ctx); err != nil {
		return err
	}
	if err := c.paste(ctx); err != nil {
		return err
	}
	err := c.arrive(ctx, stuck)
	if errors.Is(err, errBehind) {
		return unconfirmedError{"earlier prompts keep arriving in front of the text, so Enter was not pressed"}
	}
	return err
}

// arrive waits until the composer holds the text. It returns errBehind if one of the stuck prompts, which were typed
// earlier and not seen to arrive, is in front of the text.
func (c *delivery) arrive(ctx context.Context, stuck []string) error {
	limit := arriveWait + time.Duration(len(c.text)/10_000)*arriveMore
	var last *terminal.Capture
	seen := func(g *terminal.Capture) (bool, error) {
		last = g
		g, err := c.settled(ctx, g)
		if err != nil {
			return false, err
		}
		last = g
		composer, found := g.Reading.Composer()
		if found && isBehind(composer.Draft, c.text, stuck) {
			return false, errBehind
		}
		if !found || !holds(composer, c.text) {
			return false, nil
		}
		c.shown = agent.Squeeze(composer.Draft)
		return true, nil
	}
	err := c.term.Until(ctx, limit, seen)
	if errors.Is(err, terminal.ErrLate) && c.unread(ctx) && limit < readWait {
		limit = readWait
		err = c.term.Until(ctx, limit, seen)
	}
	if errors.Is(err, terminal.ErrLate) {
		return unconfirmedError{"the text was not seen to arrive, so Enter was not pressed; " + c.inComposer(last)}
	}
	return err
}

// unread reports whether the program has not read all that was typed.
func (c *delivery) unread(ctx context.Context) bool {
	row, err := c.term.Row(ctx)
	if err != nil || row.TTY == "" {
		return false
	}
	n, err := process.Unread(row.TTY)
	return err == nil && n > 0
}

// isBehind reports whether a draft is a text with nothing but stuck prompts before it.
func isBehind(draft, text string, stuck []string) bool {
	before, is := strings.CutSuffix(agent.Squeeze(draft), agent.Squeeze(text))
	return is && consistsOf(before, stuck)
}

// undisturbed returns an error if Enter would not go to the composer.
func (c *delivery) undisturbed(g *terminal.Capture) error {
	if g.Screen.View.InMode {
		return unconfirmedError{"the user began to scroll back, so Enter was not pressed; the composer may hold the " +
			"text"}
	}
	if block, blocked := g.Reading.Blocked(); blocked {
		return unconfirmedError{terminal.DialogOpen(block) +
			" since the text was typed, so Enter was not pressed; the composer may hold the text"}
	}
	return nil
}

// settled returns the capture, or a later one if it shows a dialog that does not last: a screen that is being drawn may
// look like one. It fails as undisturbed does.
func (c *delivery) settled(ctx context.Context, g *terminal.Capture) (*terminal.Capture, error) {
	for end := time.Now().Add(drawPatience); ; {
		err := c.undisturbed(g)
		if err == nil || g.Screen.View.InMode || !time.Now().Before(end) {
			return g, err
		}
		if err := core.Sleep(ctx, terminal.PollLast); err != nil {
			return nil, err
		}
		if g, err = c.term.Capture(ctx); err != nil {
			return nil, err
		}
	}
}

// settleDraft waits as long as the agent needs between a paste and Enter, and checks again that Enter would
// submit the text and nothing else.
func (c *delivery) settleDraft(ctx context.Context) error {
	for range settleRounds {
		if err := core.Sleep(ctx, c.term.Kind.Typing.Settle); err != nil {
			return err
		}
		g, err := c.term.Capture(ctx)
		if err == nil {
			g, err = c.settled(ctx, g)
		}
		if err != nil {
			return err
		}
		_, c.running = g.Reading.Running()
		composer, found := g.Reading.Composer()
		before := c.shown
		c.shown = agent.Squeeze(composer.Draft)
		switch {
		case !found:
			c.shown = before
		case !holds(composer, c.text):
			return unconfirmedError{"the composer changed before Enter was pressed; " + c.inComposer(g)}
		case c.shown == before:
			return nil
		}
	}
	return unconfirmedError{"the composer kept changing, so Enter was not pressed"}
}

// inComposer describes the content of the composer.
func (c *delivery) inComposer(g *terminal.Capture) string {
	if g == nil || g.Reading == nil {
		return ""
	}
	composer, found := g.Reading.Composer()
	switch {
	case !found:
		return "no composer is seen; the last line is " + quoted(g.LastLine())
	case composer.Draft == "":
		return "the composer is empty"
	}
	return "the composer holds " + quoted(core.Excerpt(composer.Draft))
}

func quoted(text string) string { return `"` + text + `"` }

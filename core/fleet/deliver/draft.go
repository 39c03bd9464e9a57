package deliver

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

const (
	// clearRounds limits how often a draft is cleared, clearWait how long each attempt may take to show.
	clearRounds = 6
	clearWait   = time.Second
)

// holds reports whether a composer holds a text. The composer must have been empty before: a paste shown as a
// count is taken for the text.
func holds(composer agent.Composer, text string) bool {
	shown, want := agent.Squeeze(composer.Draft), agent.Squeeze(text)
	switch {
	case composer.Collapsed, shown == want:
		return composer.Draft != ""
	case len(shown) >= terminal.PartMin:
		return strings.Contains(want, shown)
	}
	return false
}

// begins reports whether a draft has the beginning of a text, so that it may be the text with its last word
// completed by a menu.
func begins(composer agent.Composer, text string) bool {
	shown, want := agent.Squeeze(composer.Draft), agent.Squeeze(text)
	same := 0
	for same < min(len(shown), len(want)) && shown[same] == want[same] {
		same++
	}
	return same > 0 && same >= min(terminal.PartMin, len(want)/2)
}

// clearDraft empties the composer. It refuses if the draft remains.
func (c *delivery) clearDraft(ctx context.Context) error {
	if len(c.term.Kind.Keys.Clear) == 0 {
		return refuse(terminal.WhyDraft, "no key is known that clears the draft of "+c.term.Kind.Name)
	}
	was := ""
	for range clearRounds {
		g, err := c.term.Inspect(ctx)
		if err == nil {
			err = c.judge(g, true)
		}
		if err != nil {
			return err
		}
		composer, _ := g.Reading.Composer()
		if composer.Draft == "" {
			if was != "" {
				c.note("the draft %q was cleared", core.Excerpt(was))
			}
			return nil
		}
		was = cmp.Or(was, composer.Draft)
		var keys []string
		for range composer.Bottom - composer.Top + 2 {
			keys = append(keys, c.term.Kind.Keys.Clear...)
		}
		if err := c.term.Press(ctx, keys...); err != nil {
			return err
		}
		if err := c.term.Until(ctx, clearWait, func(g *terminal.Capture) (bool, error) {
			now, found := g.Reading.Composer()
			return found && now.Draft == "", nil
		}); err != nil && !errors.Is(err, terminal.ErrLate) {
			return err
		}
	}
	return refuse(terminal.WhyDraft, "the draft could not be cleared")
}

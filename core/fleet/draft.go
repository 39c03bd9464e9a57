package fleet

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"cupola/core/agent"
)

const (
	// partMin is how many characters of a prompt must be seen where its composer
	// is too small to show all of it.
	partMin = 12
)

const (
	// clearRounds bounds how often a draft is cleared, clearWait how long each
	// time may take to be seen.
	clearRounds = 6
	clearWait   = time.Second
)

// holds reports whether a composer holds a text. It must have been empty before
// the text was typed: a paste shown as a count is taken for it.
func holds(composer agent.Composer, text string) bool {
	shown, want := agent.Squeeze(composer.Draft), agent.Squeeze(text)
	switch {
	case composer.Collapsed, shown == want:
		return composer.Draft != ""
	case len(shown) >= partMin:
		return strings.Contains(want, shown)
	}
	return false
}

// begins reports whether a draft begins as a text does, so that it may be the text with
// its last word completed by a menu.
func begins(composer agent.Composer, text string) bool {
	shown, want := agent.Squeeze(composer.Draft), agent.Squeeze(text)
	same := 0
	for same < min(len(shown), len(want)) && shown[same] == want[same] {
		same++
	}
	return same > 0 && same >= min(partMin, len(want)/2)
}

// excerpt is the beginning of a text, on one line.
func excerpt(text string) string {
	const most = 60
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// clearDraft empties the composer. It refuses where the draft does not go away.
func (c *courier) clearDraft(ctx context.Context) error {
	if len(c.kind.Keys.Clear) == 0 {
		return refusal{whyDraft, "no key is known that clears the draft of " + c.kind.Name}
	}
	was := ""
	for range clearRounds {
		g, err := c.see(ctx)
		if err == nil {
			err = c.judge(g, true)
		}
		if err != nil {
			return err
		}
		composer, _ := g.reading.Composer()
		if composer.Draft == "" {
			if was != "" {
				c.note("the draft %q was cleared", excerpt(was))
			}
			return nil
		}
		was = cmp.Or(was, composer.Draft)
		var keys []string
		for range composer.Bottom - composer.Top + 2 {
			keys = append(keys, c.kind.Keys.Clear...)
		}
		if err := c.engine.Press(ctx, c.pane.ID, keys...); err != nil {
			return err
		}
		if err := c.until(ctx, clearWait, func(g *glance) (bool, error) {
			now, found := g.reading.Composer()
			return found && now.Draft == "", nil
		}); err != nil && !errors.Is(err, errLate) {
			return err
		}
	}
	return refusal{whyDraft, "the draft could not be cleared"}
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cupola/core/agent"
)

const (
	// leftoverWait is how long what a killed process typed may take to be drawn.
	leftoverWait = 2 * time.Second
	// leftoverAgain is after what time a prompt must still be open to count as one
	// whose process ended, where no lock tells.
	leftoverAgain = 500 * time.Millisecond
)

// leftover is a prompt whose process ended before it pressed Enter or, where why says so,
// one that stands in the composer for another reason.
type leftover struct {
	prompt Prompt
	why    string
}

// leftovers finds what killed processes left in the pane of a courier.
type leftovers struct {
	c *courier
	// orphaned is true where a process that typed there before was killed.
	orphaned bool
}

// behind returns the prompt of another process that ended half way and left what
// a look shows; nil if there is none. It must be called under the pane's lock: who
// typed before and goes on holds it.
func (l *leftovers) behind(ctx context.Context, g *glance) *leftover {
	found := l.among(l.unfinished(ctx), g)
	if found == nil || l.orphaned {
		return found
	}
	// Who released the lock a moment ago may be about to say what became of it.
	if rest(ctx, leftoverAgain) != nil {
		return nil
	}
	return l.among(l.unfinished(ctx), g)
}

// inComposer is behind for a composer that holds a draft.
func (l *leftovers) inComposer(ctx context.Context, g *glance) *leftover {
	if g.reading == nil {
		return nil
	}
	composer, _ := g.reading.Composer()
	if composer.Draft == "" {
		return nil
	}
	if left := l.behind(ctx, g); left != nil {
		return left
	}
	return l.returned(ctx, composer)
}

// returnedMost is how many prompts back one may come from that stands in a composer again.
const returnedMost = 5

// returned returns the prompt that an agent put back into its composer, all of it, when
// the turn was stopped before it had begun or its dialog was rejected, or that never left it.
func (l *leftovers) returned(ctx context.Context, composer agent.Composer) *leftover {
	if l.c.journal == nil {
		return nil
	}
	for _, of := range []struct {
		why     string
		prompts func(context.Context, PaneRef, time.Time) ([]string, error)
	}{
		{"which the agent had given back when its turn was stopped", l.c.journal.Asked},
		{"which nobody saw leave the composer", l.c.journal.Unconfirmed},
	} {
		given, err := of.prompts(ctx, Ref(l.c.pane), l.c.pane.Agent.Started)
		if err != nil {
			l.c.log.Warn("what an agent was asked is not known", "pane", l.c.pane.Address(), "error", err)
		}
		for _, text := range given[:min(returnedMost, len(given))] {
			if agent.Squeeze(composer.Draft) == agent.Squeeze(text) || composer.Collapsed && countsOf(composer.Draft, text) {
				return &leftover{prompt: Prompt{Text: text}, why: of.why}
			}
		}
	}
	return nil
}

// unfinished are the prompts of others that are open at this pane, the newest first.
func (l *leftovers) unfinished(ctx context.Context) []Prompt {
	if l.c.journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, journalWithin)
	defer cancel()
	open, err := l.c.journal.Unfinished(ctx, Ref(l.c.pane))
	if err != nil {
		l.c.log.Warn("which prompts are unfinished is not known", "pane", l.c.pane.Address(), "error", err)
		return nil
	}
	var others []Prompt
	for i := range open {
		if open[i].ID != l.c.id {
			others = append(others, open[i])
		}
	}
	return others
}

// among returns which of some prompts a look shows; nil if it shows none.
func (l *leftovers) among(open []Prompt, g *glance) *leftover {
	for i := range open {
		shown := false
		if g.reading != nil {
			composer, there := g.reading.Composer()
			shown = there && isLeftover(composer, open[i].Text)
		} else {
			shown = g.endsWith(open[i].Text)
		}
		if shown {
			return &leftover{prompt: open[i]}
		}
	}
	return nil
}

// isLeftover reports whether a draft is a text, its beginning, its end or, where a
// composer shows only a part, that part.
func isLeftover(composer agent.Composer, text string) bool {
	shown, want := agent.Squeeze(composer.Draft), agent.Squeeze(text)
	switch {
	case composer.Draft == "":
		return false
	case composer.Collapsed:
		return countsOf(composer.Draft, text)
	case shown == want:
		return true
	}
	return len(shown) >= partMin && strings.Contains(want, shown)
}

// countsOf reports whether what stands for a paste names the number of lines or
// characters of a text.
func countsOf(shown, text string) bool {
	lines := strings.Count(text, "\n")
	for _, word := range strings.FieldsFunc(shown, func(r rune) bool { return r < '0' || r > '9' }) {
		switch n, err := strconv.Atoi(word); {
		case err != nil:
		case n > 1 && (n == lines || n == lines+1), n > partMin && (n == len(text) || n == utf8.RuneCountInString(text)):
			return true
		}
	}
	return false
}

// endsWith reports whether a text, or its last line, stands before the cursor, as
// what was typed at a prompt does.
func (g *glance) endsWith(text string) bool {
	line, found := agent.CursorLine(g.screen)
	if !found {
		return false
	}
	rows := strings.Split(text, "\n")
	lastRow := rows[len(rows)-1]
	if len(rows) > 1 {
		if want := agent.Squeeze(text); len(want) >= partMin && strings.HasSuffix(g.upToCursor(), want) {
			return true
		}
	}
	before := strings.TrimRight(line.Before, " ")
	head, typed := strings.CutSuffix(before, strings.TrimRight(lastRow, " "))
	if !typed || strings.TrimSpace(lastRow) == "" {
		// A long line is wrapped at a place of the terminal's own.
		want := agent.Squeeze(lastRow)
		return len(want) >= partMin && strings.HasSuffix(agent.Squeeze(line.Before), want)
	}
	entry, _ := agent.Line{Before: head}.Entry()
	return entry == agent.EntryEmpty || entry == agent.EntryLikelyEmpty || len(agent.Squeeze(lastRow)) >= partMin
}

// upToCursor is what the screen shows up to the cursor, squeezed.
func (g *glance) upToCursor() string {
	lines, row := g.screen.Lines, len(g.screen.Lines)-g.screen.View.Height+g.screen.View.Cursor.Y
	line, _ := agent.CursorLine(g.screen)
	above := strings.Join(lines[:min(max(row, 0), len(lines))], "")
	return agent.Squeeze(attributes().ReplaceAllString(above, "")) + agent.Squeeze(line.Before)
}

// await waits, where a killed process held the lock, for what it typed to be
// drawn: a program that is slow shows it after the process has ended.
func (l *leftovers) await(ctx context.Context) error {
	if !l.orphaned {
		return nil
	}
	open := l.unfinished(ctx)
	err := l.c.until(ctx, leftoverWait, func(g *glance) (bool, error) {
		if l.among(open, g) != nil {
			return true, nil
		}
		if g.reading == nil {
			s := lineWriter{l.c}.read(g)
			return s.entry == agent.EntryTyped, nil
		}
		composer, _ := g.reading.Composer()
		return composer.Draft != "" && !l.partOf(open, composer), nil
	})
	if errors.Is(err, errLate) {
		return nil
	}
	return err
}

// partOf reports whether a draft begins one of some texts, so that the rest may come.
func (l *leftovers) partOf(open []Prompt, composer agent.Composer) bool {
	for i := range open {
		if strings.HasPrefix(agent.Squeeze(open[i].Text), agent.Squeeze(composer.Draft)) {
			return true
		}
	}
	return false
}

// close puts on record what became of a prompt whose text was cleared.
func (l *leftovers) close(ctx context.Context, left *leftover) {
	p := &left.prompt
	if left.why != "" {
		l.c.note("the prompt %q, %s, was cleared", excerpt(p.Text), left.why)
		return
	}
	l.c.note("the prompt %s (%q) was left there by a process that ended before Enter, and was cleared", p.ID, excerpt(p.Text))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	d := Delivery{
		PaneRef: Ref(l.c.pane), Outcome: Unconfirmed,
		Evidence: fmt.Sprintf("its process ended before Enter; what it had typed was cleared by the prompt %s", l.c.id),
	}
	if err := l.c.journal.Sent(ctx, p.ID, []Delivery{d}); err != nil {
		l.c.log.Warn("what became of a prompt could not be recorded", "id", p.ID, "error", err)
	}
}

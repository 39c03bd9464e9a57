package deliver

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/terminal"
)

const (
	// leftoverWait is how long input of a killed process may take to be drawn.
	leftoverWait = 2 * time.Second
	// leftoverAgain is how long a prompt must be open for its process to count as ended, if no lock shows it.
	leftoverAgain = 500 * time.Millisecond
)

// leftover is an unsubmitted prompt of a process that has ended or, for the reason why, another one in the
// composer.
type leftover struct {
	prompt core.Prompt
	why    string
}

// leftovers finds input that killed processes left in the pane of a delivery.
type leftovers struct {
	c *delivery
	// orphaned is true if the previous process that typed there was killed.
	orphaned bool
	// stuck are the prompts that may still arrive, or remain, in the pane.
	stuck []string
}

// behind returns the prompt of another process that ended half way and left what the capture shows; nil if
// there is none. Callers must hold the pane's lock, which excludes processes that still type.
func (l *leftovers) behind(ctx context.Context, g *terminal.Capture) *leftover {
	found := l.among(l.unfinished(ctx), g)
	if found == nil || l.orphaned {
		return found
	}
	// The previous lock holder may be about to record the outcome.
	if core.Sleep(ctx, leftoverAgain) != nil {
		return nil
	}
	return l.among(l.unfinished(ctx), g)
}

// inComposer is behind for a composer that holds a draft.
func (l *leftovers) inComposer(ctx context.Context, g *terminal.Capture) *leftover {
	if g.Reading == nil {
		return nil
	}
	composer, _ := g.Reading.Composer()
	if composer.Draft == "" {
		return nil
	}
	if left := l.behind(ctx, g); left != nil {
		return left
	}
	return l.returned(ctx, composer)
}

// returnedMost is how many prompts are compared with a returned one.
const returnedMost = 5

// returned returns the prompt that an agent put back into its composer, because its turn was stopped early or its
// dialog was rejected, or that never left it.
func (l *leftovers) returned(ctx context.Context, composer agent.Composer) *leftover {
	if l.c.sender.opts.Journal == nil {
		return nil
	}
	given, err := l.c.sender.opts.Journal.Asked(ctx, l.c.term.Pane.Ref(), l.c.term.Pane.Agent.Started)
	if err != nil {
		l.c.sender.opts.Log.Warn("what an agent was asked is not known", "pane", l.c.term.Pane.Address(), "error", err)
	}
	for _, taken := range given[:min(returnedMost, len(given))] {
		text := taken.Text
		if agent.Squeeze(composer.Draft) == agent.Squeeze(text) ||
			composer.Collapsed && countsOf(composer.Draft, text) {
			return &leftover{
				prompt: core.Prompt{Text: text}, why: "which the agent had given back when its turn was stopped",
			}
		}
	}
	stuck := l.unconfirmed(ctx)
	for _, text := range stuck {
		if isLeftover(composer, text) || consistsOf(composer.Draft, stuck) {
			return &leftover{prompt: core.Prompt{Text: text}, why: notSeenToLeave}
		}
	}
	return nil
}

const notSeenToLeave = "which was not seen to leave"

// unconfirmed returns the prompts that may remain in the pane, the newest first.
func (l *leftovers) unconfirmed(ctx context.Context) []string {
	if l.c.sender.opts.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, journalWithin)
	defer cancel()
	stuck, err := l.c.sender.opts.Journal.Unconfirmed(ctx, l.c.term.Pane.Ref(), l.c.term.Pane.Agent.Started)
	if err != nil {
		l.c.sender.opts.Log.Warn("which prompts may remain is not known", "pane", l.c.term.Pane.Address(), "error", err)
	}
	return stuck[:min(returnedMost, len(stuck))]
}

// inLine returns the prompt that the line of a plain pane ends with and that was not seen to leave; nil if there is
// none.
func (l *leftovers) inLine(ctx context.Context, g *terminal.Capture) *leftover {
	if left := l.behind(ctx, g); left != nil {
		return left
	}
	for _, text := range l.unconfirmed(ctx) {
		if g.EndsWith(text) {
			return &leftover{prompt: core.Prompt{Text: text}, why: notSeenToLeave}
		}
	}
	return nil
}

// consistsOf reports whether a draft is nothing but some of the texts, one behind the other.
func consistsOf(draft string, texts []string) bool {
	rest := agent.Squeeze(draft)
	for rest != "" {
		i := slices.IndexFunc(texts, func(text string) bool {
			begin := agent.Squeeze(text)
			return begin != "" && strings.HasPrefix(rest, begin)
		})
		if i < 0 {
			return false
		}
		rest = strings.TrimPrefix(rest, agent.Squeeze(texts[i]))
	}
	return draft != ""
}

// unfinished returns other processes' open prompts at this pane, the newest first.
func (l *leftovers) unfinished(ctx context.Context) []core.Prompt {
	if l.c.sender.opts.Journal == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, journalWithin)
	defer cancel()
	open, err := l.c.sender.opts.Journal.Unfinished(ctx, l.c.term.Pane.Ref())
	if err != nil {
		l.c.sender.opts.Log.Warn("which prompts are unfinished is not known", "pane", l.c.term.Pane.Address(), "error",
			err)
		return nil
	}
	var others []core.Prompt
	for i := range open {
		if open[i].ID != l.c.id {
			others = append(others, open[i])
		}
	}
	return others
}

// among returns the prompt that a capture shows; nil if it shows none.
func (l *leftovers) among(open []core.Prompt, g *terminal.Capture) *leftover {
	for i := range open {
		shown := false
		if g.Reading != nil {
			composer, there := g.Reading.Composer()
			shown = there && isLeftover(composer, open[i].Text)
		} else {
			shown = g.EndsWith(open[i].Text)
		}
		if shown {
			return &leftover{prompt: open[i]}
		}
	}
	return nil
}

// isLeftover reports whether a draft is a text, its beginning, its end or, if a composer shows only a part,
// that part.
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
	return len(shown) >= terminal.PartMin && strings.Contains(want, shown)
}

// countsOf reports whether the placeholder of a paste has the number of lines or characters of a text.
func countsOf(shown, text string) bool {
	lines := strings.Count(text, "\n")
	for _, word := range strings.FieldsFunc(shown, func(r rune) bool { return r < '0' || r > '9' }) {
		switch n, err := strconv.Atoi(word); {
		case err != nil:
		case n > 1 && (n == lines || n == lines+1),
			n > terminal.PartMin && (n == len(text) || n == utf8.RuneCountInString(text)):
			return true
		}
	}
	return false
}

// await waits until input that was typed before is drawn: by a killed process, which held the lock, or prompts that
// were not seen to arrive. A slow program shows them late, and a prompt typed meanwhile would come behind them.
func (l *leftovers) await(ctx context.Context) error {
	if !l.orphaned {
		return l.awaitStuck(ctx)
	}
	open := l.unfinished(ctx)
	_, err := l.c.term.Sees(ctx, leftoverWait, func(g *terminal.Capture) bool {
		if l.among(open, g) != nil {
			return true
		}
		if g.Reading == nil {
			return readLine(g).entry == agent.EntryTyped
		}
		composer, _ := g.Reading.Composer()
		return composer.Draft != "" && !l.partOf(open, composer)
	})
	return err
}

// awaitStuck waits until the prompts that were not seen to arrive are drawn.
func (l *leftovers) awaitStuck(ctx context.Context) error {
	if l.stuck = l.unconfirmed(ctx); len(l.stuck) == 0 {
		return nil
	}
	limit := leftoverWait
	if l.c.unread(ctx) {
		limit = readWait
	}
	_, err := l.c.term.Sees(ctx, limit, func(g *terminal.Capture) bool {
		if g.Reading == nil {
			return true
		}
		composer, _ := g.Reading.Composer()
		return composer.Draft != "" || slices.ContainsFunc(l.stuck, g.Shows)
	})
	return err
}

// partOf reports whether a draft begins one of some texts, so that the rest may follow.
func (l *leftovers) partOf(open []core.Prompt, composer agent.Composer) bool {
	for i := range open {
		if strings.HasPrefix(agent.Squeeze(open[i].Text), agent.Squeeze(composer.Draft)) {
			return true
		}
	}
	return false
}

// close records the outcome of a prompt whose text was cleared.
func (l *leftovers) close(ctx context.Context, left *leftover) {
	p := &left.prompt
	if left.why != "" {
		l.c.note("the prompt %q, %s, was cleared", core.Excerpt(p.Text), left.why)
		return
	}
	l.c.note("the prompt %s (%q) was left there by a process that ended before Enter, and was cleared", p.ID,
		core.Excerpt(p.Text))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), journalWithin)
	defer cancel()
	d := core.Delivery{PaneRef: l.c.term.Pane.Ref(), Result: core.Result{
		Outcome: core.Unconfirmed, At: l.c.sender.opts.Now(), Evidence: []string{
			"its process ended before Enter; what it had typed was cleared by the prompt " + l.c.id,
		},
	}}
	if err := l.c.sender.opts.Journal.Sent(ctx, p.ID, []core.Delivery{d}); err != nil {
		l.c.sender.opts.Log.Warn("what became of a prompt could not be recorded", "id", p.ID, "error", err)
	}
}

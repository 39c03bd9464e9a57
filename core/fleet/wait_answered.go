package fleet

import (
	"context"
	"maps"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/transcript"
)

// Limits to how long a prompt that an agent took keeps its idleness from counting.
const (
	// recordsWithin is for one that the agent seems to have worked on, from when on it is
	// idle: a record may lack the end of a turn that somebody stopped, or not be found.
	recordsWithin = 10 * time.Second
	// seenWithin is for one of which neither a record nor the screen tells: an agent that
	// is idle all that time has answered already.
	seenWithin = 3 * time.Second
	// answeredEvery is how often records are looked at meanwhile.
	answeredEvery = 300 * time.Millisecond
)

// beginsWithin is how long a prompt that is not on the agent's record, or whose turn there has
// not ended, keeps an agent that was not seen to work from counting as idle: slow machines,
// servers and agents that load their tools take their time.
const beginsWithin = time.Minute

// Taken is the newest prompt that a pane took.
type Taken struct {
	Text string
	// Sent is when its sending began, At when it was known to have been taken.
	Sent, At time.Time
}

// checkAnswers postpones the idleness, errors and limits of panes that have not answered their
// last prompt: until an agent begins with a prompt, it shows what it showed before.
func (w *waiter) checkAnswers(ctx context.Context, now time.Time) error {
	due := func(p *awaited) bool {
		rest := p.rest()
		return !p.Gone && p.Reached.IsZero() && !rest.IsZero() && !p.answered && !now.Before(rest.Add(idleHolds)) && !now.Before(p.unanswered)
	}
	if !w.answers || !slices.ContainsFunc(w.panes, due) {
		return nil
	}
	taken := newestPrompts(ctx, &w.fleet.launcher, now.Add(-beginsWithin))
	asked := map[core.PaneID]*awaited{}
	for _, p := range w.panes {
		if _, was := taken[p.Pane]; was && due(p) {
			asked[p.Pane] = p
		}
	}
	if len(asked) == 0 {
		return nil
	}
	found, err := recordsOf(ctx, &w.fleet.launcher, themselves(slices.Collect(maps.Keys(asked))...))
	if err != nil {
		return err
	}
	for i := range found {
		id := found[i].pane.ID
		asked[id].weigh(taken[id], &found[i], now)
	}
	return nil
}

// rest is since when a pane has done nothing: it is idle, or shows an error or a limit.
func (p *awaited) rest() time.Time {
	if p.calm.IsZero() {
		return p.trouble
	}
	return p.calm
}

// weigh takes in what an agent's record and screen tell of the last prompt it took.
func (p *awaited) weigh(taken Taken, r *recorded, now time.Time) {
	over, sure := r.dealtWith(taken)
	until := taken.At.Add(seenWithin)
	switch keeps := r.keeps(taken.Text); {
	case over && (sure || p.worked):
		p.answered = true
		return
	case p.calm.IsZero() && (p.worked || p.trouble.After(taken.At)):
		return // what it shows is of this prompt
	case keeps && !p.worked && p.rest().Before(taken.At):
		until = taken.At.Add(beginsWithin)
	case keeps:
		until = p.rest().Add(recordsWithin)
	case p.left:
		return
	}
	if until.After(now) {
		p.unanswered = now.Add(min(answeredEvery, until.Sub(now)))
	}
}

// keeps reports whether an agent keeps a record that a prompt would be on.
func (r *recorded) keeps(prompt string) bool {
	return r.kind != nil && transcript.Keeps(r.kind.ID) && !r.kind.TakesForCommand(prompt)
}

// dealtWith reports whether an agent seems to have dealt with a prompt that it took, and
// whether its own record or its screen says so.
func (r *recorded) dealtWith(prompt Taken) (over, sure bool) {
	if !r.keeps(prompt.Text) {
		return false, false
	}
	over = r.err == nil && r.told.Took(prompt.Text, prompt.Sent) && r.told.Turn.Ended()
	if turns, marked := r.turns(); marked && len(turns) > 0 && !r.told.Certain {
		last := turns[len(turns)-1]
		return last.Message != "" && transcript.Tells(last.Prompt, prompt.Text), true
	}
	return over, r.told.Certain
}

// goesOn reports whether an agent that seems idle has not dealt with the last prompt that it
// took, as its own record says, which holds that prompt.
func goesOn(ctx context.Context, l *launcher, pane core.PaneID) bool {
	last, is := newestPrompts(ctx, l, l.now().Add(-beginsWithin))[pane]
	if !is {
		return false
	}
	found, err := recordsOf(ctx, l, themselves(pane))
	if err != nil || len(found) == 0 {
		return false
	}
	r := &found[0]
	return r.keeps(last.Text) && r.err == nil && r.told.Certain && r.told.Took(last.Text, last.Sent) && !r.told.Turn.Ended()
}

// newestPrompts returns the newest prompt that each pane took since a time. A journal that cannot
// be read tells nothing.
func newestPrompts(ctx context.Context, l *launcher, since time.Time) map[core.PaneID]Taken {
	if l.journal == nil {
		return nil
	}
	taken, err := l.journal.Newest(ctx, since)
	if err != nil {
		l.log.Warn("which prompts were sent lately is not known", "error", err)
	}
	return taken
}

package await

import (
	"context"
	"maps"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/resolve"
)

// Limits to how long a prompt that an agent accepted keeps its idleness from counting.
const (
	// recordsWithin applies if the agent seems to have worked on the prompt, and starts when it is idle: a
	// record may lack the end of an interrupted turn, or be missing.
	recordsWithin = 10 * time.Second
	// seenWithin applies if neither a record nor the screen shows it: an agent that is idle all that time has
	// answered already.
	seenWithin = 3 * time.Second
	// answeredEvery is the interval of polling records meanwhile.
	answeredEvery = 300 * time.Millisecond
)

// checkAnswers postpones the idleness, errors and limits of panes that have not answered their last prompt:
// until an agent starts on a prompt, it shows its old state.
func (w *wait) checkAnswers(ctx context.Context, now time.Time) error {
	due := func(p *awaited) bool {
		rest := p.rest()
		return !p.Gone && p.Reached.IsZero() && !rest.IsZero() && !p.answered && !now.Before(rest.Add(idleHolds)) &&
			!now.Before(p.unanswered)
	}
	if !w.answers || !slices.ContainsFunc(w.panes, due) {
		return nil
	}
	taken := w.opts.Conversations.NewestPrompts(ctx, now.Add(-conversation.BeginsWithin))
	asked := map[core.PaneID]*awaited{}
	for _, p := range w.panes {
		if _, was := taken[p.Pane]; was && due(p) {
			asked[p.Pane] = p
		}
	}
	if len(asked) == 0 {
		return nil
	}
	found, err := w.opts.Conversations.Read(ctx, resolve.ByID(slices.Collect(maps.Keys(asked))...))
	if err != nil {
		return err
	}
	for i := range found {
		id := found[i].Pane.ID
		asked[id].weigh(taken[id], &found[i], now)
		if asked[id].answered && !asked[id].heldSince.IsZero() {
			w.opts.Announcer.TurnOver(ctx, id)
		}
	}
	return nil
}

// rest returns since when a pane has shown that it does nothing: it is idle, shows an error or a limit, or works only
// because it was asked to.
func (p *awaited) rest() time.Time {
	if !p.heldSince.IsZero() {
		return p.heldSince
	}
	if p.idleSince.IsZero() {
		return p.failedSince
	}
	return p.idleSince
}

// weigh applies what an agent's record and screen show of its last prompt.
func (p *awaited) weigh(taken core.TakenPrompt, r *conversation.Conversation, now time.Time) {
	over, sure := r.Finished(taken)
	until := taken.At.Add(seenWithin)
	switch keeps := r.Keeps(taken.Text); {
	case over && (sure || p.worked):
		p.answered = true
		return
	case p.idleSince.IsZero() && (p.worked || p.failedSince.After(taken.At)):
		return // the state belongs to this prompt
	case keeps && !p.worked && p.rest().Before(taken.At.Add(idleHolds)):
		until = taken.At.Add(conversation.BeginsWithin)
	case keeps:
		until = p.rest().Add(recordsWithin)
	case p.left:
		return
	}
	if until.After(now) {
		p.unanswered = now.Add(min(answeredEvery, until.Sub(now)))
	}
}

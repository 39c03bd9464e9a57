package lifecycle

import (
	"context"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/fleet/terminal"
)

// consider decides whether a smart restart may proceed, and why.
func (r *restart) consider(ctx context.Context) {
	why, loses := r.condition(ctx)
	r.answer.Why = why
	switch {
	case loses == "":
	case r.request.Force:
		r.answer.Why = "forced"
		r.note("%s, and it was forced", loses)
	default:
		r.answer.Skipped = true
		r.note("%s", loses)
	}
}

// condition returns the agent's condition, and what a restart would lose.
func (r *restart) condition(ctx context.Context) (why, loses string) {
	status := r.answer.Before
	switch status.State {
	case core.Exited:
		return "gone", ""
	case core.Idle:
		if r.hasDraft(ctx) || status.Has(core.NoteDraft) {
			return "draft", "a draft of the user is in its composer"
		}
		if status.Has(core.NoteSubagents) || status.Has(core.NoteQueued) || status.Has(core.NoteBackground) {
			return "working", "its work continues in the background"
		}
		return "idle", ""
	case core.Waiting:
		return "waiting", fmt.Sprintf("it waits for an answer (%s)", status.Reason)
	case core.Limited:
		return "limited", "its provider's limit is reached, which a restart does not change"
	case core.Errored:
		return "stuck", ""
	}
	moved, known := r.screenMoves(ctx)
	switch {
	case known && !moved:
		return "stuck", ""
	case !known:
		return string(status.State), "it cannot be observed"
	}
	return string(status.State), fmt.Sprintf("it is %s and its screen moves", status.State)
}

// hasDraft reports whether the composer holds text.
func (r *restart) hasDraft(ctx context.Context) bool {
	g, err := r.Capture(ctx)
	if err != nil || g.Reading == nil {
		return false
	}
	composer, found := g.Reading.Composer()
	return found && composer.Draft != ""
}

// screenMoves reports whether the screen changes during a short watch.
func (r *restart) screenMoves(ctx context.Context) (moved, known bool) {
	first, err := r.Capture(ctx)
	if err != nil {
		return false, false
	}
	err = r.Until(ctx, terminal.StillFor, func(g *terminal.Capture) (bool, error) {
		moved = !slices.Equal(first.Screen.Lines, g.Screen.Lines)
		return moved, nil
	})
	return moved, moved || err != nil && ctx.Err() == nil
}

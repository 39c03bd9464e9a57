package fleet

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// trace leaves on panes the states that were just seen there, as a keeper does: who
// looks next knows that they have been so since then. What fails is left aside.
func trace(ctx context.Context, o *observer, states map[core.PaneID]core.Status, at time.Time) {
	tags := make([]engine.Tag, 0, len(states))
	for id, status := range states {
		if status.Since.IsZero() {
			status.Since = at
		}
		tags = append(tags, engine.Tag{Pane: id, Name: engine.TagState, Value: encodeState(status)})
	}
	if len(tags) == 0 {
		return
	}
	if err := o.engine.Tag(ctx, tags...); err != nil {
		o.log.Debug("states were not left on their panes", "error", err)
	}
}

// traceNew leaves the states of which nobody knew since when they hold, unless
// somebody keeps the picture, who knows better.
func (f *lookout) traceNew(ctx context.Context, panes []*awaited, at time.Time) {
	states := map[core.PaneID]core.Status{}
	for _, p := range panes {
		if p.Status.Since.IsZero() && p.Kind != "" && p.Status.State != core.Unknown {
			states[p.Pane] = p.Status
		}
	}
	if len(states) == 0 {
		return
	}
	if _, kept, err := f.Kept(ctx); err == nil && !kept {
		trace(ctx, &f.observer, states, at)
	}
}

// traceTurn leaves on an agent's pane that it took a prompt, unless somebody keeps the
// picture: its turn may be over before anybody looks, and what held before it would
// seem to hold still.
func traceTurn(ctx context.Context, f *Fleet, pane *core.Pane, outcome Outcome) {
	status := core.Status{State: core.Working}
	switch {
	case !pane.IsAgent():
		return
	case outcome == Delivered:
	case (outcome == Queued || outcome == Steered) && pane.Status.State == core.Working:
		status.Since = pane.Status.Since
	default:
		return
	}
	if _, kept, err := f.Kept(ctx); err == nil && !kept {
		trace(ctx, &f.observer, map[core.PaneID]core.Status{pane.ID: status}, f.now())
	}
}

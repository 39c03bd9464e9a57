package fleet

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// traceWithin is how long an act may take to leave what it saw.
const traceWithin = time.Second

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

// traceNew leaves states that were seen at a time on their panes, unless a keeper runs,
// which knows better.
func traceNew(ctx context.Context, f *lookout, states map[core.PaneID]core.Status, at time.Time) {
	if len(states) == 0 {
		return
	}
	if _, kept, err := f.Kept(ctx); err == nil && !kept {
		trace(ctx, &f.observer, states, at)
	}
}

// leaveState leaves on a pane the state that an act was seen to bring about, so that a
// later look does not take one from before the act for it; a state without a name
// takes away what stood there. Whoever keeps the picture sees that himself.
func leaveState(ctx context.Context, f *lookout, pane core.PaneID, status core.Status) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if _, kept, err := f.Kept(ctx); err != nil || kept {
		return
	}
	if status.State != "" {
		status.Since = time.Time{}
		trace(ctx, &f.observer, map[core.PaneID]core.Status{pane: status}, f.now())
		return
	}
	takeState(ctx, f, pane)
}

// takeState takes away what was left on a pane.
func takeState(ctx context.Context, f *lookout, pane core.PaneID) {
	if err := f.engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagState}); err != nil {
		f.log.Debug("a state was not taken from its pane", "error", err)
	}
}

// leaveTurn leaves that an agent works that took a prompt. A turn that ran already
// began before.
func leaveTurn(ctx context.Context, f *lookout, pane core.PaneID, outcome Outcome) {
	switch outcome {
	case Delivered:
		leaveState(ctx, f, pane, core.Status{State: core.Working})
	case Queued, Steered:
		listing, err := f.engine.List(ctx, engine.Brief)
		if err == nil && decodeState(tagsOf(&listing)[pane][engine.TagState]).State != core.Working {
			leaveState(ctx, f, pane, core.Status{})
		}
	}
}

package announce

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// traceWithin is how long an act may take to leave what it saw.
const traceWithin = time.Second

// Trace leaves on panes the states that were just seen there, as a keeper does: who
// looks next knows that they have been so since then. What fails is left aside.
func (a *Announcer) Trace(ctx context.Context, states map[core.PaneID]core.Status, at time.Time) {
	tags := make([]engine.Tag, 0, len(states))
	for id, status := range states {
		if status.Since.IsZero() {
			status.Since = at
		}
		tags = append(tags, engine.Tag{Pane: id, Name: engine.TagState, Value: panetag.EncodeState(status)})
	}
	if len(tags) == 0 {
		return
	}
	if err := a.engine.Tag(ctx, tags...); err != nil {
		a.log.Debug("states were not left on their panes", "error", err)
	}
}

// TraceNew leaves states that were seen at a time on their panes, unless a keeper runs,
// which knows better.
func (a *Announcer) TraceNew(ctx context.Context, states map[core.PaneID]core.Status, at time.Time) {
	if len(states) == 0 {
		return
	}
	if _, kept, err := a.dir.Kept(ctx); err == nil && !kept {
		a.Trace(ctx, states, at)
	}
}

// LeaveState leaves on a pane the state that an act was seen to bring about, so that a
// later look does not take one from before the act for it; a state without a name
// takes away what stood there. Whoever keeps the snapshot sees that himself.
func (a *Announcer) LeaveState(ctx context.Context, pane core.PaneID, status core.Status) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if _, kept, err := a.dir.Kept(ctx); err != nil || kept {
		return
	}
	if status.State != "" {
		status.Since = time.Time{}
		a.Trace(ctx, map[core.PaneID]core.Status{pane: status}, a.now())
		return
	}
	a.TakeState(ctx, pane)
}

// TakeState takes away what was left on a pane.
func (a *Announcer) TakeState(ctx context.Context, pane core.PaneID) {
	if err := a.engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagState}); err != nil {
		a.log.Debug("a state was not taken from its pane", "error", err)
	}
}

// LeaveTurn leaves that an agent works that took a prompt. A turn that ran already
// began before.
func (a *Announcer) LeaveTurn(ctx context.Context, pane core.PaneID, outcome core.Outcome) {
	switch outcome {
	case core.Delivered:
		a.LeaveState(ctx, pane, core.Status{State: core.Working})
	case core.Queued, core.Steered:
		listing, err := a.engine.List(ctx, engine.Brief)
		if err == nil && panetag.DecodeState(listing.Tags()[pane][engine.TagState]).State != core.Working {
			a.LeaveState(ctx, pane, core.Status{})
		}
	}
}

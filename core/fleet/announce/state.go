package announce

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
)

// traceWithin is how long writing tags may take.
const traceWithin = time.Second

// Trace stores observed states in tags on panes, as a keeper does, so that later calls know since when each
// pane is in its state. Failures are ignored.
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
	if err := a.opts.Engine.Tag(ctx, tags...); err != nil {
		a.opts.Log.Debug("states were not left on their panes", "error", err)
	}
}

// TraceNew is Trace, unless a keeper runs, which stores the states itself.
func (a *Announcer) TraceNew(ctx context.Context, states map[core.PaneID]core.Status, at time.Time) {
	if len(states) == 0 {
		return
	}
	if _, kept, err := a.opts.Dir.Kept(ctx); err == nil && !kept {
		a.Trace(ctx, states, at)
	}
}

// StoreState stores the state that an action caused, so that a later call does not use an older one; a state
// without a name removes the tag. The keeper observes the state itself.
func (a *Announcer) StoreState(ctx context.Context, pane core.PaneID, status core.Status) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	if _, kept, err := a.opts.Dir.Kept(ctx); err != nil || kept {
		return
	}
	if status.State != "" {
		status.Since = time.Time{}
		a.Trace(ctx, map[core.PaneID]core.Status{pane: status}, a.opts.Now())
		return
	}
	a.RemoveState(ctx, pane)
}

// RemoveState removes the state stored on a pane.
func (a *Announcer) RemoveState(ctx context.Context, pane core.PaneID) {
	if err := a.opts.Engine.Tag(ctx, engine.Tag{Pane: pane, Name: engine.TagState}); err != nil {
		a.opts.Log.Debug("a state was not taken from its pane", "error", err)
	}
}

// StoreAsked stores when an agent accepted a prompt, and other tags; the zero time says that its turn is over.
func (a *Announcer) StoreAsked(ctx context.Context, pane core.PaneID, at time.Time, beside ...engine.Tag) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	tag := engine.Tag{Pane: pane, Name: engine.TagAsked}
	if !at.IsZero() {
		tag.Value = strconv.FormatInt(at.UnixMilli(), 10)
	}
	if err := a.opts.Engine.Tag(ctx, append(beside, tag)...); err != nil {
		a.opts.Log.Debug("when an agent was asked was not left on its pane", "error", err)
	}
}

// TurnOver stores that a turn is over which no screen has shown and the agent's record has, and notifies the keeper.
func (a *Announcer) TurnOver(ctx context.Context, pane core.PaneID) {
	a.StoreAsked(ctx, pane, time.Time{})
	if err := a.notifyKeeper(ctx, pane, detect.Hook{Event: "answered", At: a.opts.Now()}); err != nil {
		a.opts.Log.Debug("the end of a turn reached no keeper", "error", err)
	}
}

// Looked stores that the finished turns of panes were looked at, and notifies the keeper. Panes without such a
// turn stay as they are.
func (a *Announcer) Looked(ctx context.Context, panes ...core.SeenPane) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), traceWithin)
	defer cancel()
	var tags []engine.Tag
	now := a.opts.Now()
	for i := range panes {
		if panes[i].Status.Shown() == core.Done {
			value := strconv.FormatInt(now.UnixMilli(), 10)
			tags = append(tags, engine.Tag{Pane: panes[i].Pane, Name: engine.TagLooked, Value: value})
		}
	}
	if len(tags) == 0 {
		return
	}
	if err := a.opts.Engine.Tag(ctx, tags...); err != nil {
		a.opts.Log.Debug("a look was not noted on a pane", "error", err)
	}
	for _, tag := range tags {
		if err := a.notifyKeeper(ctx, tag.Pane, detect.Hook{Event: observe.LookedEvent, At: now}); err != nil {
			a.opts.Log.Debug("a look reached no keeper", "error", err)
		}
	}
}

// StoreTurn stores that an agent works after it accepted a prompt at a time, which is zero for a command: that begins
// no turn. A turn that was running already began before. Where the agent's files are is stored too, since that is not
// known of a process that has ended.
func (a *Announcer) StoreTurn(ctx context.Context, pane *core.Pane, outcome core.Outcome, at time.Time) {
	switch outcome {
	case core.Delivered:
		a.StoreAsked(ctx, pane.ID, at, observe.HomeTags(a.opts.Engine.Processes(), pane)...)
		a.StoreState(ctx, pane.ID, core.Status{State: core.Working})
	case core.Queued, core.Steered:
		listing, err := a.opts.Engine.List(ctx, engine.Brief)
		if err == nil && panetag.DecodeState(listing.Tags()[pane.ID][engine.TagState]).State != core.Working {
			a.StoreState(ctx, pane.ID, core.Status{})
		}
	}
}

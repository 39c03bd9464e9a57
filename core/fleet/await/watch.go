package await

import (
	"context"
	"errors"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// idleHolds is how long an agent must be idle to count: between two tools some appear idle briefly.
const idleHolds = 500 * time.Millisecond

// reportHolds is that for an agent that waited for sub-agents in the background: when one ends, the agent begins a turn
// about what it reports, and may appear idle before.
const reportHolds = 3 * time.Second

// wait is one wait for panes.
type wait struct {
	goal goal
	*Waiter
	// panes are set by the first snapshot; nil before.
	panes []*awaited
	// skipped are the unnamed commands among the panes.
	skipped []core.SeenPane
	// snapshotAt is called with the first snapshot.
	snapshotAt func()
	// checked is when the first snapshot was taken.
	checked time.Time
	// kept is the keeper's last snapshot.
	kept   *core.Snapshot
	server answering
	// answers requires that the last prompt is answered before idleness counts.
	answers bool
}

// awaited is one pane of a wait.
type awaited struct {
	PaneResult
	// left is true once it was in a state outside the goal, changed once it was in any but the initial state.
	left, changed bool
	// worked is true once it was seen working, or asking.
	worked bool
	// checked is when this wait last observed the pane; known is true once the keeper knows what was seen
	// then. Until then, one observation of an idle agent does not prove that it stays idle.
	checked time.Time
	known   bool
	// idleSince is since when it has been idle without a break; zero if it is not.
	idleSince time.Time
	// reports is true once it was seen waiting for sub-agents in the background, until it works by itself.
	reports bool
	// failedSince is since when it has shown an error or a limit; zero if it does not.
	failedSince time.Time
	// undrawnSince is since when it has reported a dialog that its screen does not show; zero if it does not.
	undrawnSince time.Time
	// heldSince is since when it has counted as working only because it was given a prompt; zero if it does not.
	heldSince time.Time
	// answered is true once the agent has dealt with its last prompt, before which its rest does not count
	// until unanswered.
	answered   bool
	unanswered time.Time
	// text is the screen's text, without attributes.
	text    string
	address string
	// snoozed is until when the agent is snoozed; zero if it is not.
	snoozed time.Time
}

// run waits until the panes succeed. It returns ctx's error, or why they cannot.
func (w *wait) run(ctx context.Context) error {
	if w.goal.Poll > 0 {
		return w.poll(ctx)
	}
	if done, err := w.checkFirst(ctx); done || err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	live, err := w.opts.Streams.Live(ctx, true)
	if err != nil {
		stop()
		return err
	}
	err = w.follow(ctx, live)
	stop()
	for range live.Frames {
	}
	return errors.Join(err, live.Err())
}

// checkFirst observes the panes directly: the keeper learns of actions just before the wait a moment later.
func (w *wait) checkFirst(ctx context.Context) (done bool, err error) {
	seen, err := w.opts.Observer.Select(ctx, observe.View{}, w.present)
	if err != nil {
		return false, err
	}
	w.snapshotAt()
	snapshot := seen.Snapshot
	w.checked = snapshot.Taken
	if err := w.begin(snapshot); err != nil {
		return false, err
	}
	w.see(snapshot)
	if w.goal.Match != nil {
		return false, nil
	}
	if err := w.checkAnswers(ctx, w.opts.Now()); err != nil {
		return false, err
	}
	done, err = w.settle(w.opts.Now())
	if done || err != nil {
		w.opts.Announcer.TraceNew(ctx, w.undated(), w.checked)
	}
	return done, err
}

// undated returns the states of agents whose beginning is unknown.
func (w *wait) undated() map[core.PaneID]core.Status {
	states := map[core.PaneID]core.Status{}
	for _, p := range w.panes {
		if p.Status.Since.IsZero() && p.Kind != "" && p.Status.State != core.Unknown {
			states[p.Pane] = p.Status
		}
	}
	return states
}

// follow handles frames, and observes again when an agent has been idle long enough.
func (w *wait) follow(ctx context.Context, live *keeper.Live) error {
	if w.goal.Match != nil {
		live.Display(idsOf(w.panes))
	}
	holds, again := time.NewTimer(0), time.NewTicker(checkEvery)
	defer holds.Stop()
	defer again.Stop()
	for {
		select {
		case frame, open := <-live.Frames:
			if !open {
				return context.Cause(ctx)
			}
			w.apply(&frame)
		case <-again.C:
			if err := checkBehind(ctx, w); err != nil {
				return err
			}
		case <-holds.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		now := w.opts.Now()
		if err := w.checkAnswers(ctx, now); err != nil {
			return err
		}
		done, err := w.settle(now)
		if done || err != nil {
			return err
		}
		if due := w.due(now); !due.IsZero() {
			holds.Reset(due.Sub(now))
		}
	}
}

// poll observes the panes at intervals.
func (w *wait) poll(ctx context.Context) error {
	once := func() error {
		seen, err := w.opts.Observer.Select(ctx, observe.View{}, w.present)
		if err != nil {
			return err
		}
		w.snapshotAt()
		if w.panes == nil {
			if err := w.begin(seen.Snapshot); err != nil {
				return err
			}
		}
		w.see(seen.Snapshot)
		return w.read(ctx, seen.Snapshot)
	}
	for {
		err := once()
		silent := w.panes != nil && errors.Is(err, engine.ErrSilent)
		if err != nil && !silent {
			return err
		}
		w.server.note(silent, w.goal.Progress)
		now := w.opts.Now()
		if !silent {
			if err := w.checkAnswers(ctx, now); err != nil {
				return err
			}
		}
		if done, err := w.settle(now); done || err != nil {
			return err
		}
		wait := w.goal.Poll
		if due := w.due(now); !due.IsZero() {
			wait = min(wait, due.Sub(now))
		}
		if err := core.Sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// present returns the awaited panes that exist.
func (w *wait) present(snapshot *core.Snapshot) ([]*core.Pane, error) {
	if w.panes == nil {
		return waitTarget{w.opts.Resolver, w.goal.Target}.panes(snapshot)
	}
	return resolve.ByID(idsOf(w.panes)...)(snapshot)
}

// read captures the existing panes, if their text matters.
func (w *wait) read(ctx context.Context, snapshot *core.Snapshot) error {
	if w.goal.Match == nil {
		return nil
	}
	there, err := w.present(snapshot)
	if err != nil {
		return err
	}
	asks := core.Map(there, func(pane *core.Pane) engine.Ask { return engine.Ask{Pane: pane.ID} })
	screens, err := w.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		return err
	}
	for i := range screens {
		for _, p := range w.panes {
			if p.Pane == screens[i].Pane {
				p.text = screens[i].Text()
			}
		}
	}
	return nil
}

// begin resolves the panes of the target.
func (w *wait) begin(snapshot *core.Snapshot) error {
	panes, err := waitTarget{w.opts.Resolver, w.goal.Target}.panes(snapshot)
	if err != nil {
		return err
	}
	w.skipped = waitTarget{w.opts.Resolver, w.goal.Target}.beside(snapshot, panes)
	w.panes = make([]*awaited, len(panes))
	for i, pane := range panes {
		w.panes[i] = &awaited{
			PaneResult: PaneResult{PaneRef: pane.Ref(), From: pane.Status, Status: pane.Status},
			address:    pane.Address(), snoozed: pane.Agent.Snoozed,
		}
	}
	return nil
}

func idsOf(panes []*awaited) []core.PaneID {
	return core.Map(panes, func(p *awaited) core.PaneID { return p.Pane })
}

// observeEvent applies a state that may be over again.
func (w *wait) observeEvent(e *core.Event) {
	for _, p := range w.panes {
		switch {
		case p.Pane != e.PaneID:
		case e.Type == core.PaneClosed:
			p.Gone, p.idleSince = true, time.Time{}
		case e.Type == core.StateChanged || e.Type == core.AgentFound:
			w.pass(p, core.Status{State: core.State(e.To), Reason: e.Reason})
		}
	}
}

// see applies this wait's own observation.
func (w *wait) see(snapshot *core.Snapshot) {
	for _, p := range w.panes {
		p.checked = snapshot.Taken
		w.seePane(p, snapshot.Pane(p.Pane))
	}
}

// seePane applies a pane of a snapshot; nil is closed.
func (w *wait) seePane(p *awaited, pane *core.Pane) {
	if p.Gone = pane == nil; p.Gone {
		p.idleSince = time.Time{}
		return
	}
	p.Status, p.address, p.snoozed = pane.Status, pane.Address(), pane.Agent.Snoozed
	w.pass(p, pane.Status)
}

// pass records that a pane is, or was, in a state.
func (w *wait) pass(p *awaited, status core.Status) {
	p.changed = p.changed || status.State != p.From.State || status.Reason != p.From.Reason
	p.left = p.left || !w.goal.wants(p, status)
	held := status.State == core.Working && status.Reason == core.ReasonAsked
	p.worked = p.worked || status.State == core.Working && !held || status.State == core.Waiting
	if status.State == core.Working && !held {
		p.reports = status.Has(core.NoteSubagents)
	}
	idle := status.Since
	if !p.heldSince.IsZero() && !p.worked {
		idle = p.heldSince // it has shown nothing of the prompt, so that it has rested all the time
	}
	p.idleSince = lasting(p.idleSince, isIdle(status), idle, w.opts.Now())
	p.heldSince = lasting(p.heldSince, held, status.Since, w.opts.Now())
	p.failedSince = lasting(p.failedSince, isFailure(status.State), status.Since, w.opts.Now())
	p.undrawnSince = lasting(p.undrawnSince, status.State == core.Waiting && status.Asks == "", status.Since,
		w.opts.Now())
	if p.rest().IsZero() {
		p.answered, p.unanswered = false, time.Time{}
	}
}

// lasting returns since when a condition has held without a break, zero if it does not hold: since before, or else
// since reported if that is earlier than now, or else since now.
func lasting(before time.Time, is bool, reported, now time.Time) time.Time {
	switch {
	case !is:
		return time.Time{}
	case !before.IsZero():
		return before
	case !reported.IsZero() && reported.Before(now):
		return reported
	}
	return now
}

// isFailure reports whether a state is an error or a limit.
func isFailure(state core.State) bool {
	return state == core.Errored || state == core.Limited
}

// isIdle reports whether an agent is idle and stays so without input.
func isIdle(status core.Status) bool {
	return status.State == core.Idle && !status.Has(core.NoteSubagents) && !status.Has(core.NoteRetrying) &&
		!status.Has(core.NoteQueued)
}

// drawsWithin is how long an agent may take to draw a dialog that it reported. Until then it does not count as waiting:
// no one could read or answer the question.
const drawsWithin = 1500 * time.Millisecond

// draws reports whether the pane may be about to draw a dialog.
func (p *awaited) draws(now time.Time) bool {
	return !p.undrawnSince.IsZero() && now.Before(p.undrawnSince.Add(drawsWithin))
}

// due returns when, after now, the next idle, failed or waiting pane will have lasted long enough; zero if there is
// none.
func (w *wait) due(now time.Time) time.Time {
	var first time.Time
	for _, p := range w.panes {
		if p.Reached.IsZero() && !p.idleSince.IsZero() && w.goal.counts(p).After(now) {
			first = core.Earlier(first, w.goal.counts(p))
		}
		if p.Reached.IsZero() && !p.failedSince.IsZero() && w.goal.fails(p).After(now) {
			first = core.Earlier(first, w.goal.fails(p))
		}
		if p.Reached.IsZero() && p.draws(now) {
			first = core.Earlier(first, p.undrawnSince.Add(drawsWithin))
		}
	}
	return first
}

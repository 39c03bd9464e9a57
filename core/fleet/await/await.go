// Package await waits until panes reach a state, or show a text. It follows the shared snapshot, observes the
// panes itself where that may be late, and counts idleness only once the last prompt is answered.
package await

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Options configures a Waiter; all fields are required.
type Options struct {
	Engine        engine.Engine
	Resolver      *resolve.Resolver
	Observer      *observe.Observer
	Conversations *conversation.Reader
	Announcer     *announce.Announcer
	Streams       *keeper.Streams
	Now           func() time.Time
}

// Waiter waits for panes. Its methods may be called concurrently.
type Waiter struct{ opts Options }

// New returns a Waiter.
func New(o Options) *Waiter { return &Waiter{o} }

// AnyChange in Request.For matches any state or reason other than the initial one.
const AnyChange core.State = "any-change"

// Quiet is the goal of being idle while nothing that the agent started runs in the background.
const Quiet core.State = "quiet"

// Request describes what to wait for.
type Request struct {
	// Target names the panes; without a session it means agents of all sessions. A pane without an agent is
	// included only if named.
	Target resolve.Target
	// For are the states to reach; empty is idle, or none if there is a Match.
	For []core.State
	// Any ends the wait with the first pane that succeeds instead of the last.
	Any bool
	// Transition requires that a pane enters its state: the initial state counts only after another one.
	Transition bool
	// WorkWithin is how long an initially idle agent may take to start working; until then its idleness does
	// not count.
	WorkWithin time.Duration
	// ExitOnError ends the wait as soon as any agent shows an error or a limit. Without it such an agent is
	// dropped from the wait after a moment.
	ExitOnError bool
	// KeepWaiting continues while an agent needs the user, or shows an error or a limit.
	KeepWaiting bool
	// Match must match the text of a pane.
	Match *regexp.Regexp
	// Timeout is how long to wait after the first snapshot; 0 is as long as the context lasts.
	Timeout time.Duration
	// Poll polls at this interval instead of following changes; 0 follows.
	Poll time.Duration
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc
}

// PaneResult is the result of one pane.
type PaneResult struct {
	core.PaneRef
	// From is its initial status, Status the last one seen.
	From   core.Status `json:"from"`
	Status core.Status `json:"status"`
	// Reached is when the pane succeeded; zero if it did not.
	Reached time.Time `json:"reached_at,omitzero"`
	// Line is the text that matched.
	Line string `json:"line,omitempty"`
	// Gone is true if the pane was closed meanwhile.
	Gone bool `json:"gone,omitempty"`
}

// Result is the answer of Wait. The lists are in the order of the panes.
type Result struct {
	Reached []PaneResult
	Pending []PaneResult
	// Skipped are the user's own commands among the panes, which the target does not name.
	Skipped []core.SeenPane
	Elapsed time.Duration
}

// Already returns the panes whose initial state counted, while others have not succeeded yet; nil if one
// succeeded later, or all have.
func (r *Result) Already() (panes []core.PaneRef) {
	for i := range r.Reached {
		if p := &r.Reached[i]; p.From.State != p.Status.State || len(r.Pending) == 0 {
			return nil
		}
		panes = append(panes, r.Reached[i].PaneRef)
	}
	return panes
}

// Wait blocks until panes reach the requested states: an agent counts as idle only once it has been so for a
// moment, with nothing queued, retried or in the background.
//
// The result is returned beside the errors that ended the wait early, each with the panes in its details:
// NotReady with details "needs" if an agent needs the user, shows an error or a limit, or has ended and
// cannot succeed; Timeout. Without any agent to wait for it returns AgentNotFound. The wait subscribes to the
// shared snapshot, as Subscribe does.
func (f *Waiter) Wait(ctx context.Context, request Request) (_ *Result, err error) {
	defer func() { err = fault.Wrap("wait", err) }()
	began := f.opts.Now()
	w := &wait{goal: goal{request, began}, Waiter: f}
	w.goal.Target = request.Target.ForPrompts()
	if len(w.goal.For) == 0 && w.goal.Match == nil {
		w.goal.For = []core.State{core.Idle}
	}
	idle := slices.Contains(w.goal.For, core.Idle) || slices.Contains(w.goal.For, Quiet)
	if idle && !slices.Contains(w.goal.For, AnyChange) {
		w.answers = true
	}
	late := errors.New("the time is up")
	ctx, begin, end := Timed(ctx, request.Timeout, late)
	defer end()
	w.snapshotAt = begin
	err = w.run(ctx)
	result := w.result(f.opts.Now().Sub(began))
	switch {
	case err == nil:
		return result, nil
	case w.panes == nil:
		return nil, w.earlyError(ctx, late, err)
	case ctx.Err() != nil && errors.Is(context.Cause(ctx), late):
		return result, w.timeoutError(result)
	}
	return result, err
}

// earlyError returns the error of a wait that ended before any pane was observed.
func (w *wait) earlyError(ctx context.Context, late, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), late) {
		return core.Errorf(core.Timeout, "no picture came within %s",
			core.ShortDuration(max(w.goal.Timeout, FirstSnapshot)))
	}
	return err
}

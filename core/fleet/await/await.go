// Package await waits until panes reach a state, or show a text. It follows the shared snapshot,
// looks itself where that may be late, and lets idleness count only once the last prompt is
// answered.
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

// Options is what a Waiter is made of; all are required.
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
type Waiter struct{ Options }

// New returns a Waiter.
func New(o Options) *Waiter { return &Waiter{o} }

// AnyChange is used among the states of a WaitRequest for any state or reason
// other than at the beginning.
const AnyChange core.State = "any-change"

// Request says what is waited for.
type Request struct {
	// Target names the panes; without a session it means agents of all sessions. A pane
	// that holds no agent is waited for only where it is named.
	Target resolve.Target
	// For are the states that a pane is to reach; empty is idle, or nothing if
	// there is a Match.
	For []core.State
	// Any ends the wait with the first pane that is there instead of the last.
	Any bool
	// Transition wants a pane to reach its state anew: one that it is in already
	// counts only after it was in another.
	Transition bool
	// WorkWithin is how long an agent that is idle at the beginning may take to begin
	// to work; until then its idleness does not count.
	WorkWithin time.Duration
	// ExitOnError ends the wait as soon as any agent shows an error or a limit. Without
	// it one that does is not waited for any more once that has lasted for a moment.
	ExitOnError bool
	// KeepWaiting waits also while an agent needs the user, or shows an error or a limit.
	KeepWaiting bool
	// Match must match the text that a pane shows.
	Match *regexp.Regexp
	// Timeout is how long to wait from the first snapshot on; 0 is as long as the
	// context lasts.
	Timeout time.Duration
	// Poll looks that often instead of following what changes; 0 follows.
	Poll time.Duration
	// Progress, if not nil, reports progress.
	Progress core.ProgressFunc
}

// PaneResult is one pane that was waited for.
type PaneResult struct {
	core.PaneRef
	// From is its status at the beginning, Status the last one seen.
	From   core.Status `json:"from"`
	Status core.Status `json:"status"`
	// Reached is when it got there; zero if it did not.
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
	// Skipped are the commands of the user's own beside them that nothing names.
	Skipped []core.SeenPane
	Elapsed time.Duration
}

// Already are the panes that were in the state that they reached when the wait began, while
// others are still to get there; nil where one got there later, or all are there.
func (r *Result) Already() (panes []core.PaneRef) {
	for i := range r.Reached {
		if p := &r.Reached[i]; p.From.State != p.Status.State || len(r.Pending) == 0 {
			return nil
		}
		panes = append(panes, r.Reached[i].PaneRef)
	}
	return panes
}

// Wait blocks until panes are in the states that are waited for, and as long as
// that: an agent counts as idle only once it has been so for a moment, with
// nothing queued, retried or in the background.
//
// The result is returned beside the errors that say why it ended sooner, each
// with the panes in its details: NotReady with details "needs" if an agent needs
// somebody, shows an error or a limit, or will never be there because it has ended;
// Timeout. Where there is nobody to wait for it is AgentNotFound. The wait takes part in keeping
// the snapshot, as Subscribe does.
func (f *Waiter) Wait(ctx context.Context, request Request) (_ *Result, err error) {
	defer func() { err = fault.Wrap("wait", err) }()
	began := f.Now()
	w := &wait{goal: goal{request, began}, Waiter: f}
	w.goal.Target = request.Target.ForPrompts()
	if len(w.goal.For) == 0 && w.goal.Match == nil {
		w.goal.For = []core.State{core.Idle}
	}
	if slices.Contains(w.goal.For, core.Idle) && !slices.Contains(w.goal.For, AnyChange) {
		w.answers = true
	}
	late := errors.New("the time is up")
	ctx, begin, end := Timed(ctx, request.Timeout, late)
	defer end()
	w.snapshotAt = begin
	err = w.run(ctx)
	result := w.result(f.Now().Sub(began))
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

// earlyError is the error of a wait that ended before any pane was seen.
func (w *wait) earlyError(ctx context.Context, late, err error) error {
	if ctx.Err() != nil && errors.Is(context.Cause(ctx), late) {
		return core.Errorf(core.Timeout, "no picture came within %s",
			core.ShortDuration(max(w.goal.Timeout, FirstSnapshot)))
	}
	return err
}

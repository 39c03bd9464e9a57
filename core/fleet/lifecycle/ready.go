package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/system/process"
)

// awaitEvery is how often screens are looked at while agents start.
const awaitEvery = 200 * time.Millisecond

// startingAgent is an agent that is starting.
type startingAgent struct {
	*Launched
	kind  *agent.Kind
	limit time.Duration
	until time.Time
	done  bool
	late  bool
	dead  bool // it was so at the last look
	gone  bool // its pane is
}

// await waits until every agent is ready, shows a dialog, has ended, or is late. It sets their results, and
// returns Timeout or NotReady if an agent is late or has ended; a dialog is no error, it is in the pane's
// status.
func (l *Launcher) await(
	ctx context.Context, answer *Launches, timeout time.Duration, progress core.ProgressFunc,
) error {
	waiting := startingAgents(l.startingOf(answer, timeout))
	reported := -1
	tick := time.NewTicker(awaitEvery)
	defer tick.Stop()
	for {
		if err := waiting.capture(ctx, l.opts.Engine, l.opts.Now()); err != nil {
			return err
		}
		done := 0
		for _, n := range waiting {
			if n.done {
				done++
			}
		}
		if done == len(waiting) {
			l.opts.Announcer.Trace(ctx, waiting.states(), l.opts.Now())
			return notReadyError(answer, waiting)
		}
		if done != reported {
			progress.Report("ready", done*100/len(waiting), "%d of %d agents are ready", done, len(waiting))
			reported = done
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// startingOf returns the agents of a launch that are waited for.
func (l *Launcher) startingOf(answer *Launches, timeout time.Duration) []*startingAgent {
	var waiting []*startingAgent
	for i := range answer.Panes {
		launched := &answer.Panes[i]
		kind, ok := l.opts.Kinds.Find(string(launched.Kind))
		if launched.Kind == "" || !ok {
			continue
		}
		if !kind.Readable() {
			launched.Ready = true
			continue
		}
		limit := timeout
		if limit <= 0 {
			limit = kind.Launch.Timeout
		}
		waiting = append(waiting, &startingAgent{
			Launched: launched, kind: kind, limit: limit, until: l.opts.Now().Add(limit),
		})
	}
	return waiting
}

// startingAgents are the agents of one launch that are waited for.
type startingAgents []*startingAgent

// capture captures every agent that is not done.
func (waiting startingAgents) capture(ctx context.Context, eng engine.Engine, now time.Time) error {
	var asks []engine.Ask
	for _, n := range waiting {
		if !n.done {
			asks = append(asks, engine.Ask{Pane: n.Pane})
		}
	}
	if len(asks) == 0 {
		return nil
	}
	listing, err := eng.List(ctx, 0)
	if err != nil && !errors.Is(err, engine.ErrNoServer) {
		return err
	}
	held, processes := map[core.PaneID]core.Process{}, eng.Processes()
	for i := range listing.Panes {
		held[listing.Panes[i].ID] = observe.AddExit(processes, listing.Panes[i].Process)
	}
	var screens map[core.PaneID]*core.Screen
	if len(held) > 0 {
		captured, err := eng.Capture(ctx, asks...)
		if err != nil && !errors.Is(err, engine.ErrNoServer) {
			return err
		}
		screens = core.ScreensByPane(captured)
	}
	for _, n := range waiting {
		if !n.done {
			held, there := held[n.Pane]
			n.judge(now, processes, held, there, screens[n.Pane])
		}
	}
	return nil
}

// judge applies one capture of the agent's pane.
func (n *startingAgent) judge(now time.Time, processes process.Source, held core.Process, there bool,
	screen *core.Screen,
) {
	if screen != nil {
		n.Screen = strings.Join(screen.Bottom(1), "")
	}
	switch {
	case !there:
		n.Status = core.Status{State: core.Exited, Evidence: []string{"the pane is gone"}}
		n.done, n.gone = true, true
		return
	case held.Dead:
		n.Status, n.done = observe.Ended(processes, held), n.dead || observe.ExitKnown(held)
		n.dead = true
		return
	case observe.SettingUp(processes, held):
		n.Status = core.Status{
			State: core.Starting, Reason: core.ReasonSetup, Evidence: []string{"its worktree is set up"},
		}
		n.until = now.Add(n.limit) // the set-up has a time limit of its own
		return
	case screen != nil:
		screen.Launch = n.Command
		reading := n.kind.Read(screen)
		if dialog, blocked := reading.Dialog(); blocked {
			n.Status = core.Status{
				State: core.Waiting, Reason: dialog.Reason, Asks: dialog.About,
				Evidence: []string{"a dialog is open: " + dialog.Line},
			}
			n.done = true
			return
		}
		if reading.Ready() && !reading.Starting() {
			n.Ready, n.done, n.Screen = true, true, ""
			n.Status = core.Status{State: core.Idle, Evidence: []string{"its prompt is drawn"}}
			return
		}
	}
	n.Status.Evidence = []string{"its prompt is not drawn yet"}
	if !now.Before(n.until) {
		n.done, n.late = true, true
	}
}

// states returns the states of those that are ready or show a dialog.
func (waiting startingAgents) states() map[core.PaneID]core.Status {
	states := map[core.PaneID]core.Status{}
	for _, n := range waiting {
		if n.Status.State == core.Idle || n.Status.State == core.Waiting {
			states[n.Pane] = n.Status
		}
	}
	return states
}

// notReadyError reports agents that did not become ready; nil if all did or show a dialog.
func notReadyError(answer *Launches, waiting []*startingAgent) error {
	var late, over []string
	for _, n := range waiting {
		switch {
		case n.late:
			late = append(late, n.Agent)
		case n.Status.State == core.Exited:
			over = append(over, n.Agent)
		}
	}
	var err *core.Error
	switch {
	case len(over) > 0:
		err = core.Errorf(core.NotReady, "%s ended before its prompt was drawn", strings.Join(over, ", "))
	case len(late) > 0:
		err = core.Errorf(core.Timeout, "%s did not draw a prompt in time", strings.Join(late, ", "))
	default:
		return nil
	}
	first := append(over, late...)[0]
	for i := range answer.Panes {
		if pane := &answer.Panes[i]; pane.Agent == first {
			err.Hint = fmt.Sprintf("The panes were kept. %s shows: %q", first, pane.Screen)
			err.Remedies = []core.Remedy{core.RemedyShowPane, core.RemedyListSessions}
			err.Subject.Panes = []string{core.AddressOf(answer.Session, pane.Ordinal).String()}
		}
	}
	if slices.ContainsFunc(waiting, func(n *startingAgent) bool { return n.gone }) {
		err.Hint = "Its pane is gone too: it was closed, or its session or terminal server ended."
		err.Subject.Panes = nil
		err.Remedies = []core.Remedy{core.RemedyListSessions}
	}
	err.Details = launchDetails(answer)
	return err
}

// launchDetail describes one pane of a launch in an error.
type launchDetail struct {
	core.PaneRef
	Ready  bool        `json:"ready"`
	Status core.Status `json:"status"`
	Screen string      `json:"screen"`
}

func launchDetails(answer *Launches) any {
	details := core.Map(answer.Panes, func(pane Launched) launchDetail {
		return launchDetail{PaneRef: pane.PaneRef, Ready: pane.Ready, Status: pane.Status, Screen: pane.Screen}
	})
	return map[string][]launchDetail{"panes": details}
}

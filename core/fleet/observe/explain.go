package observe

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/resolve"
)

// Explanation explains the state of a pane.
type Explanation struct {
	core.PaneRef
	Status core.Status
	// Signals are all signals that were weighed, strongest first.
	Signals []detect.Signal
	Process core.Process
	Title   string
	// Hook is the last edge that the agent's hooks reported, Live the agent's own live
	// status; each is nil if there is none.
	Hook *detect.Hook
	Live *detect.Live
	// ProgramStatus is the status that the program reported to its terminal; nil if it reported none, or the terminal
	// does not receive it.
	ProgramStatus *detect.ProgramStatus
	// Heard are its other messages beside its screen.
	Heard core.Heard
	// Screen is the screen that the rules were applied to; nil if none was captured.
	Screen *core.Screen
	// Version is the version of the agent that runs, by its screen or the file of its program; empty if unknown. Newest
	// is the newest of its kind whose screens were recorded, VersionUnseen true if that is older.
	Version, Newest string
	VersionUnseen   bool
	// Before is the state that a keeper recorded last; the zero value if none did.
	Before core.Status
	// Until is when the state may change although nothing happens; zero if never.
	Until time.Time
}

// Explain observes panes again and explains their states. A target without a session means
// agents of all sessions.
func (o *Observer) Explain(ctx context.Context, target resolve.Target) (_ []Explanation, err error) {
	defer func() { err = fault.Wrap("explain", err) }()
	seen, err := o.Select(ctx, View{},
		func(s *core.Snapshot) ([]*core.Pane, error) { return o.opts.Resolver.Named(s, target) })
	if err != nil {
		return nil, err
	}
	explanations := make([]Explanation, len(seen.Panes))
	for i, pane := range seen.Panes {
		explanations[i] = explained(pane, seen.tracker.panes[pane.ID])
		explanations[i].addVersion(o, pane)
	}
	return explanations, nil
}

// addVersion adds which version runs in a pane.
func (e *Explanation) addVersion(o *Observer, pane *core.Pane) {
	kind := o.KindOf(pane)
	if kind == nil || !kind.Readable() || pane.Process.Dead {
		return
	}
	if e.Screen != nil {
		e.Version = kind.VersionOn(e.Screen)
	}
	if e.Version == "" {
		e.Version = o.RunningVersion(pane, kind)
	}
	e.Newest, e.VersionUnseen = kind.Unseen(e.Version)
}

// explained returns the explanation of a pane's status; k is nil where no rules apply to it.
func explained(pane *core.Pane, k *tracked) Explanation {
	e := Explanation{
		PaneRef: pane.Ref(), Status: pane.Status, Process: pane.Process, Title: pane.Title, Heard: pane.Heard,
		Signals: []detect.Signal{},
	}
	if k == nil {
		if pane.Process.Dead {
			e.Signals = append(e.Signals, detect.Signal{
				Source: detect.FromProcess, Rule: "dead", Line: pane.Status.Evidence[0], State: core.Exited,
				Reason: pane.Status.Reason, Notes: []core.Note{}, Decided: true,
			})
		}
		return e
	}
	e.Signals = append(e.Signals, k.verdict.Signals...)
	e.Hook, e.Live, e.ProgramStatus, e.Screen = k.hook, k.live.Live, k.programStatus, k.screen
	e.Before, e.Until = k.recorded, k.verdict.Until
	return e
}

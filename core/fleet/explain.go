package fleet

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/detect"
)

// Explanation is why a pane is in its state.
type Explanation struct {
	PaneRef
	Status core.Status
	// Signals are all that was weighed, strongest first; empty where there was
	// nothing to weigh.
	Signals []detect.Signal
	Process core.Process
	Title   string
	// Hook is the last edge that the agent's hooks reported, Live what the agent
	// says in a file of its own; nil where there is none.
	Hook *detect.Hook
	Live *detect.Live
	// Screen is what the rules read; nil where no screen was read.
	Screen *core.Screen
	// Before is the state that a keeper recorded last; the zero value if none did.
	Before core.Status
	// Until is when the state may change although nothing happens; zero if never.
	Until time.Time
}

// Explain looks at panes afresh and says what tells their states. A target
// without a session means agents of all sessions.
func (l *launcher) Explain(ctx context.Context, target Target) (_ []Explanation, err error) {
	defer func() { err = translate("explain", err) }()
	m := newMemory(false)
	seen, err := l.glimpse(ctx, View{}.detail(), m, func(s *core.Snapshot) ([]*core.Pane, error) { return l.named(s, target) })
	if err != nil {
		return nil, err
	}
	explanations := make([]Explanation, len(seen.panes))
	for i, pane := range seen.panes {
		explanations[i] = explained(pane, m.panes[pane.ID])
	}
	return explanations, nil
}

// named returns the panes that a target names, in one session or in all that are not
// hidden.
func (l *launcher) named(snapshot *core.Snapshot, target Target) ([]*core.Pane, error) {
	if target.Session != "" {
		return l.resolve(snapshot, target)
	}
	kinds, err := l.kindsNamed(target.Kinds)
	if err != nil {
		return nil, err
	}
	panes, err := everywhere(snapshot, target, kinds)
	if l.hideForeign && len(target.Panes) == 0 {
		panes = slices.DeleteFunc(panes, func(pane *core.Pane) bool { return hidden(*snapshot.Session(pane.Session)) })
	}
	return panes, err
}

// explained is what is known of a pane; k is nil where no rules apply to it.
func explained(pane *core.Pane, k *known) Explanation {
	e := Explanation{PaneRef: Ref(pane), Status: pane.Status, Process: pane.Process, Title: pane.Title, Signals: []detect.Signal{}}
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
	e.Hook, e.Live, e.Screen, e.Before, e.Until = k.hook, k.live.told, k.screen, k.recorded, k.verdict.Until
	return e
}

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
	"cupola/core/fleet/terminal"
)

// checkEvery is how often a wait observes panes itself while the keeper does not know what was observed there.
const checkEvery = idleHolds

// apply handles a frame: the events first, since the snapshot lacks states that ended again. Frames older than
// the first observation are ignored.
func (w *wait) apply(frame *keeper.Frame) {
	for i := range frame.Events {
		if frame.Events[i].At.After(w.checked) {
			w.observeEvent(&frame.Events[i])
		}
	}
	if frame.Snapshot != nil {
		w.server.note(!frame.Snapshot.SilentSince.IsZero(), w.goal.Progress)
		w.kept = frame.Snapshot
		compare(w)
	}
	for _, p := range w.panes {
		if screen, there := frame.Screens[p.Pane]; there {
			p.text = terminal.Attributes().ReplaceAllString(screen.Text(), "")
		}
	}
}

// answering tracks whether the terminal server answers. The zero value says that it does.
type answering struct{ silent bool }

// note sets whether the server is silent, and reports that once. Earlier observations prove nothing then, and the wait
// continues.
func (a *answering) note(silent bool, progress core.ProgressFunc) {
	if silent && !a.silent {
		progress.Report("wait", 0, "the terminal server is not answering; still waiting")
	}
	a.silent = silent
}

// compare applies the kept snapshot to the panes that it knows at least as recently as this wait. A snapshot may be
// recent and its data about a pane old.
func compare(w *wait) {
	for _, p := range w.panes {
		pane := w.kept.Pane(p.Pane)
		if !p.known && p.lags(pane, w.kept.Taken) {
			continue
		}
		if !p.known && pane != nil && p.Status.State == core.Unknown && !w.kept.Taken.After(p.checked) {
			// Only a follower of the screen knows that a program without rules works.
			p.From = pane.Status
		}
		p.known = true
		w.seePane(p, pane)
	}
}

// lags reports whether a pane of the kept snapshot, taken then, is older than the observation here. A pane
// that works in a newer snapshot is not: the observation may have happened between two tools, or before work
// began.
func (p *awaited) lags(pane *core.Pane, taken time.Time) bool {
	switch {
	case pane == nil:
		return !p.Gone
	case p.Status.State == core.Unknown, p.Status.State == pane.Status.State:
		return false
	case p.Status.State == core.Idle && pane.Status.State == core.Working && taken.After(p.checked):
		return false
	}
	return !pane.Status.Since.After(p.checked)
}

// checkBehind observes the panes that the kept snapshot knows less recently than this wait: it may have
// missed a short state.
func checkBehind(ctx context.Context, w *wait) error {
	var behind []*awaited
	for _, p := range w.panes {
		if !p.known {
			behind = append(behind, p)
		}
	}
	if len(behind) == 0 {
		return nil
	}
	seen, err := w.opts.Observer.Select(ctx, observe.View{}, resolve.ByID(idsOf(behind)...))
	if errors.Is(err, engine.ErrSilent) {
		w.server.note(true, w.goal.Progress)
		return nil
	}
	if err != nil {
		return err
	}
	w.server.note(false, w.goal.Progress)
	for _, p := range behind {
		p.checked = seen.Snapshot.Taken
		w.seePane(p, seen.Snapshot.Pane(p.Pane))
	}
	if w.kept != nil {
		compare(w)
	}
	return nil
}

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

// lookEvery is how often a wait looks itself while the keeper
// does not know of a pane what was seen there.
const lookEvery = idleHolds

// take takes in what one frame tells: the events first, since states that ended
// again are not in the snapshot. What is older than the first look is left out.
func (w *wait) take(frame *keeper.Frame) {
	for i := range frame.Events {
		if frame.Events[i].At.After(w.looked) {
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

// answering is whether the terminal server answers. The zero value says that it does.
type answering struct{ silent bool }

// note notes whether it does not, and says so once. What was seen before is no proof
// of anything then, and the wait goes on.
func (a *answering) note(silent bool, progress core.ProgressFunc) {
	if silent && !a.silent {
		progress.Report("wait", 0, "the terminal server is not answering; waiting goes on")
	}
	a.silent = silent
}

// compare takes what the kept snapshot tells of those panes of which it knows what was
// seen here. A snapshot may be young and what it says of a pane old.
func compare(w *wait) {
	for _, p := range w.panes {
		pane := w.kept.Pane(p.Pane)
		if !p.known && p.lags(pane, w.kept.Taken) {
			continue
		}
		if !p.known && pane != nil && p.Status.State == core.Unknown && !w.kept.Taken.After(p.looked) {
			// Of a program without rules, only who follows its screen knows that it works.
			p.From = pane.Status
		}
		p.known = true
		w.seePane(p, pane)
	}
}

// lags reports whether a pane of the kept snapshot, taken then, is as it was before it
// was seen here. One that works in a younger snapshot is not: a look may have met it
// between two tools, or before it began.
func (p *awaited) lags(pane *core.Pane, taken time.Time) bool {
	switch {
	case pane == nil:
		return !p.Gone
	case p.Status.State == core.Unknown, p.Status.State == pane.Status.State:
		return false
	case p.Status.State == core.Idle && pane.Status.State == core.Working && taken.After(p.looked):
		return false
	}
	return !pane.Status.Since.After(p.looked)
}

// lookAgain looks at those panes of which the kept snapshot does not know what was seen
// here: it may have missed what was over soon.
func lookAgain(ctx context.Context, w *wait) error {
	var behind []*awaited
	for _, p := range w.panes {
		if !p.known {
			behind = append(behind, p)
		}
	}
	if len(behind) == 0 {
		return nil
	}
	seen, err := w.Observer.Select(ctx, observe.View{}, resolve.ByID(idsOf(behind)...))
	if errors.Is(err, engine.ErrSilent) {
		w.server.note(true, w.goal.Progress)
		return nil
	}
	if err != nil {
		return err
	}
	w.server.note(false, w.goal.Progress)
	for _, p := range behind {
		p.looked = seen.Snapshot.Taken
		w.seePane(p, seen.Snapshot.Pane(p.Pane))
	}
	if w.kept != nil {
		compare(w)
	}
	return nil
}

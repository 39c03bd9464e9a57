package observe

import (
	"context"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/rundir"
	"cupola/core/text/secret"
)

// showEvery is how often the texts of shells are recorded, at most.
const showEvery = time.Minute

// shownRecorder records the texts of shells in a series of snapshots, so that they can be shown again above the shells
// that are started after the terminal server is lost.
type shownRecorder struct {
	opts *Options
	mu   sync.Mutex
	// last is when texts were recorded last; printed are the panes that may show another text since.
	last    time.Time
	printed map[core.PaneID]bool
}

// note records the texts of shells that printed something since the last record, once in showEvery.
func (r *shownRecorder) note(ctx context.Context, change *engine.Change, snapshot *core.Snapshot) {
	if r.opts.Recording.Off || r.opts.Recording.Lines <= 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.printed == nil {
		r.printed = map[core.PaneID]bool{}
	}
	for _, id := range change.Dirty {
		r.printed[id] = true
	}
	now := r.opts.Now()
	if len(r.printed) == 0 || now.Sub(r.last) < showEvery {
		return
	}
	r.last = now
	var asks []engine.Ask
	pids := map[core.PaneID]int{}
	for i := range snapshot.Sessions {
		session := &snapshot.Sessions[i]
		for j := range session.Panes {
			pane := &session.Panes[j]
			if pane.IsUser() && !pane.Process.Dead && r.printed[pane.ID] && rundir.Records(session) {
				pids[pane.ID] = pane.Process.PID
				asks = append(asks, engine.Ask{
					Pane: pane.ID, Session: session.ID, History: r.opts.Recording.Lines, Brief: true, Join: true,
				})
			}
		}
	}
	clear(r.printed)
	if len(asks) == 0 {
		return
	}
	screens, err := r.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		r.opts.Log.Debug("what shells show is not recorded", "error", err)
		return
	}
	for i := range screens {
		lines := lastLines(screens[i].Lines, r.opts.Recording.Lines)
		r.opts.Dir.NoteShown(ctx, screens[i].Pane, pids[screens[i].Pane], secret.Lines(lines))
	}
	r.opts.Dir.Found(ctx).SweepShown()
}

// lastLines returns the last lines of a text, without blank ones at its end.
func lastLines(lines []string, most int) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines[max(0, len(lines)-most):]
}

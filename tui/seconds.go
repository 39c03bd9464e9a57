package tui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/screen"
)

// seconds counts the seconds while they are shown.
type seconds struct {
	// counting is true while a tick of the second is pending.
	counting bool
}

// count starts the tick of the second if none is pending, while the server is silent or an agent has waited for the
// user for less than a minute.
func (s *seconds) count(w *screen.World, act actor) tea.Cmd {
	w.Seconds = waitsBriefly(w.Snapshot, w.Now) && !w.Theme.Accessible()
	if s.counting || !w.Seconds && !silent(w.Snapshot) {
		return nil
	}
	s.counting = true
	return act.Tick(time.Second)
}

// waitsBriefly reports whether an agent waits for the user for less than a minute.
func waitsBriefly(snap *core.Snapshot, now time.Time) bool {
	if snap == nil || !snap.EngineUp {
		return false
	}
	for _, pane := range snap.Panes() {
		if !pane.IsUser() && pane.Status.State == core.Waiting && now.Sub(pane.Status.Since) < time.Minute {
			return true
		}
	}
	return false
}

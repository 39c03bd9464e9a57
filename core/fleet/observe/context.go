package observe

import (
	"cupola/core"
	"cupola/core/agent"
)

// ContextShown returns how much of its context window an agent has used according to its
// screen, in percent; -1 if the screen does not warn about it.
func (m *Tracker) ContextShown(pane *core.Pane) int {
	if k := m.panes[pane.ID]; k != nil && k.findings != nil && pane.Status.Has(core.NoteContextLow) {
		return k.used
	}
	return -1
}

// contextOn reads that from a screen.
func contextOn(screen *core.Screen, kind *agent.Kind) int {
	if kind != nil && kind.Readable() {
		if shown, is := kind.Read(screen).ContextShown(); is {
			return shown.Percent
		}
	}
	return -1
}

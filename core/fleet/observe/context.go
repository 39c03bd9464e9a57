package observe

import (
	"cupola/core"
	"cupola/core/agent"
)

// ContextShown returns how much of its context window an agent's screen says is used, in
// percent; -1 where it does not. Only screens that warn of it are read.
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

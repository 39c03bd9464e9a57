package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/core"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

// workReading is what was asked of the agents' work.
type workReading struct {
	// asked is true until the answer comes.
	asked bool
	// of is the snapshot of the last answer.
	of *core.Snapshot
}

// readWork asks what is known of the agents' work, and what forms can offer: at first, after each change of the
// picture and, at longer intervals, as long as one of them works.
func (m *model) readWork() tea.Cmd {
	snap, r := m.world.Snapshot, &m.worked
	if r.asked || snap == nil || silent(snap) || !snap.EngineUp && r.of != nil {
		return nil
	}
	again := r.of != nil && r.of.Revision == snap.Revision
	if again && snap.Counts().ByState[core.Working] == 0 {
		return nil
	}
	r.asked = true
	return m.act.Do(intent.ReadWork{Snapshot: snap, Again: again})
}

// takeWork stores what is known of the agents' work.
func (m *model) takeWork(msg effect.WorkRead) {
	m.worked = workReading{of: msg.Snapshot}
	m.world.Work, m.world.Offers = msg.Work, msg.Offers
}

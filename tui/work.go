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

// workPart asks for what is known of the agents' work.
type workPart struct {
	model   *model
	reading workReading
}

// read asks what is known of the agents' work, and what forms can offer: at first, after each change of the
// picture and, at longer intervals, as long as one of them works.
func (p *workPart) read() tea.Cmd {
	snap, r := p.model.world.Snapshot, &p.reading
	if r.asked || snap == nil || silent(snap) || !snap.EngineUp && r.of != nil {
		return nil
	}
	again := r.of != nil && r.of.Revision == snap.Revision
	if again && snap.Counts().ByState[core.Working] == 0 {
		return nil
	}
	r.asked = true
	return p.model.act.Do(intent.ReadWork{Snapshot: snap, Again: again})
}

// take stores what is known of the agents' work.
func (p *workPart) take(msg effect.WorkRead) {
	p.reading = workReading{of: msg.Snapshot}
	p.model.world.Work, p.model.world.Offers = msg.Work, msg.Offers
}

package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/history"
)

// opens are what opens the screens with numbers.
var opens = map[intent.Place]intent.Intent{
	intent.Tiles: intent.ToggleGrid{All: true}, intent.Answering: intent.ShowInbox{},
	intent.Differences: intent.ShowChanges{}, intent.Relayed: intent.ShowRelays{}, intent.Talking: intent.ShowCrews{},
	intent.Working: intent.ShowStories{}, intent.Activity: intent.RunCommand{Line: "summary"},
	intent.Usage: intent.RunCommand{Line: "tokens"}, intent.Health: intent.RunCommand{Line: "doctor"},
	intent.Settings: intent.RunCommand{Line: "config show"},
}

// everything is what prompts were sent to where no agent is meant.
var everything = intent.Target{Address: "all agents"}

// goPlace closes all screens and opens another.
func (m *model) goPlace(to intent.Place) tea.Cmd {
	if len(m.stack) == 1 && to == intent.Fleet {
		m.setStatus(theme.Dim, "the fleet is on the display")
	}
	if shown, open := m.top().(*grid.Screen); open && to == intent.Tiles && shown.All() {
		m.setStatus(theme.Dim, "the tiles of all agents are on the display")
		return nil
	}
	m.stack = m.stack[:1]
	switch open := opens[to]; {
	case open != nil:
		return m.handle(open)
	case to == intent.Prompts:
		m.open(history.New(everything))
		return m.act.Do(intent.Recall{About: everything})
	}
	return nil
}

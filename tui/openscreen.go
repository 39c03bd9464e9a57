package tui

import (
	tea "github.com/charmbracelet/bubbletea"

	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/grid"
	"cupola/tui/screen/history"
)

// opens are what opens the screens.
var opens = map[intent.Screen]intent.Intent{
	intent.ScreenGrid: intent.ToggleGrid{All: true}, intent.ScreenInbox: intent.ShowInbox{},
	intent.ScreenChanges: intent.ShowChanges{}, intent.ScreenRelays: intent.ShowRelays{},
	intent.ScreenCrews: intent.ShowCrews{}, intent.ScreenStories: intent.ShowStories{},
	intent.ScreenActivity: intent.ShowActivity{},
	intent.ScreenUsage:    intent.ShowUsage{}, intent.ScreenHealth: intent.RunCommand{Line: "doctor"},
	intent.ScreenSettings: intent.ShowSettings{}, intent.ScreenHosts: intent.ShowHosts{},
}

// everything is what prompts were sent to where no agent is meant.
var everything = intent.Target{Address: "all agents"}

// openScreen closes all screens and opens another.
func (m *model) openScreen(to intent.Screen) tea.Cmd {
	if len(m.stack) == 1 && to == intent.ScreenFleet {
		m.setStatus(theme.Dim, "the fleet is on the display")
	}
	if shown, open := m.top().(*grid.Screen); open && to == intent.ScreenGrid && shown.All() {
		m.setStatus(theme.Dim, "the tiles of all agents are on the display")
		return nil
	}
	m.stack = m.stack[:1]
	switch open := opens[to]; {
	case open != nil:
		return m.handle(open)
	case to == intent.ScreenHistory:
		m.open(history.New(everything))
	}
	return nil
}

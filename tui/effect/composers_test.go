package effect

import (
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/fleet/keeper"
)

func TestRowsBelowAnAgentsWordsAreCounted(t *testing.T) {
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	rule := strings.Repeat("─", 60)
	lines := []string{
		"\x1b[1m● I renamed the handler.\x1b[0m", "", rule, "❯ ", rule, "  ⏵⏵ auto mode on (shift+tab to cycle)", "",
		"",
	}
	c := composers{kindOf: func(pane *core.Pane) *agent.Kind {
		kind, _ := kinds.Find(string(pane.Agent.Kind))
		return kind
	}}
	view := core.Viewport{Width: 60, Height: 8}
	pane := core.Pane{ID: "%1", Session: "api", Agent: core.Agent{Kind: "claude"}, View: view}
	screen := core.Screen{Pane: "%1", Lines: lines, Visible: len(lines), View: pane.View}
	screen.View.Cursor = core.Cursor{X: 2, Y: 3, Visible: true}
	frame := keeper.Frame{
		Snapshot: &core.Snapshot{Sessions: []core.Session{{ID: "$1", Name: "api", Panes: []core.Pane{pane}}}},
		Screens:  map[core.PaneID]core.Screen{"%1": screen},
	}
	if got := c.below(&frame); got["%1"] != 5 {
		t.Errorf("%v rows", got)
	}
	if got := c.below(&frame); len(got) != 0 {
		t.Errorf("read again at once: %v", got)
	}
}

package tui

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// news says what changed, for screen readers: the state of an agent, an agent that came or went, an alert that is about
// no agent.
type news struct {
	// said has the last changes, the agents that wait for the user first.
	said string
	// states has the agents of the last snapshot by pane, alerts the ids of its alerts. Both are nil before the first.
	states map[core.PaneID]reported
	alerts map[string]bool
}

// reported is an agent's address and state.
type reported struct {
	address string
	state   core.State
}

// take compares a snapshot with the last one.
func (n *news) take(w *screen.World) {
	first := n.states == nil
	states, alerts := map[core.PaneID]reported{}, map[string]bool{}
	var urgent, others []string
	for _, pane := range w.Snapshot.Panes() {
		if pane.IsUser() {
			continue
		}
		now := reported{pane.Address(), pane.Status.Shown()}
		states[pane.ID] = now
		switch before, known := n.states[pane.ID]; {
		case known && before.state == now.state:
		case now.state == core.Waiting:
			urgent = append(urgent, changed(w, pane))
		default:
			others = append(others, changed(w, pane))
		}
	}
	for id, before := range n.states {
		if _, is := states[id]; !is {
			others = append(others, before.address+" is gone")
		}
	}
	for i := range w.Snapshot.Alerts {
		alert := &w.Snapshot.Alerts[i]
		if alerts[alert.ID] = true; !n.alerts[alert.ID] && alert.Pane == "" {
			others = append(others, alert.Message)
		}
	}
	n.states, n.alerts = states, alerts
	if said := slices.Concat(urgent, others); !first && len(said) > 0 {
		n.said = cells.Clean(w.Now.Local().Format("15:04") + "  " + strings.Join(said, "; "))
	}
}

// changed says which state an agent is in now, and what that is about.
func changed(w *screen.World, pane *core.Pane) string {
	state := string(pane.Status.Shown())
	if pane.Status.Shown() == core.Waiting {
		state = "waits"
	}
	why := w.Why(pane)
	if pane.IsDone() {
		why.Lead = "" // the state says it
	}
	switch text := screen.OneLine(why.Lead+" "+why.Text, mostNews); {
	case text == "":
		return pane.Address() + " " + state
	case strings.HasPrefix(text, state):
		return pane.Address() + " " + text
	default:
		return pane.Address() + " " + state + ": " + text
	}
}

// mostNews is the most that is said of one agent, in bytes.
const mostNews = 160

// newsShare is how many lines of a display are one line of news.
const newsShare = 12

// newsLines draws the news at the foot of a display. Their height depends on its size alone, so that nothing moves.
func (m *model) newsLines(r layout.Rect) []string {
	if !m.world.Theme.Accessible() || m.size.H < headerHeight {
		return nil
	}
	area := layout.Rect{W: r.W, H: max(1, min(mostStatus, m.size.H/newsShare))}
	text := cells.Wrap(m.news.said, max(1, r.W))
	if len(text) > area.H {
		text[area.H-1] = strings.Join(text[area.H-1:], " ") // cut where it is drawn
	}
	lines := make([]string, area.H)
	for i := range lines {
		said := ""
		if i < len(text) {
			said = text[i]
		}
		lines[i] = widget.Bar(m.world.Theme, layout.Rect{W: r.W, H: 1}, widget.Styled(theme.Text, said), nil)[0]
	}
	return lines
}

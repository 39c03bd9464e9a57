package tui

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/cells"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// The least display, in cells; below it the dashboard asks for room.
	leastWidth, leastHeight = 20, 4
	// headless is the height below which there is no header.
	headless = 8
	// talkative is the height from which a message may take mostSaid lines.
	talkative, mostSaid = 12, 3
)

// View returns the picture that the last Update drew, as a terminal takes it.
func (m *model) View() string { return strings.Join(m.shown.pinned, "\n") }

// draw composes the picture and says which panes are in it. Drawing in Update
// keeps View pure and lets the mouse answer to what is really shown.
func (m *model) draw() {
	m.zones = nil
	if m.size.W < leastWidth || m.size.H < leastHeight {
		m.shown.put(m.size.W, widget.List(m.world.Theme, m.size, widget.Rows{Selected: -1, Empty: "too small"}))
		return
	}
	head, rest := m.size.Top(1)
	if m.size.H < headless {
		head, rest = layout.Rect{}, m.size
	}
	told := told(m.said.Text, m.size, m.form != nil)
	body, foot := rest.Bottom(max(1, len(told)))
	top := m.top()
	var zones layout.Zones
	lines := widget.Header(m.world.Theme, head, heading(&m.world, m.choice.Filter))
	notice := m.silence.told(&m.world, body)
	_, body = body.Top(len(notice))
	shown := top.View(&m.world, body, &zones)
	if silent(m.world.Snapshot) {
		shown = dimmed(m.world.Theme, shown)
	}
	lines = slices.Concat(lines, notice, shown)
	if m.form != nil {
		at := m.form.Rect(body)
		lines = widget.Overlay(lines, m.size.W, at, m.form.View(&m.world, at, &zones))
	}
	lines = append(lines, m.footer(foot, told)...)
	m.shown.put(m.size.W, lines)
	m.zones = zones
	if visible := top.Visible(); !slices.Equal(visible, m.looked) {
		m.looked = slices.Clone(visible)
		m.act.Look(m.looked)
	}
}

func heading(w *screen.World, filter string) widget.Heading {
	h := widget.Heading{Name: "cupola", Filter: filter, Clock: w.Now.Local().Format("15:04")}
	if snap := w.Snapshot; snap != nil {
		counts := snap.Counts()
		h.Sessions, h.Counts, h.Alerts = counts.Sessions, counts.ByState, core.CountAlerts(snap.Alerts)
	}
	return h
}

// told is what there is to tell, in lines as wide as a display; none under a form.
func told(said string, size layout.Rect, form bool) []string {
	if said == "" || form {
		return nil
	}
	lines := cells.Wrap(cells.Clean(said), size.W)
	most := 1
	if size.H >= talkative {
		most = mostSaid
	}
	if len(lines) > most {
		lines[most-1] = strings.Join(lines[most-1:], " ") // cut where it is drawn
		lines = lines[:most]
	}
	return lines
}

// footer says what there is to tell, or which keys matter now.
func (m *model) footer(r layout.Rect, told []string) []string {
	switch {
	case m.form != nil:
		return widget.Footer(m.world.Theme, r, m.form.ShortHelp())
	case len(told) == 0:
		return widget.Footer(m.world.Theme, r, m.top().Scope().ShortHelp())
	}
	var lines []string
	for i, line := range told {
		lines = append(lines, widget.Bar(m.world.Theme, r.Row(i), widget.Styled(m.said.Token, line), nil)...)
	}
	return lines
}

package tui

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// The least display, in cells; below it the dashboard asks for room.
const leastWidth, leastHeight = 20, 4

// View returns the picture that the last Update drew.
func (m *model) View() string { return strings.Join(m.lines, "\n") }

// draw composes the picture and says which panes are in it. Drawing in Update
// keeps View pure and lets the mouse answer to what is really shown.
func (m *model) draw() {
	m.zones = nil
	if m.size.W < leastWidth || m.size.H < leastHeight {
		m.lines = widget.List(m.world.Theme, m.size, widget.Rows{Selected: -1, Empty: "too small"})
		return
	}
	head, rest := m.size.Top(1)
	body, foot := rest.Bottom(1)
	if m.size.H < 8 {
		body, head = m.size, layout.Rect{}
		body, foot = body.Bottom(1)
	}
	top := m.top()
	var zones layout.Zones
	lines := widget.Header(m.world.Theme, head, m.heading())
	lines = append(lines, top.View(&m.world, body, &zones)...)
	if m.form != nil {
		at := m.form.Rect(body)
		lines = widget.Over(lines, m.size.W, at, m.form.View(&m.world, at, &zones))
	}
	lines = append(lines, m.footer(foot)...)
	m.lines, m.zones = lines, zones
	if visible := top.Visible(); !slices.Equal(visible, m.looked) {
		m.looked = slices.Clone(visible)
		m.act.Look(m.looked)
	}
}

func (m *model) heading() widget.Heading {
	h := widget.Heading{Name: "cupola", Filter: m.choice.Filter, Clock: m.world.Now.Local().Format("15:04")}
	if snap := m.world.Snapshot; snap != nil {
		h.Counts = map[core.State]int{}
		for state, n := range snap.Counts().ByState {
			h.Counts[state] = n
		}
	}
	return h
}

// footer says what there is to tell, or which keys matter now.
func (m *model) footer(r layout.Rect) []string {
	if m.said.Text != "" && m.form == nil {
		return widget.List(m.world.Theme, r, widget.Rows{Selected: -1, Left: []widget.Line{{m.said}}})
	}
	scope := m.top().Scope()
	if m.form != nil {
		scope = m.form.Scope()
	}
	return widget.Footer(m.world.Theme, r, hints(scope))
}

func hints(scope *intent.Scope) []widget.Hint {
	var found []widget.Hint
	for _, binding := range scope.Bindings {
		if binding.Footer != "" {
			found = append(found, widget.Hint{Key: intent.Name(binding.Keys[0]), Label: binding.Footer})
		}
	}
	return found
}

// Package help explains the keys, from the tables that the keyboard uses.
package help

import (
	"strings"

	"cupola/core"
	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The widths of the list, in cells.
const (
	// keyColumn holds the names of keys, pageWidth a table with its margin.
	keyColumn, pageWidth = 14, 66
	// mostColumns is how many tables stand side by side at most.
	mostColumns = 3
)

// Screen lists the keys of every place, those of where one came from first.
type Screen struct {
	tables [][]widget.Line
	page   screen.Page
}

// New makes the help for somebody who comes from a scope.
func New(from *intent.Scope) *Screen {
	s := &Screen{}
	said := map[string]bool{}
	s.add(from, said)
	for _, scope := range intent.Scopes {
		if scope != from {
			s.add(scope, said)
		}
	}
	return s
}

// add lists a table, without what an earlier one said already.
func (s *Screen) add(scope *intent.Scope, said map[string]bool) {
	var rows []widget.Line
	for i := range scope.Bindings {
		binding := &scope.Bindings[i]
		if saying := strings.Join(binding.Keys, " ") + binding.Does; !said[saying] {
			said[saying] = true
			rows = append(rows, keyRow(binding))
		}
	}
	if len(rows) > 0 {
		s.tables = append(s.tables, append([]widget.Line{widget.Say(theme.Header, scope.Name)}, rows...))
	}
}

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Helping }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle scrolls.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent { return s.page.Handle(wanted) }

// View draws the tables below one another, and in columns where these fit.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	columns := s.columns(max(1, min(mostColumns, r.W/pageWidth)))
	lines := 0
	for _, rows := range columns {
		lines = max(lines, len(rows))
	}
	s.page.Lay(lines, r.H)
	parts := make([][]string, len(columns))
	for i, part := range r.Columns(len(columns)) {
		parts[i] = widget.List(w.Theme, part, widget.Rows{Left: columns[i], Selected: -1, Top: s.page.Top})
	}
	return widget.Beside(parts...)
}

// columns divides the tables, in their order and each as a whole, into n columns
// of about one height.
func (s *Screen) columns(n int) [][]widget.Line {
	total := 0
	for _, table := range s.tables {
		total += len(table) + 1
	}
	columns := make([][]widget.Line, n)
	at := 0
	for _, table := range s.tables {
		if len(columns[at]) > 0 && len(columns[at])+len(table) > total/n && at < n-1 {
			at++
		}
		if len(columns[at]) > 0 {
			columns[at] = append(columns[at], nil)
		}
		columns[at] = append(columns[at], table...)
	}
	return columns
}

// keyRow is a row of a table, with as many of the keys as its column holds.
func keyRow(binding *intent.Binding) widget.Line {
	text := intent.Name(binding.Keys[0])
	for _, key := range binding.Keys[1:] {
		if more := text + " " + intent.Name(key); cells.Width(more) < keyColumn {
			text = more
		}
	}
	pad := strings.Repeat(" ", max(1, keyColumn-cells.Width(text)))
	return widget.Line{{Token: theme.FooterKey, Text: text}, {Token: theme.Text, Text: pad + binding.Does}}
}

// Package help explains the keys, from the tables that the keyboard uses.
package help

import (
	"slices"
	"strings"

	"github.com/charmbracelet/bubbles/key"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// pageWidth is the width of a table with its margin, in cells.
	pageWidth = 66
	// mostColumns is how many tables are side by side at most.
	mostColumns = 3
)

// Screen lists the keys of every scope, that of the screen below first.
type Screen struct {
	tables []table
	page   screen.Page
	filter string
}

// table is a part of a scope's table.
type table struct {
	name string
	keys []key.Binding
}

// New makes the help as opened from a scope, with the user's keys.
func New(from *intent.Scope, keys *intent.Keymap) *Screen {
	s := &Screen{}
	listed := map[string]bool{}
	s.add(keys.Of(from), listed)
	for _, scope := range keys.All() {
		if scope.Name != from.Name {
			s.add(scope, listed)
		}
	}
	return s
}

// add lists a table, without what an earlier one lists already.
func (s *Screen) add(scope *intent.Scope, listed map[string]bool) {
	t := table{name: scope.Name}
	for _, binding := range scope.FullHelp()[0] {
		if row := strings.Join(binding.Keys(), " ") + binding.Help().Desc; !listed[row] {
			listed[row] = true
			t.keys = append(t.keys, binding)
		}
	}
	if len(t.keys) > 0 {
		s.tables = append(s.tables, t)
	}
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "help", Alone: true,
	Open: func(at *screen.Opening) (screen.Screen, string) { return New(at.Below, at.World.Keys), "" },
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Helping }

// Show limits the help to keys that contain a text, in their name or their meaning; empty shows all.
func (s *Screen) Show(filter string) { s.filter, s.page = filter, screen.Page{} }

// Handle scrolls and filters.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if rest, is := screen.Filtered(wanted, s.filter, "key or meaning", s.Show); is {
		return rest
	}
	return s.page.Handle(wanted)
}

// matching are the tables with only the keys that the filter shows, without those that have none.
func (s *Screen) matching(tables []table) []table {
	if s.filter == "" {
		return tables
	}
	wanted := strings.ToLower(s.filter)
	var found []table
	for _, t := range tables {
		some := table{name: t.name}
		for _, binding := range t.keys {
			help := binding.Help()
			if help.Key == s.filter || strings.Contains(strings.ToLower(help.Desc), wanted) {
				some.keys = append(some.keys, binding)
			}
		}
		if len(some.keys) > 0 {
			found = append(found, some)
		}
	}
	return found
}

// legend explains the signs that the screens use.
func legend(w *screen.World) []table {
	signs, notes := table{name: "Signs"}, table{name: "Signs behind a name"}
	add := func(to *table, mark, means string) {
		to.keys = append(to.keys, key.NewBinding(key.WithKeys(mark), key.WithHelp(mark, means)))
	}
	means := screen.StateSigns()
	for _, state := range core.ShownStates {
		if w.Theme.Accessible() {
			add(&signs, string(state), means[state])
			continue
		}
		add(&signs, w.Theme.Glyph(state), string(state)+": "+means[state])
	}
	add(&signs, "+2 -1", "lines added and deleted in its working tree")
	add(&signs, "62% left", "what is left of its context")
	add(&signs, "$0.10", "what it cost today")
	add(&signs, "!2", "in the header: open alerts")
	if w.Theme.Accessible() {
		return []table{signs}
	}
	for _, one := range screen.NoteSigns() {
		add(&notes, one.Mark, one.Means)
	}
	return []table{signs, notes}
}

// View draws the tables below one another, and in columns where these fit.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	n := max(1, min(mostColumns, r.W/pageWidth))
	if w.OneColumn() {
		n = 1
	}
	columns := s.columns(w, n)
	if len(columns[0]) == 0 {
		return screen.Empty(w, r, "no key does that; Esc shows all")
	}
	height := 0
	for _, lines := range columns {
		height = max(height, len(lines))
	}
	parts := make([][]string, len(columns))
	for i, part := range (layout.Rect{W: r.W, H: height}).Columns(len(columns)) {
		parts[i] = widget.Block(part, columns[i])
	}
	return s.page.View(r, widget.Beside(parts...))
}

// columns divides the tables, in their order and each as a whole, into n columns
// of about one height.
func (s *Screen) columns(w *screen.World, n int) [][]string {
	tables := s.matching(slices.Insert(slices.Clone(s.tables), 1, legend(w)...))
	total := 0
	for _, t := range tables {
		total += len(t.keys) + 2
	}
	columns := make([][]string, n)
	at := 0
	for i, t := range tables {
		// The keys of the screen that is open have a column of their own, so that the signs are on the first page.
		full := i == 1 || len(columns[at])+len(t.keys) >= total/n
		if len(columns[at]) > 0 && full && at < n-1 {
			at++
		}
		if len(columns[at]) > 0 {
			columns[at] = append(columns[at], "")
		}
		columns[at] = append(columns[at], t.draw(w)...)
	}
	return columns
}

// draw draws a table below its name.
func (t table) draw(w *screen.World) []string {
	lines := []string{w.Theme.Style(theme.Header).Render(t.name)}
	lines = append(lines, strings.Split(w.Theme.Help().FullHelpView([][]key.Binding{t.keys}), "\n")...)
	for i := range lines {
		lines[i] = "  " + lines[i]
	}
	return lines
}

// Package help explains the keys, from the tables that the keyboard uses.
package help

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Screen lists the keys of every place, that of where one came from first.
type Screen struct {
	scopes []*intent.Scope
	top    int
	height int
	lines  int
}

// New makes the help for somebody who comes from a scope.
func New(from *intent.Scope) *Screen {
	s := &Screen{scopes: []*intent.Scope{from}}
	for _, scope := range intent.Scopes {
		if scope != from {
			s.scopes = append(s.scopes, scope)
		}
	}
	return s
}

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Helping }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Handle scrolls.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Move:
		s.top += w.By
	case intent.Turn:
		s.top += w.By * max(1, s.height-1)
	default:
		return wanted
	}
	s.top = max(0, min(s.top, s.lines-s.height))
	return nil
}

// View draws the tables below one another.
func (s *Screen) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	var rows []widget.Line
	for i, scope := range s.scopes {
		if i > 0 {
			rows = append(rows, nil)
		}
		rows = append(rows, widget.Say(theme.Header, scope.Name))
		for _, binding := range scope.Bindings {
			rows = append(rows, keyRow(binding))
		}
	}
	s.height, s.lines = r.H, len(rows)
	s.top = max(0, min(s.top, len(rows)-r.H))
	return widget.List(w.Theme, r, widget.Rows{Left: rows, Selected: -1, Top: s.top})
}

func keyRow(binding intent.Binding) widget.Line {
	const column = 16
	names := make([]string, len(binding.Keys))
	for i, key := range binding.Keys {
		names[i] = intent.Name(key)
	}
	text := strings.Join(names, " ")
	pad := max(1, column-ansi.StringWidth(text))
	return widget.Line{{Token: theme.FooterKey, Text: text}, {Token: theme.Text, Text: strings.Repeat(" ", pad) + binding.Does}}
}

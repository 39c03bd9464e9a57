// Package tree is the dashboard's first screen: sessions and their panes at the
// left, and what the selected pane shows, live, at the right.
package tree

import (
	"fmt"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The widths at which the screen changes its shape, in cells.
const (
	// alone is the width below which the tree has no preview beside it.
	alone = 72
	// widest is the most that the tree takes.
	widest = 40
)

// Screen is the tree with its preview.
type Screen struct {
	choice *screen.Choice
	rows   []screen.Row
	snap   *core.Snapshot
	top    int // first row shown
	height int // rows shown last
	shown  []core.PaneID
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Tree }

// Visible is the pane of the preview, if there is one.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Handle moves the selection.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	at := s.choice.At(s.rows)
	switch w := wanted.(type) {
	case intent.Move:
		s.choice.Set(s.rows, at+w.By)
	case intent.Turn:
		s.choice.Set(s.rows, at+w.By*max(1, s.height-1))
	case intent.Jump:
		to := 0
		if w.Last {
			to = len(s.rows) - 1
		}
		s.choice.Set(s.rows, to)
	case intent.Shift:
		s.choice.Fold(w.By < 0)
	case intent.Fold:
		s.choice.Fold(at >= 0 && !s.choice.Folded(s.rows[at].Session))
	case intent.Back:
		s.choice.Filter = ""
	default:
		return wanted
	}
	return nil
}

// View draws the tree and, where there is room, the preview.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.snap, s.rows, s.shown = w.Snapshot, s.choice.Rows(w.Snapshot), nil
	if r.W < alone {
		return s.tree(w, r, zones)
	}
	left, rest := r.Left(min(widest, r.W*3/10))
	line, right := rest.Left(1)
	return widget.Beside(s.tree(w, left, zones), widget.Rule(w.Theme, line.W, line.H), s.preview(w, right, zones))
}

func (s *Screen) tree(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.height = r.H
	branches := widget.Branches{Selected: s.choice.At(s.rows), Empty: "nothing matches"}
	s.top = widget.Follow(s.top, branches.Selected, len(s.rows), r.H)
	branches.Top = s.top
	for _, row := range s.rows {
		branches.Nodes = append(branches.Nodes, s.node(w, row))
	}
	for i := s.top; i < len(s.rows) && i-s.top < r.H; i++ {
		zones.Add(r.Row(i-s.top), target(s.rows[i]))
	}
	return widget.Tree(w.Theme, r, branches)
}

func target(row screen.Row) intent.Target {
	if row.Pane != nil {
		return screen.TargetOf(row.Pane)
	}
	return intent.Target{Session: row.Session.Name, Address: row.Session.Name}
}

func (s *Screen) node(w *screen.World, row screen.Row) widget.Node {
	if row.Pane == nil {
		return s.session(row.Session)
	}
	pane := row.Pane
	node := widget.Node{State: pane.Status.State, Name: pane.Agent.Name, Number: pane.Ordinal, Age: w.Age(pane.Status.Since),
		Detail: widget.Span{Token: theme.State(pane.Status.State), Text: string(pane.Status.State)}}
	if !pane.IsAgent() {
		node.Name, node.State, node.Detail = pane.Process.Command, "", widget.Span{Token: theme.Dim, Text: "shell"}
	}
	return node
}

func (s *Screen) session(session *core.Session) widget.Node {
	agents, working := session.Agents(), 0
	for _, pane := range agents {
		if pane.Status.State == core.Working {
			working++
		}
	}
	fold := widget.Opened
	if s.choice.Folded(session) {
		fold = widget.Closed
	}
	return widget.Node{Fold: fold, Name: session.Name, Detail: widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%d/%d", working, len(agents))}}
}

func (s *Screen) preview(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	pane := s.choice.Shown(w.Snapshot)
	if pane == nil {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1})
	}
	s.shown = []core.PaneID{pane.ID}
	zones.Add(r, screen.TargetOf(pane))
	head, body := r.Top(1)
	title := widget.List(w.Theme, head, widget.Rows{Selected: -1, Left: []widget.Line{w.Title(pane)},
		Right: []widget.Line{widget.Say(theme.Dim, fmt.Sprintf("%dx%d", pane.View.Width, pane.View.Height))}})
	return append(title, widget.Screen(w.Theme, body, w.Shot(pane.ID), w.Cache)...)
}

// Package tree is the dashboard's first screen: sessions and their panes at the
// left, and what the selected pane shows, live, at the right.
package tree

import (
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/term/cells"
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
	// narrowest and widest are the least and the most that the tree takes beside
	// a preview.
	narrowest, widest = 30, 76
	// usual is its share there, in percent, as long as the user chose none.
	usual = 40
)

// Screen is the tree with its preview.
type Screen struct {
	choice   *screen.Choice
	rows     []screen.Row
	top      int // first row shown
	height   int // rows shown last
	shown    []core.PaneID
	paneView screen.PaneView
	beside   layout.Rect // where the preview was drawn last
}

// New makes the screen of a choice.
func New(choice *screen.Choice) *Screen { return &Screen{choice: choice} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "fleet", Key: "1", Does: "fleet: all sessions and agents", Keys: []*intent.Scope{&intent.Tree},
	Open: screen.OfChoice(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Tree }

// Visible is the pane of the preview, if there is one.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Handle moves the selection, and what the preview shows.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Scroll:
		if s.beside.Contains(w.X, w.Y) {
			s.paneView.Scroll(w.By * screen.WheelLines)
			return nil
		}
	case intent.Shift:
		s.choice.Fold(w.By < 0)
		return nil
	case intent.Back:
		if !s.choice.Marks.Clear() {
			s.choice.Filter = ""
		}
		return nil
	}
	at, is := intent.Rows{At: s.choice.At(s.rows), Of: len(s.rows), Page: s.height - 1}.Moved(wanted)
	if !is {
		return wanted
	}
	s.choice.Set(s.rows, at)
	return nil
}

// View draws the tree and, where there is room, the preview.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.rows, s.shown, s.beside = s.choice.Rows(w.Snapshot), nil, layout.Rect{}
	if r.W < alone || w.Order.Alone() || w.OneColumn() {
		return s.left(w, r, zones)
	}
	width := min(widest, r.W*usual/100)
	if share := w.Order.Share(usual); share != usual {
		width = r.W * share / 100
	}
	left, rest := r.Left(max(narrowest, width))
	gap, rest := rest.Left(1)
	line, rest := rest.Left(1)
	margin, right := rest.Left(1)
	return widget.Beside(s.left(w, left, zones), widget.Bar(w.Theme, gap, nil, nil),
		widget.Rule(w.Theme, line.W, line.H),
		widget.Bar(w.Theme, margin, nil, nil), s.preview(w, right, zones))
}

// branches is the tree, scrolled so that the selected row shows in a rect.
func (s *Screen) branches(w *screen.World, r layout.Rect) widget.TreeView {
	branches := widget.TreeView{Selected: s.choice.At(s.rows), Empty: "nothing matches"}
	for _, row := range s.rows {
		branches.Nodes = append(branches.Nodes, s.node(w, row, r.W >= roomy))
	}
	return branches
}

func (s *Screen) tree(w *screen.World, r layout.Rect, branches *widget.TreeView, zones *layout.Zones) []string {
	s.height = r.H
	branches.ScrollTo(s.top, r)
	s.top = branches.Top
	tall := branches.Tall(r)
	for i, at := s.top, 0; i < len(s.rows) && at < r.H; i++ {
		for range branches.Nodes[i].Lines(tall) {
			if at < r.H {
				zones.Add(r.Row(at), target(s.rows[i]))
			}
			at++
		}
	}
	return widget.Tree(w.Theme, r, *branches)
}

func target(row screen.Row) intent.Target {
	if row.Pane != nil {
		return screen.TargetOfPane(row.Pane)
	}
	return screen.TargetOfSession(row.Session)
}

func (s *Screen) node(w *screen.World, row screen.Row, led bool) widget.Node {
	if row.Pane == nil {
		return s.session(row.Session)
	}
	pane := row.Pane
	node := widget.Node{
		State: pane.Status.Shown(), Name: pane.Agent.Name, Number: pane.Ordinal, Age: w.Age(pane.Status.Since),
		Marked: s.choice.Marks.Has(pane), Marks: w.Marks(pane), Does: w.Does(pane, led), Facts: w.Facts(pane),
		Detail: widget.Span{Token: theme.State(pane.Status.Shown()), Text: screen.BriefWord(pane)},
	}
	if s.choice.Order.Group != "" && s.choice.Order.Group != screen.BySession {
		node.Name, node.Number, node.Heading = pane.Address(), -1, cells.Clean(w.Tilde(row.Group))
	}
	if pane.IsUser() {
		node.Name, node.State, node.Age = pane.Process.Command, "", ""
		node.Detail = widget.Span{Token: theme.Dim, Text: screen.StateWord(pane)}
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
	node := widget.Node{Fold: widget.Opened, Name: session.Name}
	if s.choice.Folded(session) {
		node.Fold = widget.Closed
	}
	if len(agents) > 0 {
		node.Detail = widget.Span{Token: theme.Dim, Text: fmt.Sprintf("%d/%d working", working, len(agents))}
	}
	return node
}

// preview shows the selected pane, or the agents of the selected session.
func (s *Screen) preview(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	session, pane := s.choice.Chosen(w.Snapshot)
	if session == nil {
		return widget.Bar(w.Theme, r, nil, nil)
	}
	var lines []string
	if pane == nil {
		var head layout.Rect
		head, r = r.Top(2)
		lines = widget.Bar(w.Theme, head, about(w, session), widget.Styled(theme.Dim, w.Tilde(session.Dir)))
		zones.Add(head, screen.TargetOfSession(session))
		if programs := session.Programs(); len(programs) > 1 {
			return append(lines, s.tiles(w, r, programs, zones)...)
		}
		pane = s.choice.Shown(w.Snapshot)
	}
	if pane == nil {
		return append(lines, widget.Bar(w.Theme, r, nil, nil)...)
	}
	s.shown, s.beside = []core.PaneID{pane.ID}, r
	zones.Add(r, screen.TargetOfPane(pane))
	return append(lines, s.paneView.View(w, r, pane, widget.AnchorBottom)...)
}

// The least size of a tile of the preview, in cells.
const leastWidth, leastHeight = 30, 5

// tiles shows the agents of a session as small tiles, as many as have room.
func (s *Screen) tiles(w *screen.World, r layout.Rect, agents []*core.Pane, zones *layout.Zones) []string {
	grid := r.Tile(len(agents), w.TileWidth(r, leastWidth), leastHeight)
	for i := range grid.Tiles {
		s.shown = append(s.shown, agents[i].ID)
		zones.Add(grid.Tiles[i], screen.TargetOfPane(agents[i]))
	}
	return screen.Tiles(w, r, grid, func(w *screen.World, tile layout.Rect, i int) []string {
		view := screen.TileView{Marked: s.choice.Marks.Has(agents[i])}
		if i == len(grid.Tiles)-1 && len(agents) > len(grid.Tiles) {
			view.Note = fmt.Sprintf("and %d more", len(agents)-len(grid.Tiles))
		}
		return screen.Tile(w, tile, agents[i], view)
	})
}

// about describes a session in a line.
func about(w *screen.World, session *core.Session) widget.Line {
	line := widget.Line{{Token: theme.Strong, Text: session.Name}}
	counts := core.CountPanes(session.All())
	for _, state := range core.ShownStates {
		if n := counts.Shown(state); n > 0 {
			line = append(line, widget.Span{
				Token: theme.State(state),
				Text:  "  " + widget.StateCount(w.Theme, state, n),
			})
		}
	}
	switch {
	case session.Attached > 0:
		line = append(line, widget.Span{Token: theme.Dim, Text: "  attached"})
	case session.Foreign:
		line = append(line, widget.Span{Token: theme.Dim, Text: "  not started here"})
	}
	if session.Engine == core.OwnEngine && w.Snapshot != nil && slices.ContainsFunc(w.Snapshot.Sessions,
		func(s core.Session) bool { return s.Engine != session.Engine }) {
		line = append(line, widget.Span{Token: theme.Dim, Text: "  on the own server"})
	}
	return line
}

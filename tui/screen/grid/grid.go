// Package grid shows live tiles: what every agent of a session shows, or of all
// sessions, at once.
package grid

import (
	"fmt"
	"slices"

	"cupola/core"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The least size of a tile, in cells.
const leastWidth, leastHeight = 36, 6

// Screen is the grid.
type Screen struct {
	choice *screen.Choice
	all    bool
	snap   *core.Snapshot
	panes  []*core.Pane
	tiles  layout.TileGrid
	shown  []core.PaneID
}

// New makes the grid of the selected session, or of all.
func New(choice *screen.Choice, all bool) *Screen { return &Screen{choice: choice, all: all} }

// All reports whether the tiles show all sessions.
func (s *Screen) All() bool { return s.all }

// Entry registers it.
var Entry = screen.Entry{
	Name: "grid", Key: "2", Does: "grid: live tiles of all", Keys: []*intent.Scope{&intent.Grid},
	Words: "tiles wall",
	Open:  func(at *screen.Opening) (screen.Screen, string) { return New(at.Choice, !at.Selected), "" },
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Grid }

// Visible are the panes of the tiles on this page.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Handle moves among the tiles.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if w, is := wanted.(intent.ToggleGrid); is {
		s.all = s.all != w.All
		return nil
	}
	at := s.at()
	if columns, rows, is := intent.Arrow(wanted); is {
		s.choose(s.tiles.Move(at, len(s.panes), columns, rows))
		return nil
	}
	to, is := intent.Rows{At: at, Of: len(s.panes), Page: s.tiles.PerPage()}.Moved(wanted)
	if !is {
		return wanted
	}
	s.choose(to)
	return nil
}

// at returns the selected tile; for a selected session, its first one.
func (s *Screen) at() int {
	if len(s.panes) == 0 {
		return 0
	}
	at := slices.IndexFunc(s.panes, func(p *core.Pane) bool { return p.ID == s.choice.Pane })
	if session := s.snap.Session(string(s.choice.Session)); at < 0 && session != nil {
		at = slices.IndexFunc(s.panes, func(p *core.Pane) bool { return p.Session == session.Name })
	}
	return max(0, at)
}

func (s *Screen) choose(at int) {
	if len(s.panes) > 0 {
		s.choice.Select(s.snap, s.panes[max(0, min(at, len(s.panes)-1))])
	}
}

// gather collects the panes to show: the agents, or all panes if there are none.
func (s *Screen) gather(snap *core.Snapshot) {
	chosen, _ := s.choice.Chosen(snap)
	s.snap, s.panes = snap, nil
	var panes []*core.Pane
	for i := range snap.Sessions {
		if session := &snap.Sessions[i]; s.all || chosen != nil && session.ID == chosen.ID {
			panes = append(panes, s.choice.Panes(session)...)
		}
	}
	for _, pane := range panes {
		if !pane.IsUser() {
			s.panes = append(s.panes, pane)
		}
	}
	if len(s.panes) == 0 {
		s.panes = panes
	}
	s.choose(s.at())
}

// View draws the tiles of the page that holds the selected one.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w.Snapshot)
	s.shown = nil
	if len(s.panes) == 0 {
		return screen.Empty(w, r, "no pane to show")
	}
	s.tiles = r.Tile(len(s.panes), w.TileWidth(r, leastWidth), leastHeight)
	first := s.at() / s.tiles.PerPage() * s.tiles.PerPage()
	return screen.Tiles(w, r, s.tiles, func(w *screen.World, tile layout.Rect, i int) []string {
		return s.tile(w, tile, first+i, zones)
	})
}

// tile draws the n-th pane of all.
func (s *Screen) tile(w *screen.World, r layout.Rect, n int, zones *layout.Zones) []string {
	if n >= len(s.panes) {
		return widget.Bar(w.Theme, r, nil, nil)
	}
	pane, perPage := s.panes[n], s.tiles.PerPage()
	s.shown = append(s.shown, pane.ID)
	zones.Add(r, screen.TargetOfPane(pane))
	selected, note := n == s.at(), ""
	if pages := (len(s.panes) + perPage - 1) / perPage; selected && pages > 1 {
		note = fmt.Sprintf("%d of %d, page %d of %d", n+1, len(s.panes), n/perPage+1, pages)
	}
	return screen.Tile(w, r, pane, screen.TileView{
		Marked: s.choice.Marks.Has(pane), Selected: selected, Note: note,
	})
}

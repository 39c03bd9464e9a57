// Package grid shows live tiles: what every agent of a session shows, or of all
// sessions, at once.
package grid

import (
	"fmt"
	"slices"

	"cupola/core"
	"cupola/theme"
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
	panes  []*core.Pane
	mosaic layout.Mosaic
	shown  []core.PaneID
}

// New makes the grid of the selected session, or of all.
func New(choice *screen.Choice, all bool) *Screen { return &Screen{choice: choice, all: all} }

// Scope is the table of keys that hold.
func (s *Screen) Scope() *intent.Scope { return &intent.Grid }

// Visible are the panes of the tiles on this page.
func (s *Screen) Visible() []core.PaneID { return s.shown }

// Handle moves among the tiles.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	at := s.at()
	switch w := wanted.(type) {
	case intent.Move:
		s.choose(s.mosaic.Move(at, len(s.panes), 0, w.By))
	case intent.Shift:
		s.choose(s.mosaic.Move(at, len(s.panes), w.By, 0))
	case intent.Turn:
		s.choose(at + w.By*s.mosaic.PerPage())
	case intent.Jump:
		to := 0
		if w.Last {
			to = len(s.panes) - 1
		}
		s.choose(to)
	case intent.ToggleGrid:
		s.all = !s.all
	default:
		return wanted
	}
	return nil
}

func (s *Screen) at() int {
	return max(0, slices.IndexFunc(s.panes, func(p *core.Pane) bool { return p.ID == s.choice.Pane }))
}

func (s *Screen) choose(at int) {
	if len(s.panes) == 0 {
		return
	}
	pane := s.panes[max(0, min(at, len(s.panes)-1))]
	s.choice.Pane = pane.ID
}

// gather collects the panes to show: the agents, or everything where there are
// none.
func (s *Screen) gather(w *screen.World) {
	s.panes = nil
	session, _ := s.choice.Chosen(w.Snapshot)
	for i := range w.Snapshot.Sessions {
		if each := &w.Snapshot.Sessions[i]; s.all || session != nil && each.ID == session.ID {
			s.panes = append(s.panes, each.Agents()...)
			if !s.all && len(s.panes) == 0 {
				for j := range each.Panes {
					s.panes = append(s.panes, &each.Panes[j])
				}
			}
		}
	}
	if at := s.at(); len(s.panes) > 0 {
		s.choice.Session, s.choice.Pane = w.Snapshot.Session(s.panes[at].Session).ID, s.panes[at].ID
	}
}

// View draws the tiles of the page that holds the selected one.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.shown = nil
	if len(s.panes) == 0 {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: "no agent to show"})
	}
	s.mosaic = r.Tile(len(s.panes), leastWidth, leastHeight)
	at := s.at()
	page := at / s.mosaic.PerPage() * s.mosaic.PerPage()
	pages := (len(s.panes) + s.mosaic.PerPage() - 1) / s.mosaic.PerPage()
	var lines, row []string
	for i, tile := range s.mosaic.Tiles {
		drawn := s.tile(w, tile, page+i, page+i == at, page/s.mosaic.PerPage()+1, pages, zones)
		if row == nil {
			row = drawn
		} else {
			row = widget.Beside(row, drawn)
		}
		if last := i == len(s.mosaic.Tiles)-1; last || s.mosaic.Tiles[i+1].Y != tile.Y {
			lines, row = append(lines, row...), nil
		}
	}
	return lines
}

func (s *Screen) tile(w *screen.World, r layout.Rect, n int, focused bool, page, pages int, zones *layout.Zones) []string {
	if n >= len(s.panes) {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1})
	}
	pane := s.panes[n]
	s.shown = append(s.shown, pane.ID)
	zones.Add(r, screen.TargetOf(pane))
	frame := widget.Frame{Title: w.Title(pane), Focused: focused}
	if focused && pages > 1 {
		frame.Note = widget.Say(theme.Dim, fmt.Sprintf("%d of %d, page %d of %d", n+1, len(s.panes), page, pages))
	}
	return widget.Tile(w.Theme, r, frame, w.Shot(pane.ID), w.Cache)
}

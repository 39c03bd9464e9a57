package screen

import (
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// TileView is how a tile is shown.
type TileView struct {
	Marked, Selected bool
	// Note is shown in the lower border.
	Note string
}

// TileWidth is the least width of a tile in a rect, in cells: least, or all of it where there is one column.
func (w *World) TileWidth(r layout.Rect, least int) int {
	if w.OneColumn() {
		return max(least, r.W)
	}
	return least
}

// Tiles draws the tiles of a grid that fills a rect.
func Tiles(w *World, r layout.Rect, tiles layout.TileGrid, draw func(*World, layout.Rect, int) []string) []string {
	lines := make([]string, 0, max(0, r.H))
	var row []string
	for i, tile := range tiles.Tiles {
		drawn := draw(w, tile, i)
		if row == nil {
			row = drawn
		} else {
			row = widget.Beside(row, drawn)
		}
		if last := i == len(tiles.Tiles)-1; last || tiles.Tiles[i+1].Y != tile.Y {
			lines, row = append(lines, row...), nil
		}
	}
	return lines
}

// Tile draws what a pane shows in a frame of its state's colour: what it asks, else its last words, and how long it has
// needed the user.
func Tile(w *World, r layout.Rect, pane *core.Pane, view TileView) []string {
	title := w.Title(pane, r.W-6)
	if view.Marked {
		title = append(widget.Styled(theme.Accent, w.Theme.Glyphs().Marked+" "), title...)
	}
	frame := widget.Frame{Title: title, Focused: view.Selected, Border: theme.State(pane.Status.Shown())}
	if pane.NeedsUser() {
		frame.Note = widget.Line{
			{Token: theme.State(pane.Status.Shown()), Text: BriefWord(pane)},
			{Token: theme.Dim, Text: " " + w.Age(pane.Status.Since)},
		}
	}
	if view.Note != "" {
		if frame.Note != nil {
			view.Note = "  " + view.Note
		}
		frame.Note = append(frame.Note, widget.Span{Token: theme.Dim, Text: view.Note})
	}
	shot := w.Shot(pane)
	if pane.Status.State == core.Waiting {
		shot.Scroll = aboveQuestion(&shot, pane.Status.Asks, widget.Inner(r).H)
	} else {
		shot.Drop = w.Composers[pane.ID]
	}
	lines := widget.Tile(w.Theme, r, frame, shot, w.Cache)
	if view.Selected && len(lines) > 0 {
		lines[0] = w.Theme.Here() + lines[0]
	}
	return lines
}

// questionStart is how much of a question is looked for on the screen, in cells.
const questionStart = 24

// aboveQuestion is how many rows further up a tile of h rows begins to show what an agent asks.
func aboveQuestion(shot *widget.Shot, asks string, h int) int {
	top, _ := shot.Top(h)
	start, _, _ := strings.Cut(asks, "\n")
	if start = cells.Cut(cells.Clean(start), questionStart, ""); start == "" || top == 0 {
		return 0
	}
	for i := top - 1; i >= 0; i-- {
		if strings.Contains(cells.Strip(shot.Capture.Lines[i]), start) {
			return top - i
		}
	}
	return 0
}

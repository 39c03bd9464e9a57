package layout_test

import (
	"testing"

	"pgregory.net/rapid"

	"cupola/tui/layout"
)

func rects(t *rapid.T) layout.Rect {
	coordinate, size := rapid.IntRange(0, 50), rapid.IntRange(0, 220)
	return layout.Rect{
		X: coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), W: size.Draw(t, "w"),
		H: size.Draw(t, "h"),
	}
}

// cover fails unless parts cover a rect once, cell for cell.
func cover(t *rapid.T, whole layout.Rect, parts ...layout.Rect) {
	area := 0
	for i, part := range parts {
		area += part.W * part.H
		if part.W < 0 || part.H < 0 {
			t.Fatalf("%v has a negative size", part)
		}
		if !part.Empty() && (!whole.Contains(part.X, part.Y) || !whole.Contains(part.X+part.W-1, part.Y+part.H-1)) {
			t.Fatalf("%v lies outside %v", part, whole)
		}
		for _, other := range parts[:i] {
			if part.X < other.X+other.W && other.X < part.X+part.W && part.Y < other.Y+other.H &&
				other.Y < part.Y+part.H {
				t.Fatalf("%v and %v overlap", part, other)
			}
		}
	}
	if area != whole.W*whole.H {
		t.Fatalf("%v cover %d cells of %v", parts, area, whole)
	}
}

func TestSplitsCoverTheWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := rects(t), rapid.IntRange(-3, 260).Draw(t, "n")
		top, below := r.Top(n)
		cover(t, r, top, below)
		above, bottom := r.Bottom(n)
		cover(t, r, above, bottom)
		left, beside := r.Left(n)
		cover(t, r, left, beside)
		before, right := r.Right(n)
		cover(t, r, before, right)
		if bottom.H != min(max(0, n), r.H) || right.W != min(max(0, n), r.W) {
			t.Fatalf("%d of %v: %v, %v", n, r, bottom, right)
		}
		if k := rapid.IntRange(1, 12).Draw(t, "k"); k > 0 {
			cover(t, r, r.Rows(k)...)
			cover(t, r, r.Columns(k)...)
		}
	})
}

func TestTilesCoverTheWholeAndKeepTheirLeastSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, n := rects(t), rapid.IntRange(1, 120).Draw(t, "n")
		m := r.Tile(n, 36, 6)
		cover(t, r, m.Tiles...)
		if len(m.Tiles) > n || len(m.Tiles) > m.PerPage() {
			t.Fatalf("%d tiles for %d, %d a page", len(m.Tiles), n, m.PerPage())
		}
		for _, tile := range m.Tiles {
			if len(m.Tiles) > 1 && (tile.W < 36 || tile.H < 6) {
				t.Fatalf("a tile of %dx%d in %v", tile.W, tile.H, r)
			}
		}
		if fit := min(n, (r.W/36)*(r.H/6)); len(m.Tiles) < fit {
			t.Fatalf("%d tiles where %d fit", len(m.Tiles), fit)
		}
	})
}

func TestTilesTakeTheShapeOfATerminal(t *testing.T) {
	for _, test := range []struct{ w, h, n, columns, rows int }{
		{140, 38, 1, 1, 1},
		{140, 38, 2, 1, 2},
		{140, 38, 4, 2, 2},
		{200, 58, 12, 3, 4},
		{80, 22, 2, 1, 2},
		{60, 14, 3, 1, 2},
		{30, 4, 3, 1, 1},
	} {
		m := layout.Rect{W: test.w, H: test.h}.Tile(test.n, 36, 6)
		if m.Columns != test.columns || m.Rows != test.rows {
			t.Errorf("%d tiles in %dx%d: %d columns, %d rows; want %d, %d", test.n, test.w, test.h, m.Columns, m.Rows,
				test.columns, test.rows)
		}
	}
}

func TestArrowsMoveOverTiles(t *testing.T) {
	m := layout.TileGrid{Columns: 3, Rows: 3}
	for _, test := range []struct{ from, dx, dy, want int }{
		{0, 1, 0, 1},
		{0, -1, 0, 0},
		{2, 1, 0, 2},
		{0, 0, 1, 3},
		{0, 0, -1, 0},
		{7, 0, -1, 4},
		{5, 0, 1, 7},
		{7, 1, 0, 7},
		{6, 1, 0, 7},
		{7, 0, 1, 7},
		{3, -1, 0, 3},
	} {
		if got := m.Move(test.from, 8, test.dx, test.dy); got != test.want {
			t.Errorf("from %d by %d, %d: got %d, want %d", test.from, test.dx, test.dy, got, test.want)
		}
	}
}

func TestTheZoneDrawnLastAnswers(t *testing.T) {
	var zones layout.Zones
	zones.Add(layout.Rect{W: 80, H: 24}, "body")
	zones.Add(layout.Rect{X: 10, Y: 5, W: 20, H: 4}, "dialog")
	zones.Add(layout.Rect{X: 10, Y: 5, W: 0, H: 4}, "nothing")
	for _, test := range []struct {
		x, y int
		want any
	}{
		{0, 0, "body"},
		{10, 5, "dialog"},
		{29, 8, "dialog"},
		{30, 8, "body"},
		{29, 9, "body"},
		{80, 5, nil},
		{-1, 0, nil},
	} {
		zone, ok := zones.At(test.x, test.y)
		if zone.Target != test.want || ok != (test.want != nil) {
			t.Errorf("%d, %d: got %v", test.x, test.y, zone.Target)
		}
	}
}

func TestPartsOfARect(t *testing.T) {
	r := layout.Rect{X: 2, Y: 3, W: 10, H: 5}
	for _, test := range []struct {
		name      string
		got, want layout.Rect
	}{
		{"inset", r.Inset(1), layout.Rect{X: 3, Y: 4, W: 8, H: 3}},
		{"inset of too much", r.Inset(4), layout.Rect{X: 6, Y: 7, W: 2, H: 0}},
		{"centred", r.Centred(4, 3), layout.Rect{X: 5, Y: 4, W: 4, H: 3}},
		{"centred, too large", r.Centred(40, 30), r},
		{"row", r.Row(4), layout.Rect{X: 2, Y: 7, W: 10, H: 1}},
		{"no row", r.Row(5), layout.Rect{X: 2, Y: 3}},
	} {
		if test.got != test.want {
			t.Errorf("%s: got %v, want %v", test.name, test.got, test.want)
		}
	}
}

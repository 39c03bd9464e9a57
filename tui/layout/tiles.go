package layout

// TileGrid is how tiles are placed in a rect: row by row, from the left.
type TileGrid struct {
	// Columns and Rows count the tiles of a page; both are at least 1.
	Columns, Rows int
	// Tiles are the places of a page in reading order. The last row's tiles share
	// its whole width.
	Tiles []Rect
}

// PerPage counts the tiles of a full page.
func (m TileGrid) PerPage() int { return m.Columns * m.Rows }

// Tile places up to n tiles so that each is at least minW by minH cells; where
// they do not all fit, there is a page of as many as do. Of all ways it takes
// the one whose tiles are nearest to a terminal's shape. A rect smaller than one
// tile holds one.
func (r Rect) Tile(n, minW, minH int) TileGrid {
	mostColumns, mostRows := r.W/max(1, minW), r.H/max(1, minH)
	if mostColumns < 1 || mostRows < 1 {
		mostColumns, mostRows = 1, 1
	}
	n = max(1, min(n, mostColumns*mostRows))
	best, columns := -1, 1
	for c := 1; c <= min(n, mostColumns); c++ {
		rows := (n + c - 1) / c
		if rows > mostRows {
			continue
		}
		if s := distortion(r.W/c, r.H/rows); best < 0 || s < best {
			best, columns = s, c
		}
	}
	rows := (n + columns - 1) / columns
	m := TileGrid{Columns: columns, Rows: rows}
	for i, row := range r.Rows(rows) {
		m.Tiles = append(m.Tiles, row.Columns(min(columns, n-i*columns))...)
	}
	return m
}

// distortion is how far a tile is from 80 by 24: lower is better. Tiles too narrow
// to read weigh more than those too low.
func distortion(w, h int) int {
	ratio := 100 * w * 24 / max(1, h*80)
	if ratio < 100 {
		return 3 * (100 - ratio)
	}
	return ratio - 100
}

// Move returns the tile that an arrow leads to from tile i of n, dx columns and dy rows further. It returns i where
// there is none, as in the zero TileGrid.
func (m TileGrid) Move(i, n, dx, dy int) int {
	if m.Columns == 0 {
		return i
	}
	column := i%m.Columns + dx
	to := i + dx + dy*m.Columns
	if column < 0 || column >= m.Columns || to < 0 {
		return i
	}
	if to >= n {
		// Below a tile there may be a shorter last row: its last tile is meant.
		if dy > 0 && i/m.Columns < (n-1)/m.Columns {
			return n - 1
		}
		return i
	}
	return to
}

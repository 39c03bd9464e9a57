// Package layout is the geometry of the dashboard: rectangles in cells, how they
// are divided, and what was drawn where, so that a click finds its target. It
// draws nothing and knows no terminal.
package layout

// Rect is a part of the terminal, in cells from 0, 0 at the top left. A rect
// without width or height is empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether a rect holds no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether a cell is in the rect.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H
}

// Inset returns the rect without n cells on every side; it may be empty.
func (r Rect) Inset(n int) Rect {
	return Rect{X: r.X + n, Y: r.Y + n, W: max(0, r.W-2*n), H: max(0, r.H-2*n)}
}

// Top splits off h rows at the top, as far as there are any.
func (r Rect) Top(h int) (top, rest Rect) {
	h = within(h, r.H)
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, r.H - h}
}

// Bottom splits off h rows at the bottom, as far as there are any.
func (r Rect) Bottom(h int) (rest, bottom Rect) {
	return r.Top(r.H - within(h, r.H))
}

// Left splits off w columns at the left, as far as there are any.
func (r Rect) Left(w int) (left, rest Rect) {
	w = within(w, r.W)
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, r.W - w, r.H}
}

// Right splits off w columns at the right, as far as there are any.
func (r Rect) Right(w int) (rest, right Rect) {
	return r.Left(r.W - within(w, r.W))
}

// Centred returns a rect of at most w by h cells in the middle.
func (r Rect) Centred(w, h int) Rect {
	w, h = within(w, r.W), within(h, r.H)
	return Rect{X: r.X + (r.W-w)/2, Y: r.Y + (r.H-h)/2, W: w, H: h}
}

// Row returns one row of the rect, counted from its top; an empty rect where
// there is none.
func (r Rect) Row(n int) Rect {
	if n < 0 || n >= r.H {
		return Rect{X: r.X, Y: r.Y}
	}
	return Rect{X: r.X, Y: r.Y + n, W: r.W, H: 1}
}

func within(n, most int) int { return max(0, min(n, most)) }

// Rows divides the rect into n rows of as equal a height as can be; the first
// ones take what is left over. It returns nothing for n below 1.
func (r Rect) Rows(n int) []Rect {
	rects := make([]Rect, 0, max(0, n))
	for i, rest := 0, r; i < n; i++ {
		var row Rect
		row, rest = rest.Top((rest.H + n - i - 1) / (n - i))
		rects = append(rects, row)
	}
	return rects
}

// Columns divides the rect into n columns of as equal a width as can be; the
// first ones take what is left over. It returns nothing for n below 1.
func (r Rect) Columns(n int) []Rect {
	rects := make([]Rect, 0, max(0, n))
	for i, rest := 0, r; i < n; i++ {
		var column Rect
		column, rest = rest.Left((rest.W + n - i - 1) / (n - i))
		rects = append(rects, column)
	}
	return rects
}

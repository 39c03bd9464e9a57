package widget

import "cupola/core/cells"

// editTab is how many cells a tab takes in text being typed.
const editTab = 4

// typedRow is the part of a text that is one row on screen; hard is true where
// the line as typed ends with it.
type typedRow struct {
	from, to int
	hard     bool
}

// width is how many cells the character from a to b takes.
func (t typed) width(a, b int) int {
	switch t[a] {
	case '\t':
		return editTab
	case '\n': // in a single line that was not one before
		return 1
	}
	return cells.Width(t.shown(a, b))
}

// shown is how the character from a to b is drawn. One without a cell of its own,
// such as an accent with nothing to stand on, is replaced, so that the cursor can
// be seen on it.
func (t typed) shown(a, b int) string {
	sign := cells.Clean(string(t[a:b]))
	if cells.Width(sign) == 0 {
		return "\ufffd"
	}
	return sign
}

// wrapper divides text into rows.
type wrapper struct {
	w    int
	rows []typedRow
	// from is where the row begins, blank the place behind its last blank, or -1.
	from, blank int
	// used is how many cells the row takes, since how many of them stand behind
	// that blank.
	used, since int
}

// wrapped divides the text into rows of at most w cells, at blanks where there
// are any; one blank more may hang over at a row's end. There is always one row.
func (t typed) wrapped(w int) []typedRow {
	r := wrapper{w: max(1, w), blank: -1}
	for at := 0; at < len(t); {
		next := t.after(at)
		if t[at] == '\n' {
			r.close(at, next)
		} else {
			r.take(at, next, t.width(at, next), t[at] == ' ')
		}
		at = next
	}
	r.close(len(t), len(t))
	return r.rows
}

func (r *wrapper) take(at, next, width int, blank bool) {
	hangs := blank && r.used == r.w
	if r.used+width > r.w && at > r.from && !hangs {
		if r.blank > r.from && !blank {
			r.rows = append(r.rows, typedRow{r.from, r.blank, false})
			r.from, r.used = r.blank, r.since
		} else {
			r.rows = append(r.rows, typedRow{r.from, at, false})
			r.from, r.used = at, 0
		}
		r.blank = -1
	}
	r.used += width
	r.since += width
	if blank {
		r.blank, r.since = next, 0
	}
}

// close ends a line as typed. Behind a blank that hangs over there is no cell
// left for the cursor, so an empty row follows.
func (r *wrapper) close(at, next int) {
	if r.used > r.w && r.blank == at {
		r.rows = append(r.rows, typedRow{r.from, at, false})
		r.from = at
	}
	r.rows = append(r.rows, typedRow{r.from, at, true})
	r.from, r.blank, r.used, r.since = next, -1, 0, 0
}

// find returns the row and the column of the cursor.
func (e *Editor) find(rows []typedRow) (row, column int) {
	for row = range rows {
		// Where a line goes on in the next row, its end is that row's beginning.
		if e.at < rows[row].to || e.at == rows[row].to && rows[row].hard {
			break
		}
	}
	for at := rows[row].from; at < e.at; {
		next := e.text.after(at)
		column += e.text.width(at, next)
		at = next
	}
	return row, column
}

// climb moves by rows as they are in w cells; false where there is none.
func (e *Editor) climb(w, by int) bool {
	rows := e.text.wrapped(w)
	row, column := e.find(rows)
	if row+by < 0 || row+by >= len(rows) {
		return false
	}
	if e.column > 0 {
		column = e.column - 1
	}
	to := rows[row+by]
	at := to.from
	for used := 0; at < to.to; {
		next := e.text.after(at)
		used += e.text.width(at, next)
		if used > column || next == to.to && !to.hard {
			break
		}
		at = next
	}
	e.at, e.column = at, column+1
	return true
}

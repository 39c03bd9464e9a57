package widget

import "github.com/charmbracelet/x/ansi"

// editTab is how many cells a tab takes in text being typed.
const editTab = 4

// span of text that is one row on screen; hard is true where the line as typed
// ends with it.
type typedRow struct {
	from, to int
	hard     bool
}

// width is how many cells the character from a to b takes.
func (e *Editor) width(a, b int) int {
	switch e.text[a] {
	case '\t':
		return editTab
	case '\n': // in a single line that was not one before
		return 1
	}
	return ansi.StringWidth(e.text[a:b])
}

// wrapped divides the text into rows of at most w cells, at blanks where there
// are any. There is always one row.
func (e *Editor) wrapped(w int) []typedRow {
	w = max(1, w)
	var rows []typedRow
	from, blank, used, sinceBlank := 0, -1, 0, 0
	for at := 0; at < len(e.text); {
		next := e.after(at)
		if e.text[at] == '\n' {
			rows = append(rows, typedRow{from, at, true})
			from, blank, used, sinceBlank, at = next, -1, 0, 0, next
			continue
		}
		width := e.width(at, next)
		if used+width > w && at > from {
			if blank > from && e.text[at] != ' ' {
				rows, from, used = append(rows, typedRow{from, blank, false}), blank, sinceBlank
			} else {
				rows, from, used = append(rows, typedRow{from, at, false}), at, 0
			}
			blank = -1
		}
		used += width
		sinceBlank += width
		if at = next; e.text[at-1] == ' ' {
			blank, sinceBlank = at, 0
		}
	}
	return append(rows, typedRow{from, len(e.text), true})
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
		next := e.after(at)
		column += e.width(at, next)
		at = next
	}
	return row, column
}

// Up moves to the row above as rows are in w cells; false where there is none.
func (e *Editor) Up(w int) bool { return e.climb(w, -1) }

// Down moves to the row below; false where there is none.
func (e *Editor) Down(w int) bool { return e.climb(w, 1) }

func (e *Editor) climb(w, by int) bool {
	rows := e.wrapped(w)
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
		next := e.after(at)
		used += e.width(at, next)
		if used > column || next == to.to && !to.hard {
			break
		}
		at = next
	}
	e.at, e.column = at, column+1
	return true
}

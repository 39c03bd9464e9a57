package widget

import (
	"strings"

	"cupola/theme"
	"cupola/tui/layout"
)

// Entry is how an editor is shown.
type Entry struct {
	Editor *Editor
	// Placeholder stands where nothing was typed yet.
	Placeholder string
	// Focused shows the cursor.
	Focused bool
}

// Input draws text being typed. Long lines are wrapped, and the rows around the
// cursor are shown; a single line is moved sideways instead. The last column is
// kept for the cursor.
func Input(t *theme.Theme, r layout.Rect, entry Entry) []string {
	if r.Empty() {
		return pad(nil, r)
	}
	e := entry.Editor
	if e.text == "" {
		return pad([]string{entry.invitation(t, r.W)}, r)
	}
	if e.Single {
		return pad([]string{entry.sideways(t, r.W)}, r)
	}
	rows := e.text.wrapped(r.W - 1)
	row, _ := e.find(rows)
	top := Follow(0, row, len(rows), r.H)
	lines := make([]string, 0, r.H)
	for i := top; i < len(rows) && len(lines) < r.H; i++ {
		cursor := -1
		if entry.Focused && i == row {
			cursor = e.at
		}
		lines = append(lines, e.row(t, rows[i].from, rows[i].to, cursor, r.W))
	}
	return pad(lines, r)
}

func (entry *Entry) invitation(t *theme.Theme, w int) string {
	cursor := ""
	if entry.Focused {
		cursor = t.Cursor().Paint(" ")
		w--
	}
	return cursor + brush{theme: t}.row(w, Say(theme.Dim, entry.Placeholder), nil)
}

// sideways draws the part of a single line that ends at the cursor, or begins
// with the line.
func (entry *Entry) sideways(t *theme.Theme, w int) string {
	e := entry.Editor
	from, before := 0, 0
	for at := 0; at < e.at; {
		next := e.text.after(at)
		before += e.text.width(at, next)
		at = next
	}
	for before > w-1 && from < e.at {
		next := e.text.after(from)
		before -= e.text.width(from, next)
		from = next
	}
	cursor := -1
	if entry.Focused {
		cursor = e.at
	}
	return e.row(t, from, len(e.text), cursor, w)
}

// row draws a part of the text in w cells; cursor is the place of the character
// to be marked, -1 for none.
func (e *Editor) row(t *theme.Theme, from, to, cursor, w int) string {
	var out strings.Builder
	used := 0
	for at := from; at < to; {
		next := e.text.after(at)
		width := e.text.width(at, next)
		if used+width > w {
			break
		}
		sign := spaces(width)
		if e.text[at] != '\t' && e.text[at] != '\n' {
			sign = e.text.shown(at, next)
		}
		if at == cursor {
			sign = t.Cursor().Paint(sign)
		}
		out.WriteString(sign)
		used += width
		at = next
	}
	if cursor >= to && used < w {
		out.WriteString(t.Cursor().Paint(" "))
		used++
	}
	return exactly(out.String()+spaces(w-used), w)
}

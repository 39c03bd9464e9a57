package agent

import (
	"slices"
	"strings"

	"cupola/core/term/cells"
)

// ghost separates what a user typed into a composer from what the program shows there: a placeholder, a suggestion
// behind the cursor, the words that may follow a command.
type ghost struct {
	rules *composerSpec
	page  *page
	// first is the page's row of the draft's first row.
	first int
	// rows are the draft's, starts the cells of the frame at which they begin, and left is the frame's column.
	rows   []string
	starts []int
	left   int
}

// typed returns the rows that the user typed. Text in the usual colour counts as typed, unless the kind's hints match
// it or, on a screen without attributes, the cursor is before all of it.
func (g *ghost) typed() []string {
	at := g.page.caret
	row := at.row - g.first
	within := at.known && row >= 0 && row < len(g.rows)
	column := 0
	if within {
		column = at.column - g.left - g.starts[row]
		within = column >= 0
	}
	begins := within && row == 0 && column == 0
	styled := g.coloured()
	switch {
	case begins && g.rules.Ghost && !styled:
		return nil
	case styled && (begins || !within && !matchesAny(g.rules.Collapsed, strings.Join(g.rows, "\n"))) && g.dim(0, 0):
		return nil
	case styled && within && g.dim(row, column):
		return append(append([]string{}, g.rows[:row]...), columns(g.rows[row], 0, column))
	case len(g.rows) == 1 && strings.HasPrefix(strings.TrimSpace(g.rows[0]), "/"):
		return []string{g.command(g.rows[0], within, column)}
	}
	return g.rows
}

// command returns a typed command without the hint behind it. If the cursor is in the row, a hint begins there.
func (g *ghost) command(row string, within bool, column int) string {
	for _, hint := range g.rules.Hints {
		from, to := hint.find(row)
		if from > 0 && to == len(row) && (!within || cells.Width(strings.TrimRight(row[:from], " ")) <= column &&
			column <= cells.Width(row[:from])+1) {
			return row[:from]
		}
	}
	return row
}

// dim reports whether all text of the draft from a row and a column on is drawn faint or grey, and there is some. A
// character under a cursor that the program draws itself counts as such.
func (g *ghost) dim(row, column int) bool {
	some := false
	for i := row; i < len(g.rows); i++ {
		drawn := cells.Dimmed(g.page.raw[:g.first+i+1])
		from := g.left + g.starts[i]
		at := from
		for rest := g.rows[i]; rest != ""; {
			one := cells.First(rest)
			if text := rest[:max(1, one.Len)]; at >= from+column && strings.TrimSpace(text) != "" {
				if at >= len(drawn) || !drawn[at] {
					return false
				}
				some = true
			}
			at += one.Width
			rest = rest[max(1, one.Len):]
		}
		column = 0
	}
	return some
}

// coloured reports whether the page was captured with its attributes.
func (g *ghost) coloured() bool {
	return slices.ContainsFunc(g.page.raw, func(raw string) bool { return strings.IndexByte(raw, '\x1b') >= 0 })
}

package plain

import (
	"math"
	"slices"
	"strings"

	"cupola/core"

	"cupola/core/term/cells"
	"cupola/core/text/report"
)

// gap is the space between columns.
const gap = 2

// narrowest is the width to which columns are squeezed at first; only where
// that does not do they become narrower still.
const narrowest = 6

func (p *Printer) table(b *strings.Builder, t *report.Table) {
	if len(t.Rows) == 0 {
		if t.Empty != "" {
			b.WriteString(p.render(report.Dim, cells.Clean(t.Empty)) + "\n")
		}
		return
	}
	if p.Width == 0 {
		for _, row := range t.Rows {
			var texts []string
			for i, cell := range row {
				if !t.Columns[i].Bar {
					texts = append(texts, strings.TrimRight(cells.Clean(cell.Text), " "))
				}
			}
			b.WriteString(strings.Join(texts, "\t") + "\n")
		}
		return
	}
	t = p.barred(t)
	t, below := p.besides(t)
	t = p.fitting(t)
	widths := p.widths(t)
	if titled(t) {
		header := core.Map(t.Columns, func(column report.Column) report.Cell {
			return report.Toned(report.Dim, column.Title)
		})
		p.row(b, t.Columns, widths, header)
	}
	for i, row := range t.Rows {
		p.row(b, t.Columns, widths, row)
		for _, cell := range below[i] {
			p.below(b, cell)
		}
	}
}

// barWidth is how wide bars are.
const barWidth = 12

// barred returns a table whose bars are drawn.
func (p *Printer) barred(t *report.Table) *report.Table {
	if !slices.ContainsFunc(t.Columns, func(c report.Column) bool { return c.Bar }) {
		return t
	}
	drawn := &report.Table{Columns: t.Columns, Rows: make([][]report.Cell, len(t.Rows)), Empty: t.Empty}
	for n, row := range t.Rows {
		drawn.Rows[n] = slices.Clone(row)
		for i, column := range t.Columns {
			if column.Bar {
				drawn.Rows[n][i].Text = p.bar(row[i].Share)
			}
		}
	}
	return drawn
}

// bar draws a share; one above 0 is never drawn as nothing.
func (p *Printer) bar(share float64) string {
	filled := int(math.Round(share * barWidth))
	if share > 0 {
		filled = max(1, filled)
	}
	return strings.Repeat(p.Theme().Glyphs().Filled, filled)
}

// columns draws values as columns of a cell each, the greatest as high as the line.
func (p *Printer) columns(values []float64) string {
	bars := p.Theme().Glyphs().Bars
	most := slices.Max(append([]float64{0}, values...))
	var line strings.Builder
	for _, value := range values {
		if value <= 0 || most <= 0 {
			line.WriteByte(' ')
			continue
		}
		line.WriteString(bars[min(len(bars)-1, int(value/most*float64(len(bars))))])
	}
	return line.String()
}

// besides returns a table without the columns that are never cut, and their cells by row, if they have no room.
func (p *Printer) besides(t *report.Table) (*report.Table, [][]report.Cell) {
	below := make([][]report.Cell, len(t.Rows))
	needed := -gap
	for i, column := range t.Columns {
		width := cells.Width(column.Title)
		for _, row := range t.Rows {
			width = max(width, cells.Width(p.text(row[i])))
		}
		needed += gap + width
	}
	if needed <= p.Width {
		return t, below
	}
	rest := &report.Table{Rows: make([][]report.Cell, len(t.Rows))}
	for i, column := range t.Columns {
		if !column.Below {
			rest.Columns = append(rest.Columns, column)
		}
		for n, row := range t.Rows {
			switch {
			case !column.Below:
				rest.Rows[n] = append(rest.Rows[n], row[i])
			case strings.TrimSpace(row[i].Text) != "":
				below[n] = append(below[n], row[i])
			}
		}
	}
	return rest, below
}

// below writes a cell below its row: a command as it is, else at most mostBelow lines.
func (p *Printer) below(b *strings.Builder, cell report.Cell) {
	const indent, mostBelow = "    ", 2
	text := p.text(cell)
	if cell.Tone == report.Code {
		b.WriteString(indent + p.render(cell.Tone, text) + "\n")
		return
	}
	lines := cells.Wrap(text, max(1, p.Width-len(indent)))
	if len(lines) > mostBelow {
		lines[mostBelow-1] = cells.Cut(strings.Join(lines[mostBelow-1:], " "), p.Width-len(indent),
			p.Theme().Glyphs().Ellipsis)
		lines = lines[:mostBelow]
	}
	for _, line := range lines {
		b.WriteString(indent + p.render(cell.Tone, line) + "\n")
	}
}

func titled(t *report.Table) bool {
	for _, column := range t.Columns {
		if column.Title != "" {
			return true
		}
	}
	return false
}

// fitting returns a table without the columns that it can do without, as long as the
// others have no room even where the flexible ones give way.
func (p *Printer) fitting(t *report.Table) *report.Table {
	for {
		_, over := p.flexed(t)
		last := 0
		for i, column := range t.Columns {
			if column.Drop > t.Columns[last].Drop {
				last = i
			}
		}
		if over <= 0 || len(t.Columns) == 0 || t.Columns[last].Drop == 0 {
			return t
		}
		fewer := &report.Table{Columns: without(t.Columns, last), Rows: make([][]report.Cell, len(t.Rows))}
		for i, row := range t.Rows {
			fewer.Rows[i] = without(row, last)
		}
		t = fewer
	}
}

// without returns a copy of a list without one of its items.
func without[T any](list []T, at int) []T { return slices.Delete(slices.Clone(list), at, at+1) }

// widths gives every column what its widest cell needs; where that is more than
// the terminal has, flexible columns give way first, then the widest ones.
func (p *Printer) widths(t *report.Table) []int {
	widths, over := p.flexed(t)
	over = squeeze(widths, over, narrowest)
	squeeze(widths, over, 1)
	return widths
}

// flexed returns what every column needs, after the flexible ones gave way, and how
// many cells that is more than the terminal has.
func (p *Printer) flexed(t *report.Table) (widths []int, over int) {
	widths = make([]int, len(t.Columns))
	for i, column := range t.Columns {
		widths[i] = cells.Width(column.Title)
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], cells.Width(p.text(cell)))
		}
	}
	over = gap * (len(widths) - 1)
	for _, width := range widths {
		over += width
	}
	over -= p.Width
	for i, column := range t.Columns {
		if column.Flex && over > 0 {
			give := min(over, max(0, widths[i]-narrowest))
			widths[i] -= give
			over -= give
		}
	}
	return widths, over
}

// squeeze takes cells from the widest columns, as long as one is wider than
// least, and returns how many are still too many.
func squeeze(widths []int, over, least int) int {
	for over > 0 {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= least {
			break
		}
		widths[widest]--
		over--
	}
	return over
}

// text is a cell's text with the glyph of its state.
func (p *Printer) text(cell report.Cell) string {
	text := strings.TrimRight(cells.Clean(cell.Text), " ")
	if state, ok := cell.Tone.State(); ok {
		return p.Theme().Glyph(state) + " " + text
	}
	return text
}

func (p *Printer) row(b *strings.Builder, columns []report.Column, widths []int, row []report.Cell) {
	var line strings.Builder
	for i, cell := range row {
		text := cells.Cut(p.text(cell), widths[i], p.Theme().Glyphs().Ellipsis)
		pad := strings.Repeat(" ", max(0, widths[i]-cells.Width(text)))
		styled := p.render(cell.Tone, text)
		switch {
		case columns[i].Right:
			styled = pad + styled
		case i < len(row)-1:
			styled += pad
		}
		if i > 0 {
			line.WriteString(strings.Repeat(" ", gap))
		}
		line.WriteString(styled)
	}
	b.WriteString(cells.Cut(strings.TrimRight(line.String(), " "), p.Width, p.Theme().Glyphs().Ellipsis) + "\n")
}

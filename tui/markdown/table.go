package markdown

import (
	"strings"

	east "github.com/yuin/goldmark/extension/ast"

	"cupola/core/term/cells"
	"cupola/theme"
)

const (
	// gap is the space between columns, and least the width below which a table is shown as records.
	gap, least = 2, 4
)

// table lays out a table: in columns if they have room, and else each row as a record.
func (p *page) table(table *east.Table, width int) []string {
	p.inCell = true
	defer func() { p.inCell = false }()
	var rows [][][]run
	for row := table.FirstChild(); row != nil; row = row.NextSibling() {
		var line [][]run
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			token := theme.Text
			if row.Kind() == east.KindTableHeader {
				token = theme.Strong
			}
			line = append(line, p.inline(cell, token))
		}
		rows = append(rows, line)
	}
	columns := len(table.Alignments)
	if columns == 0 || len(rows) == 0 {
		return nil
	}
	widths := make([]int, columns)
	total := gap * (columns - 1)
	for _, row := range rows {
		for i, cell := range row {
			for line := range strings.SplitSeq(joined(cell), "\n") {
				widths[i] = max(widths[i], cells.Width(line))
			}
		}
	}
	for i := range widths {
		widths[i] = max(1, widths[i])
		total += widths[i]
	}
	if width < gap*(columns-1)+least*columns && total > width {
		return p.records(rows, width)
	}
	squeeze(widths, total-width)
	var lines []string
	for i, row := range rows {
		lines = append(lines, tableRow(row, widths, table.Alignments)...)
		if i == 0 {
			rules := make([]string, columns)
			for at := range rules {
				rules[at] = strings.Repeat(p.theme.Glyphs().Light.Horizontal, widths[at])
			}
			lines = append(lines, p.style(theme.Border).Render(strings.Join(rules, strings.Repeat(" ", gap))))
		}
	}
	return lines
}

// squeeze takes cells from the widest columns.
func squeeze(widths []int, over int) {
	for ; over > 0; over-- {
		widest := 0
		for i := range widths {
			if widths[i] > widths[widest] {
				widest = i
			}
		}
		if widths[widest] <= 1 {
			return
		}
		widths[widest]--
	}
}

// tableRow lays out one row, in as many lines as its highest cell needs.
func tableRow(row [][]run, widths []int, alignments []east.Alignment) []string {
	columns := make([][]string, len(widths))
	height := 1
	for i := range columns {
		if i < len(row) {
			columns[i] = wrap(row[i], widths[i])
		}
		height = max(height, len(columns[i]))
	}
	lines := make([]string, height)
	for at := range lines {
		var b strings.Builder
		blanks := 0
		for i, column := range columns {
			text := ""
			if at < len(column) {
				text = column[at]
			}
			room := max(0, widths[i]-cells.Width(text))
			left := 0
			switch alignments[i] {
			case east.AlignRight:
				left = room
			case east.AlignCenter:
				left = room / 2
			}
			if text != "" {
				b.WriteString(strings.Repeat(" ", blanks+left) + text)
				blanks = room - left + gap
			} else {
				blanks += room + gap
			}
		}
		lines[at] = b.String()
	}
	return lines
}

// records shows each row as lines of a heading and its value. Headings that would fill more than
// the largest text, repeated for each row, are left out.
func (p *page) records(rows [][][]run, width int) []string {
	var lines []string
	headings := 0
	for _, heading := range rows[0] {
		headings += len(joined(heading))
	}
	headed := headings*len(rows) <= most
	for i, row := range rows[1:] {
		if i > 0 {
			lines = append(lines, "")
		}
		for at, cell := range row {
			line := cell
			if headed {
				line = append(append(append([]run{}, rows[0][at]...), run{text: ": "}), cell...)
			}
			lines = append(lines, wrap(line, width)...)
		}
	}
	return lines
}

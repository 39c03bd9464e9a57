package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// tables finds tables in paragraphs, as GitHub Flavored Markdown defines them. It replaces
// the package extension of goldmark, whose regular expressions cost milliseconds at each start.
//
// Rows have only the cells that are written: filling up short rows would let a small text ask for
// a huge table.
type tables struct{}

// Transform replaces a paragraph that has a table by the text before the table, if any, and the
// table. A table is a header row, a delimiter row of as many cells, and all lines that follow.
func (tables) Transform(paragraph *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), paragraph.Lines()
	for i := 1; i < lines.Len(); i++ {
		alignments := delimiters(source, lines.At(i))
		if alignments == nil {
			continue
		}
		header := split(source, lines.At(i-1))
		if len(header) != len(alignments) {
			continue
		}
		table := east.NewTable()
		table.Alignments = alignments
		addRow(table, &east.TableHeader{}, header)
		for j := i + 1; j < lines.Len(); j++ {
			row := split(source, lines.At(j))
			addRow(table, east.NewTableRow(alignments), row[:min(len(row), len(alignments))])
		}
		replace(paragraph, lead(source, lines.Sliced(0, i-1)), table)
		return
	}
}

// replace puts the table, and the text before it if there is one, where the paragraph was. The
// paragraph itself must go: goldmark could still make a heading of it, and place that after the table.
func replace(paragraph, lead *ast.Paragraph, table *east.Table) {
	parent := paragraph.Parent()
	first := ast.Node(table)
	if lead != nil {
		parent.InsertBefore(parent, paragraph, lead)
		first = lead
	}
	parent.InsertBefore(parent, paragraph, table)
	first.SetBlankPreviousLines(paragraph.HasBlankPreviousLines())
	parent.RemoveChild(parent, paragraph)
}

// lead is a paragraph of the lines before a table, or nil.
func lead(source []byte, lines []text.Segment) *ast.Paragraph {
	if len(lines) == 0 {
		return nil
	}
	paragraph := ast.NewParagraph()
	for i, line := range lines {
		line = line.TrimLeftSpace(source)
		if i == len(lines)-1 {
			line = line.TrimRightSpace(source)
		}
		paragraph.Lines().Append(line)
	}
	return paragraph
}

func addRow(table *east.Table, row ast.Node, contents []text.Segment) {
	for _, content := range contents {
		cell := east.NewTableCell()
		cell.Lines().Append(content)
		row.AppendChild(row, cell)
	}
	table.AppendChild(table, row)
}

// split divides a line into the contents of its cells. The pipes at its ends are optional, and a
// pipe after a backslash divides nothing, not even in code.
func split(source []byte, line text.Segment) []text.Segment {
	line = trimmed(source, line)
	start := line.Start
	if start < line.Stop && source[start] == '|' {
		start++
	}
	var row []text.Segment
	for at := start; at < line.Stop; at++ {
		if source[at] == '|' && source[at-1] != '\\' {
			row = append(row, trimmed(source, text.NewSegment(start, at)))
			start = at + 1
		}
	}
	if start < line.Stop {
		row = append(row, trimmed(source, text.NewSegment(start, line.Stop)))
	}
	return row
}

func trimmed(source []byte, part text.Segment) text.Segment {
	part = part.TrimLeftSpace(source)
	return part.TrimRightSpace(source)
}

// delimiters returns the alignments that a delimiter row sets, or nil for any other line. Dashes
// alone are none: they underline a heading, or continue the text of a quote.
func delimiters(source []byte, line text.Segment) []east.Alignment {
	written := source[line.Start:line.Stop]
	if len(bytes.Trim(written, "|:- \t\r\n")) > 0 || !bytes.ContainsAny(written, "|:") {
		return nil
	}
	var alignments []east.Alignment
	for _, cell := range split(source, line) {
		value := cell.Value(source)
		dashes, right := bytes.CutSuffix(value, []byte(":"))
		dashes, left := bytes.CutPrefix(dashes, []byte(":"))
		if len(dashes) == 0 || len(bytes.Trim(dashes, "-")) > 0 {
			return nil
		}
		alignment := east.AlignNone
		switch {
		case left && right:
			alignment = east.AlignCenter
		case left:
			alignment = east.AlignLeft
		case right:
			alignment = east.AlignRight
		}
		alignments = append(alignments, alignment)
	}
	return alignments
}

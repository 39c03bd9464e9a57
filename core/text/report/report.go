// Package report describes, without style, what an answer shows users: headings, tables,
// lines and commands to type next. Verbs make reports; tui/plain renders them. It knows no
// colour, no width and no terminal.
package report

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"cupola/core"
)

// Tone is the meaning of a piece of text; faces choose its style. The zero value is
// plain text.
type Tone string

// The tones besides those of states, which StateTone makes.
const (
	Plain  Tone = ""
	Strong Tone = "strong"
	Dim    Tone = "dim"
	Good   Tone = "good"
	Warn   Tone = "warn"
	Bad    Tone = "bad"
	Code   Tone = "code"
)

// StateTone is the tone of a state's word.
func StateTone(state core.State) Tone { return Tone("state:" + string(state)) }

// Cell is a piece of text with its tone.
type Cell struct {
	Text string
	Tone Tone
	// Share is the length of the bar in a column of bars, from 0 to 1.
	Share float64
}

// Text makes a plain cell.
func Text(text string) Cell { return Cell{Text: text} }

// Toned makes a cell with a tone.
func Toned(tone Tone, text string) Cell { return Cell{Text: text, Tone: tone} }

// State makes the cell of a status: its word and, where known, its reason.
func State(status core.Status) Cell {
	text := string(status.Shown())
	if status.Reason != "" {
		text += " (" + string(status.Reason) + ")"
	}
	if status.Has(core.NoteRetrying) {
		text += ", retrying"
	}
	return Toned(StateTone(status.Shown()), text)
}

// Column is a table's column.
type Column struct {
	Title string
	// Right aligns to the right, for numbers.
	Right bool
	// Flex columns shrink first on a narrow terminal.
	Flex bool
	// Below columns are never cut: where the table has no room for them, their cells have lines of their own below
	// the rows.
	Below bool
	// Bar columns show the shares of their cells as bars, on terminals only: what programs read does not change.
	Bar bool
	// Drop is not 0 for columns that are omitted if shrinking is not enough, the greatest
	// number first.
	Drop int
}

// Table is rows under columns. A table without rows shows Empty instead.
type Table struct {
	Columns []Column
	Rows    [][]Cell
	Empty   string
}

// dropBars is the Drop of columns of bars: other columns have their figures.
const dropBars = 9

// AddBars adds a column of bars, one for each row; the longest is the whole.
func (t *Table) AddBars(values []float64, whole float64) *Table {
	t.Columns = append(t.Columns, Column{Bar: true, Drop: dropBars})
	for i := range t.Rows {
		cell := Cell{Tone: Good}
		if i < len(values) && whole > 0 {
			cell.Share = max(0, min(values[i]/whole, 1))
		}
		t.Rows[i] = append(t.Rows[i], cell)
	}
	return t
}

// Spark is a block with a row of small columns behind a label, which only terminals show.
func Spark(label string, values []float64) Block {
	return Block{Lines: []Line{{Toned(Dim, label+" ")}}, Values: values}
}

// Columns makes left-aligned columns.
func Columns(titles ...string) []Column {
	columns := make([]Column, len(titles))
	for i, title := range titles {
		columns[i].Title = title
	}
	return columns
}

// Line is a row of cells without columns.
type Line []Cell

// Block is a table or lines under an optional heading.
type Block struct {
	Heading string
	Lines   []Line
	Table   *Table
	// Values are drawn as a row of small columns behind the line. Only terminals show a block with some.
	Values []float64
	// Quote is text of several lines that Cupola did not write, such as a captured screen. Control sequences and
	// deceptive characters are removed when it is shown.
	Quote string
	// Markdown is such a text with marks, laid out on a terminal; anywhere else it is shown as it is.
	Markdown string
	// Picture is rows of cells of one width, drawn in white on black; a terminal that has no room for all of them
	// shows none.
	Picture []string
	// Raw is a document to be kept in a file: byte for byte, except on a terminal.
	Raw string
}

// Report is an answer for a human reader: blocks in order, then commands worth typing next, each with its effect.
type Report struct {
	Blocks []Block
	Next   []Tip
}

// Tip is a command worth typing and what it does.
type Tip struct {
	Command string
	Does    string
}

// Say makes a report of one line.
func Say(cells ...Cell) *Report {
	return &Report{Blocks: []Block{{Lines: []Line{cells}}}}
}

// AddFacts appends a block with a line for each fact that is not empty: its name, padded to a width in cells, and what
// it is. It returns the report.
func (r *Report) AddFacts(width int, facts ...[2]string) *Report {
	block := Block{}
	for _, fact := range facts {
		if fact[1] != "" {
			block.Lines = append(block.Lines, Line{Toned(Dim, fmt.Sprintf("%-*s", width, fact[0])), Text(fact[1])})
		}
	}
	return r.Add(block)
}

// Add appends a block and returns the report.
func (r *Report) Add(block Block) *Report {
	r.Blocks = append(r.Blocks, block)
	return r
}

// AddLine appends a block of one line and returns the report.
func (r *Report) AddLine(cells ...Cell) *Report { return r.Add(Block{Lines: []Line{cells}}) }

// AddTable appends a block with a table and returns the report. Heading may be empty.
func (r *Report) AddTable(heading string, table *Table) *Report {
	return r.Add(Block{Heading: heading, Table: table})
}

// AddRows appends the table of rows that TableOf makes, nothing for none, and returns the
// report. Heading may be empty.
func (r *Report) AddRows(heading string, rows any, now time.Time) *Report {
	if table := TableOf(rows, now, ""); len(table.Rows) > 0 {
		r.AddTable(heading, table)
	}
	return r
}

// Sentence returns the lines of the report as one line that may follow other words: without the tables, in lower case
// at its beginning and without a full stop at its end.
func (r *Report) Sentence() string {
	var said []string
	for _, block := range r.Blocks {
		for _, line := range block.Lines {
			text := ""
			for _, cell := range line {
				text += cell.Text
			}
			said = append(said, strings.TrimSuffix(strings.TrimSpace(text), "."))
		}
	}
	text := strings.Join(said, "; ")
	if first, size := utf8.DecodeRuneInString(text); size < len(text) && unicode.IsLower(rune(text[size])) {
		text = string(unicode.ToLower(first)) + text[size:]
	}
	return text
}

// State returns the state whose tone it is; ok is false for other tones.
func (t Tone) State() (state core.State, ok bool) {
	word, ok := strings.CutPrefix(string(t), "state:")
	return core.State(word), ok
}

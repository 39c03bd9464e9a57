// Package plain prints reports for people: tables that fit the terminal, in the
// theme's colours. Where the output is no terminal, a table row is a line of
// values separated by tabs, without colour or truncation.
package plain

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/report"
	"cupola/theme"
)

// Printer prints reports.
type Printer struct {
	Out   io.Writer
	Theme *theme.Theme
	// Width is the terminal's, in cells; 0 means that the output is no terminal.
	Width int
	// Quiet leaves out what to type next.
	Quiet bool
}

// Print writes a report.
func (p *Printer) Print(r *report.Report) error {
	var b strings.Builder
	for i := range r.Blocks {
		if i > 0 && r.Blocks[i].Raw == "" {
			b.WriteByte('\n')
		}
		p.block(&b, &r.Blocks[i])
	}
	if len(r.Next) > 0 && !p.Quiet && p.Width > 0 {
		p.tips(&b, r.Next)
	}
	_, err := io.WriteString(p.Out, b.String())
	return err
}

func (p *Printer) block(b *strings.Builder, block *report.Block) {
	if block.Heading != "" {
		b.WriteString(p.Theme.Render(report.Strong, clean(block.Heading)) + "\n")
	}
	for _, line := range block.Lines {
		for _, cell := range line {
			b.WriteString(p.Theme.Render(cell.Tone, clean(cell.Text)))
		}
		b.WriteByte('\n')
	}
	if block.Table != nil {
		p.table(b, block.Table)
	}
	b.WriteString(block.Raw)
}

func (p *Printer) tips(b *strings.Builder, tips []report.Tip) {
	widest := 0
	for _, tip := range tips {
		widest = max(widest, ansi.StringWidth(clean(tip.Command)))
	}
	b.WriteByte('\n')
	for _, tip := range tips {
		// A command is never cut short: it is there to be copied.
		command := clean(tip.Command)
		pad := strings.Repeat(" ", widest-ansi.StringWidth(command))
		does := ansi.Truncate(clean(tip.Does), max(0, p.Width-widest-2*gap), p.Theme.Glyphs().Ellipsis)
		b.WriteString(strings.TrimRight("  "+p.Theme.Render(report.Code, command)+pad+"  "+p.Theme.Render(report.Dim, does), " ") + "\n")
	}
}

// Fail writes a failure: what went wrong, what to do, and commands that help.
func (p *Printer) Fail(e *core.Error) error {
	row, _ := e.Code.Row()
	hint, actions := e.Hint, e.Actions
	if hint == "" {
		hint = row.Hint
	}
	var b strings.Builder
	b.WriteString(p.Theme.Render(report.Bad, "cupola: ") + clean(e.Error()) + "\n")
	if len(e.Suggestions) > 0 && !strings.Contains(hint, e.Suggestions[0]) {
		b.WriteString(p.Theme.Render(report.Dim, "  Did you mean: ") + clean(strings.Join(e.Suggestions, ", ")) + "\n")
	}
	b.WriteString("  " + p.Theme.Render(report.Dim, clean(hint)) + "\n")
	for _, action := range actions {
		b.WriteString("    " + p.Theme.Render(report.Code, clean(action)) + "\n")
	}
	_, err := io.WriteString(p.Out, b.String())
	return err
}

// clean shows foreign text without letting it drive the terminal: escape
// sequences and what turns the direction of writing are left out, line ends and
// other controls become blanks.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, ansi.Strip(text))
}

// Package plain prints reports for people: tables that fit the terminal, in the
// theme's colours. Where the output is no terminal, a table row is a line of
// values separated by tabs, without colour or truncation.
package plain

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/text/report"
	"cupola/theme"
	"cupola/tui/markdown"
)

// Printer prints reports.
type Printer struct {
	Out io.Writer
	// Theme returns the styles; it is called only where there is something to style.
	Theme func() *theme.Theme
	// Width is the terminal's, in cells; 0 means that the output is no terminal.
	Width int
	// Height is the terminal's, in rows; 0 is not known.
	Height int
	// ASCII writes the signs of Cupola's own sentences in ASCII.
	ASCII bool
	// Quiet leaves out what to type next.
	Quiet bool
	// Program is how this program is called where that is not by its name, because that is not on the PATH; nil is
	// by its name.
	Program func() string
}

// Print writes a report.
func (p *Printer) Print(r *report.Report) error {
	var b strings.Builder
	for i := range r.Blocks {
		if r.Blocks[i].Values != nil && p.Width == 0 {
			continue
		}
		if i > 0 && r.Blocks[i].Raw == "" && r.Blocks[i].Quote == "" {
			b.WriteByte('\n')
		}
		p.block(&b, &r.Blocks[i])
	}
	if len(r.Next) > 0 && !p.Quiet && p.Width > 0 {
		p.tips(&b, r.Next)
	}
	text := b.String()
	if p.ASCII {
		text = theme.InASCII(text)
	}
	_, err := io.WriteString(p.Out, text)
	return err
}

// render styles a text by its tone.
func (p *Printer) render(tone report.Tone, text string) string {
	if tone == report.Plain {
		return text
	}
	return p.Theme().Render(tone, text)
}

func (p *Printer) block(b *strings.Builder, block *report.Block) {
	if block.Heading != "" {
		b.WriteString(p.render(report.Strong, cells.Clean(block.Heading)) + "\n")
	}
	for _, whole := range block.Lines {
		if block.Values != nil {
			whole = append(slices.Clone(whole), report.Toned(report.Good, p.columns(block.Values)))
		}
		for _, line := range p.wrapped(whole) {
			for _, cell := range line {
				b.WriteString(p.render(cell.Tone, cell.Text))
			}
			b.WriteByte('\n')
		}
	}
	p.picture(b, block.Picture)
	if block.Table != nil {
		p.table(b, block.Table)
	}
	b.WriteString(cells.Safe(block.Quote))
	switch {
	case block.Markdown == "":
	case p.Width > 0:
		b.WriteString(markdown.Render(block.Markdown, p.Width, p.Theme()))
	default:
		b.WriteString(cells.Safe(block.Markdown) + "\n")
	}
	if p.Width > 0 {
		b.WriteString(cells.Safe(block.Raw))
	} else {
		b.WriteString(block.Raw)
	}
}

// picture draws a picture if the terminal shows all of it.
func (p *Printer) picture(b *strings.Builder, rows []string) {
	if len(rows) == 0 {
		return
	}
	lacks := ""
	switch wide, high := cells.Width(rows[0]), len(rows); {
	case p.Width == 0:
	case p.ASCII:
		lacks = "signs that are not ASCII"
	case wide > p.Width || p.Height > 0 && high > p.Height:
		lacks = fmt.Sprintf("%d x %d cells; here are %d x %d", wide, high, p.Width, p.Height)
	}
	if lacks != "" {
		b.WriteString(p.render(report.Warn, "The picture needs "+lacks+".") + "\n")
		return
	}
	for _, row := range rows {
		if p.Width > 0 {
			row = p.Theme().Picture().Render(row)
		}
		b.WriteString(row + "\n")
	}
}

func (p *Printer) tips(b *strings.Builder, tips []report.Tip) {
	widest := 0
	for _, tip := range tips {
		widest = max(widest, cells.Width(p.command(tip.Command)))
	}
	b.WriteByte('\n')
	for _, tip := range tips {
		// A command is never cut short: it is there to be copied.
		command := p.command(tip.Command)
		pad := strings.Repeat(" ", widest-cells.Width(command))
		does := cells.Cut(cells.Clean(tip.Does), max(0, p.Width-widest-2*gap), p.Theme().Glyphs().Ellipsis)
		b.WriteString(strings.TrimRight("  "+p.render(report.Code, command)+pad+"  "+p.render(report.Dim,
			does), " ") + "\n")
	}
}

// command is a command to be copied, which calls this program as it can be called.
func (p *Printer) command(line string) string {
	line = cells.Clean(line)
	if rest, own := strings.CutPrefix(line, ownName+" "); own && p.Program != nil {
		return p.Program() + " " + rest
	}
	return line
}

const ownName = "cupola"

// Fail writes a failure: what went wrong, what to do, and commands that help. It needs a hint.
func (p *Printer) Fail(e *core.Error) error {
	e = e.Bounded()
	var b strings.Builder
	b.WriteString(p.render(report.Bad, "cupola: ") + cells.Clean(e.Error()) + "\n")
	if len(e.Suggestions) > 0 && !strings.Contains(e.Hint, e.Suggestions[0]) {
		b.WriteString(p.render(report.Dim, "  Did you mean: ") +
			cells.Clean(strings.Join(e.Suggestions, ", ")) + "\n")
	}
	b.WriteString("  " + p.render(report.Dim, cells.Clean(e.Hint)) + "\n")
	for _, action := range e.Actions {
		b.WriteString("    " + p.render(report.Code, p.command(action)) + "\n")
	}
	_, err := io.WriteString(p.Out, b.String())
	return err
}

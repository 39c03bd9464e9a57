package scripted

import (
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/term/cells"
)

// painter draws views on a terminal and writes only what differs from the
// last one. It knows where the cursor is only relative to its own rows.
type painter struct {
	out    io.Writer
	full   bool
	rows   []string
	at     point
	width  int
	height int
	title  string
	// printed counts the printed blocks of the transcript.
	printed int
}

// newPainter draws from the cursor's row on, or on the whole screen if full.
func newPainter(out io.Writer, full bool) *painter {
	return &painter{out: out, full: full, at: point{column: -1}}
}

// paint draws the agent for a terminal of that size.
func (p *painter) paint(a *agent, width, height int) error {
	var b strings.Builder
	resized := width != p.width || height != p.height
	d := drawing{agent: a, width: width, height: height}
	var v view
	if p.full {
		v = p.fullScreen(&b, d, resized)
	} else {
		v = p.inline(&b, d, resized)
	}
	p.width, p.height = width, height
	if b.Len() > 0 || p.at != v.cursor {
		p.move(&b, v.cursor)
		if !v.hidden {
			b.WriteString(ansi.ShowCursor)
		}
		return p.flush(ansi.SetModeSynchronizedOutput + ansi.HideCursor + b.String() + ansi.ResetModeSynchronizedOutput)
	}
	return nil
}

// fullScreen draws every row of the terminal.
func (p *painter) fullScreen(b *strings.Builder, d drawing, resized bool) view {
	v := d.screen()
	if resized {
		b.WriteString(ansi.EraseEntireScreen + ansi.CursorHomePosition)
		p.rows, p.at = make([]string, d.height), point{}
	}
	for i, r := range v.rows {
		if p.rows[i] != r {
			p.move(b, point{row: i})
			b.WriteString(ansi.EraseLineRight + r)
			p.at.column = -1
		}
	}
	p.rows = v.rows
	return v
}

// inline prints new blocks where the live rows were, and those below them.
func (p *painter) inline(b *strings.Builder, d drawing, resized bool) view {
	if resized && len(p.rows) > 0 {
		up := min(p.reflowed(d.width), d.height-1)
		p.at = point{row: up, column: -1}
		p.move(b, point{})
		b.WriteString(ansi.EraseScreenBelow)
		p.rows = nil
	}
	v := d.live()
	printed := d.agent.transcript.since(p.printed, d.width)
	p.printed = d.agent.transcript.count()
	p.replace(b, append(printed, v.rows...))
	p.rows = v.rows
	p.at.row -= len(printed)
	return v
}

// reflowed counts the rows above the cursor's after the terminal has wrapped
// the rows it showed to a new width.
func (p *painter) reflowed(width int) int {
	n := max(0, p.at.column) / width
	for _, r := range p.rows[:min(p.at.row, len(p.rows))] {
		n += max(1, (cells.Width(r)+width-1)/width)
	}
	return n
}

// replace puts rows in the place of the last ones.
func (p *painter) replace(b *strings.Builder, rows []string) {
	for i, r := range rows {
		switch {
		case i < len(p.rows) && p.rows[i] == r:
			continue
		case i < len(p.rows) || i == 0:
			p.move(b, point{row: i})
		default:
			p.move(b, point{row: i - 1})
			b.WriteString("\r\n")
			p.at.row++
		}
		// Erased first: behind a full row the cursor is still on its last cell.
		b.WriteString(ansi.EraseLineRight + r)
		p.at.column = -1
	}
	if len(rows) < len(p.rows) {
		p.move(b, point{row: len(rows)})
		b.WriteString(ansi.EraseScreenBelow)
	}
}

// move takes the cursor to a place among the rows. Column -1 is one
// that is not known.
func (p *painter) move(b *strings.Builder, to point) {
	if p.full {
		b.WriteString(ansi.CursorPosition(to.column+1, to.row+1))
		p.at = to
		return
	}
	switch {
	case to.row < p.at.row:
		b.WriteString(ansi.CursorUp(p.at.row - to.row))
	case to.row > p.at.row:
		b.WriteString(ansi.CursorDown(to.row - p.at.row))
	}
	if to.column != p.at.column {
		b.WriteString("\r")
		if to.column > 0 {
			b.WriteString(ansi.CursorForward(to.column))
		}
	}
	p.at = to
}

// entitle sets the terminal's title if it has changed.
func (p *painter) entitle(title string) error {
	if title == p.title {
		return nil
	}
	p.title = title
	return p.flush(ansi.SetWindowTitle(title))
}

func (p *painter) flush(s string) error {
	_, err := io.WriteString(p.out, s)
	return err
}

package widget

import (
	"strings"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
)

// Scroll is a long styled text with a displayed part: wrapped, or moved sideways. The zero value is empty.
type Scroll struct {
	// Top is the number of the first row shown, Left the first column; both are kept within the text when it is
	// drawn. Left is 0 while lines wrap.
	Top, Left int
	// Wrap divides lines that are wider than the display into several rows.
	Wrap bool
	// Marked is the number of the line that is marked, -1 for none; Find sets it.
	Marked int
	// Sign returns the sign in front of a line; nil if lines have none. With it the marked line keeps its colours.
	Sign func(line int) Span

	lines []string
	// pens are the styles at the starts of the lines, widths their numbers of cells.
	pens   []pen
	widths []int
	// wide is the width of the widest line.
	wide int
	// rows are the lines as they were divided for a width last.
	rows []scrollRow
	// end is true if the end is to be shown once the text is divided.
	end    bool
	width  int
	wraps  bool
	height int
	query  string
	found  []int
}

// scrollRow is a line from one of its columns on.
type scrollRow struct{ line, from int }

// Set takes another text, and shows it from its end or from a row.
func (s *Scroll) Set(lines []string, end bool, top int) {
	*s = Scroll{Wrap: s.Wrap, Sign: s.Sign, Marked: -1, Top: top, end: end, lines: lines}
	s.pens, s.widths = make([]pen, len(lines)), make([]int, len(lines))
	var now pen
	for i, line := range lines {
		s.pens[i] = now
		now = carry(line, now)
		s.widths[i] = widthOf(cells.Strip(line))
		s.wide = max(s.wide, s.widths[i])
	}
}

// Lines is how many lines the text has.
func (s *Scroll) Lines() int { return len(s.lines) }

// Shown are the numbers of the first line that shows, counted from 1, and of the last one.
func (s *Scroll) Shown() (first, last int) {
	if len(s.rows) == 0 {
		return 0, 0
	}
	top := max(0, min(s.Top, len(s.rows)-1))
	return s.rows[top].line + 1, s.rows[max(top, min(len(s.rows), top+s.height)-1)].line + 1
}

// AtEnd reports whether the last row shows.
func (s *Scroll) AtEnd() bool { return s.Top >= len(s.rows)-s.height }

// Rows are how many rows there are, as they are wrapped, and how many of them show.
func (s *Scroll) Rows() (all, shown int) { return len(s.rows), s.height }

// Move moves what is shown by rows; Side moves it sideways by columns.
func (s *Scroll) Move(by int) { s.Top = max(0, min(s.Top+by, len(s.rows)-s.height)) }

// Side moves what is shown sideways, by columns.
func (s *Scroll) Side(by int) { s.Left = max(0, min(s.Left+by, s.wide-s.width+1)) }

// Cut reports whether a line is wider than the display.
func (s *Scroll) Cut() bool { return s.wide > s.width }

// Find looks for a text in any case and marks the last line with it. It returns how many lines have it.
func (s *Scroll) Find(text string) int {
	s.query, s.found, s.Marked = text, nil, -1
	if text == "" {
		return 0
	}
	wanted := strings.ToLower(text)
	for i, line := range s.lines {
		if strings.Contains(strings.ToLower(cells.Strip(line)), wanted) {
			s.found = append(s.found, i)
		}
	}
	if n := len(s.found); n > 0 {
		s.mark(n - 1)
	}
	return len(s.found)
}

// Choose marks a line, within the text, and shows it.
func (s *Scroll) Choose(line int) {
	s.Marked = max(0, min(line, len(s.lines)-1))
	first, last := -1, -1
	for i, row := range s.rows {
		if row.line == s.Marked {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	if first >= 0 {
		s.Top = min(max(s.Top, last-s.height+1), first)
	}
	s.Move(0)
}

// Next marks the by-th line with the text further down, from the other end where there is none.
func (s *Scroll) Next(by int) {
	n := len(s.found)
	if n == 0 {
		return
	}
	at, _ := s.Match()
	s.mark(((at-1+by)%n + n) % n)
}

// Match returns which of the lines with the text is marked, counted from 1, and how many there are.
func (s *Scroll) Match() (at, of int) {
	for i, line := range s.found {
		if line == s.Marked {
			at = i + 1
		}
	}
	return at, len(s.found)
}

// Query is the text that was looked for last; empty for none.
func (s *Scroll) Query() string { return s.query }

// mark marks a found line and moves it into the middle of the display.
func (s *Scroll) mark(n int) {
	s.Marked = s.found[n]
	for i, row := range s.rows {
		if row.line == s.Marked {
			s.Top = i - s.height/2
			break
		}
	}
	s.Move(0)
}

// Draw draws the displayed part, with a sign at the edge of lines that are longer.
func (s *Scroll) Draw(t *theme.Theme, r layout.Rect, cache *Cache) []string {
	if r.Empty() {
		return nil
	}
	text := r
	if s.Sign != nil {
		text.W = max(1, r.W-signWidth)
	}
	s.divide(text)
	lines := make([]string, 0, r.H)
	for _, row := range s.rows[s.Top:min(len(s.rows), s.Top+r.H)] {
		from := row.from + s.Left
		width := text.W
		beyond := !s.Wrap && s.widths[row.line] > from+width
		if beyond {
			width--
		}
		var drawn string
		if row.line == s.Marked && s.Sign == nil {
			drawn = s.marked(t, row.line, from, width)
		} else {
			drawn = cache.line(s.lines[row.line], s.pens[row.line],
				crop{level: t.Level(), from: from, width: width, cursor: -1}).text
		}
		if beyond {
			drawn = joined(drawn, t.Style(theme.Accent).Render(t.Glyphs().Ellipsis))
		}
		if s.Sign != nil {
			drawn = joined(s.sign(t, row), drawn)
		}
		lines = append(lines, drawn)
	}
	return pad(lines, r)
}

// signWidth is how many cells the signs of lines take.
const signWidth = 2

// sign draws the sign in front of a row.
func (s *Scroll) sign(t *theme.Theme, row scrollRow) string {
	sign, chosen := s.Sign(row.line), " "
	if row.line == s.Marked {
		chosen, sign.Token = t.Glyphs().Chosen, theme.Accent
	}
	if row.from > 0 {
		chosen, sign.Text = " ", ""
	}
	drawn := t.Style(sign.Token).Render(Fit(t, chosen+sign.Text, signWidth))
	if chosen != " " {
		drawn = t.Here() + drawn
	}
	return drawn
}

// marked draws a part of the line that was found, behind a sign and without its own colours.
func (s *Scroll) marked(t *theme.Theme, line, from, width int) string {
	text := cells.Cut(cells.CutLeft(cells.Clean(cells.Strip(s.lines[line])), from), width, "")
	p := painter{theme: t, selected: true}
	return t.Here() + p.row(width, append(p.sign(true), Span{theme.Strong, text}), nil)
}

// divide divides the lines into rows for a display.
func (s *Scroll) divide(r layout.Rect) {
	if s.width != r.W || s.wraps != s.Wrap || s.rows == nil {
		first, end := -1, s.end
		if len(s.rows) > 0 {
			first, end = s.rows[max(0, min(s.Top, len(s.rows)-1))].line, s.height > 0 && s.AtEnd() && s.Top > 0
		}
		s.width, s.wraps, s.rows = r.W, s.Wrap, make([]scrollRow, 0, len(s.lines))
		for i, width := range s.widths {
			if i == first {
				s.Top = len(s.rows)
			}
			s.rows = append(s.rows, scrollRow{line: i})
			for from := r.W; s.Wrap && from < width; from += r.W {
				s.rows = append(s.rows, scrollRow{line: i, from: from})
			}
		}
		if end {
			s.Top = len(s.rows)
		}
	}
	s.height = r.H
	if s.Wrap {
		s.Left = 0
	}
	s.Side(0)
	s.Move(0)
}

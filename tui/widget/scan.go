package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// scanned is a captured line taken apart: its text without any control, and
// where in it the pen changes. It is used again and again.
type scanned struct {
	text  []byte
	marks []mark
	// end is the pen after the line; the next one begins with it.
	end pen
	// loose is true where the pen changed after the last character: blanks that the
	// capture has left out were drawn with it.
	loose bool
}

// mark says that the pen changes before text[at].
type mark struct {
	at  int
	pen pen
}

// carry returns the pen after a line, without keeping its text.
func carry(line string, p pen) pen {
	if strings.IndexByte(line, 0x0e) >= 0 || strings.IndexByte(line, 0x0f) >= 0 {
		var s scanned
		s.scan(line, p)
		return s.end
	}
	for {
		i := strings.IndexByte(line, 0x1b)
		if i < 0 {
			return p
		}
		line = line[i+p.pass(line[i:]):]
	}
}

// pass applies the control at the beginning of a text to the pen and returns
// its length.
func (p *pen) pass(text string) int {
	switch text[0] {
	case 0x0e:
		p.attrs |= shifted
	case 0x0f:
		p.attrs &^= shifted
	case 0x1b:
		length, params, isStyle := escape(text)
		if isStyle {
			p.sgr(params)
		}
		return length
	}
	return 1
}

// scan takes a line apart that begins with a pen.
func (s *scanned) scan(line string, p pen) {
	s.text, s.marks, s.loose = s.text[:0], append(s.marks[:0], mark{0, p}), false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c < 0x20 && c != '\t', c == 0x7f:
			before := p
			i += p.pass(line[i:])
			if p != before {
				s.change(p)
			}
		case c < utf8.RuneSelf:
			if p.attrs&shifted != 0 && c >= '`' && c <= '~' {
				s.text = utf8.AppendRune(s.text, drawing[c-'`'])
			} else {
				s.text = append(s.text, c)
			}
			i++
			s.loose = false
		default:
			r, size := utf8.DecodeRuneInString(line[i:])
			if len(s.text) == 0 && joins(r) {
				r = ' '
			}
			if r == ' ' || shown(r) {
				s.text = utf8.AppendRune(s.text, r)
				s.loose = false
			}
			i += size
		}
	}
	s.end = p
}

func (s *scanned) change(p pen) {
	s.loose = true
	if last := &s.marks[len(s.marks)-1]; last.at == len(s.text) {
		last.pen = p
		return
	}
	s.marks = append(s.marks, mark{len(s.text), p})
}

// shown reports whether a character outside ASCII is kept. Controls, what turns
// the direction of writing, what joins the sign behind it, and the wish for a
// coloured sign are not: terminals disagree on how wide the last makes what
// stands before it.
func shown(r rune) bool {
	switch {
	case r >= 0x600 && r < 0x2000, r >= 0x11000 && r < 0x12000:
		return r != 0x61c && !unicode.Is(prepended, r)
	case r < 0xa0, r == 0xfe0f, r == 0xfeff:
		return false
	case r < 0x200e, r > 0x2069:
		return true
	case r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066:
		return false
	}
	return true
}

// joins reports whether a character takes a cell of its own only where it does not
// stand behind another, such as a border, whose cell it shares.
func joins(r rune) bool {
	if r < 0x300 || r >= 0x2190 && r < 0x2c00 {
		// Letters, and the frames that programs draw.
		return false
	}
	return ansi.StringWidth("│"+string(r)) < 1+ansi.StringWidth(string(r))
}

// prepended are the signs that take the next one into their cluster, be it a
// blank or a border.
var prepended = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x600, 0x605, 1}, {0x6dd, 0x6dd, 1}, {0x70f, 0x70f, 1}, {0x890, 0x891, 1}, {0x8e2, 0x8e2, 1}, {0xd4e, 0xd4e, 1},
	},
	R32: []unicode.Range32{
		{0x110bd, 0x110bd, 1},
		{0x110cd, 0x110cd, 1},
		{0x111c2, 0x111c3, 1},
		{0x113d1, 0x113d1, 1},
		{0x1193f, 0x1193f, 1},
		{0x11941, 0x11941, 1},
		{0x11a3a, 0x11a3a, 1},
		{0x11a84, 0x11a89, 1},
		{0x11d46, 0x11d46, 1},
		{0x11f02, 0x11f02, 1},
	},
}

// drawing is the character set of lines, from '`' to '~'.
var drawing = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

package widget

import (
	"strings"
	"unicode/utf8"

	"cupola/core/cells"
)

// scanned is a captured line taken apart: its text without any control, and
// where in it the pen changes. It is used again and again.
type scanned struct {
	// text is valid after the scan, which collects it in buf.
	text  string
	buf   []byte
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
		s.scan(line, p, false)
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
		length, params, isStyle := cells.Escape(text)
		if isStyle {
			p.sgr(params)
		}
		return length
	}
	return 1
}

// scan takes a line apart that begins with a pen. Where emoji do not join, it is
// as wide as it is in the pane.
func (s *scanned) scan(line string, p pen, apart bool) {
	s.buf, s.marks, s.loose = s.buf[:0], append(s.marks[:0], mark{0, p}), false
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
				s.buf = utf8.AppendRune(s.buf, drawing[c-'`'])
			} else {
				s.buf = cells.AppendASCII(s.buf, c)
			}
			i++
			s.loose = false
		default:
			r, size := utf8.DecodeRuneInString(line[i:])
			before := len(s.buf)
			if apart {
				s.buf = cells.AppendApart(s.buf, r)
			} else {
				s.buf = cells.Append(s.buf, r)
			}
			s.loose = s.loose && len(s.buf) == before
			i += size
		}
	}
	s.text = string(cells.Trim(s.buf))
	s.end = p
}

func (s *scanned) change(p pen) {
	s.loose = true
	s.buf = cells.Trim(s.buf) // a mark behind it would not be where it is counted
	if last := &s.marks[len(s.marks)-1]; last.at == len(s.buf) {
		last.pen = p
		return
	}
	s.marks = append(s.marks, mark{len(s.buf), p})
}

// drawing is the character set of lines, from '`' to '~'.
var drawing = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

package widget

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/cellbuf"

	"cupola/core/term/cells"
)

// pen is the style of the cells of a pane from some position on. The zero value is plain.
type pen struct {
	style cellbuf.Style
	// shifted is true while the drawing character set of old terminals is in use.
	shifted bool
}

// parsedLine is a captured line: its text without any control, and where in it the
// style changes. It is reused.
type parsedLine struct {
	// text is valid after parse, which collects it in buf.
	text string
	buf  []byte
	// changes are at least one: the style that the line begins with.
	changes []change
	// end is the pen after the line; the next one begins with it.
	end pen
	// trailing is true where the pen changed after the last character: blanks that the
	// capture has left out were drawn with it.
	trailing bool
}

// change is the style of what follows text[:at].
type change struct {
	at    int
	style cellbuf.Style
}

// penControls are the bytes at which a pen may change.
const penControls = "\x0e\x0f\x1b"

// carry returns the pen after a line, without keeping its text.
func carry(line string, p pen) pen {
	for {
		i := strings.IndexAny(line, penControls)
		if i < 0 {
			return p
		}
		line = line[i+p.pass(line[i:]):]
	}
}

// pass applies the control sequence at the beginning of a text to the pen and returns its
// length.
func (p *pen) pass(text string) int {
	switch text[0] {
	case 0x0e:
		p.shifted = true
	case 0x0f:
		p.shifted = false
	case 0x1b:
		length, params, isStyle := cells.Escape(text)
		if isStyle {
			cells.ReadStyle(params, &p.style)
		}
		return length
	}
	return 1
}

// parse reads a line that begins with a pen. If emoji do not join, it keeps the width that
// it has in the pane.
func (s *parsedLine) parse(line string, p pen, apart bool) {
	s.buf, s.changes, s.trailing = s.buf[:0], append(s.changes[:0], change{0, p.style}), false
	for i := 0; i < len(line); {
		switch c := line[i]; {
		case c < 0x20 && c != '\t', c == 0x7f:
			before := p
			i += p.pass(line[i:])
			if p != before {
				s.restyle(p.style)
			}
		case c < utf8.RuneSelf:
			if p.shifted && c >= '`' && c <= '~' {
				s.buf = utf8.AppendRune(s.buf, drawing[c-'`'])
			} else {
				s.buf = cells.AppendASCII(s.buf, c)
			}
			i++
			s.trailing = false
		default:
			r, size := utf8.DecodeRuneInString(line[i:])
			before := len(s.buf)
			if apart {
				s.buf = cells.AppendApart(s.buf, r)
			} else {
				s.buf = cells.Append(s.buf, r)
			}
			s.trailing = s.trailing && len(s.buf) == before
			i += size
		}
	}
	s.text = string(cells.Trim(s.buf))
	s.end = p
}

func (s *parsedLine) restyle(style cellbuf.Style) {
	s.trailing = true
	s.buf = cells.Trim(s.buf) // a mark behind it would not be where it is counted
	if last := &s.changes[len(s.changes)-1]; last.at == len(s.buf) {
		last.style = style
		return
	}
	s.changes = append(s.changes, change{len(s.buf), style})
}

// drawing is the character set of lines, from '`' to '~'.
var drawing = [...]rune{
	'◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└', '┼', '⎺',
	'⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·',
}

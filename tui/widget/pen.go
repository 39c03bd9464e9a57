package widget

import (
	"strconv"

	"cupola/theme"
)

// colour is a pane's own: its kind and its value. The zero value is the
// terminal's default.
type colour uint32

const (
	indexed colour = (iota + 1) << 24
	rgb
	kindOf  = 0xff << 24
	valueOf = 1<<24 - 1
)

// attrs are the attributes of text.
type attrs uint16

const (
	bold attrs = 1 << iota
	faint
	italic
	reverse
	conceal
	strike
	overline
	// shifted is the drawing character set of old terminals, kept here because it
	// lasts as long as an attribute does.
	shifted

	underlineShift = 12
	underlineMask  = 7 << underlineShift

	// drawn are the attributes that are written; blinking never is.
	drawn = bold | faint | italic | reverse | strike | overline | underlineMask
)

// pen is how a cell of a pane looks. The zero value is plain.
type pen struct {
	front, back, line colour
	attrs             attrs
}

func (a attrs) underline() int { return int(a&underlineMask) >> underlineShift }

// look is the part of a pen that a level can show.
func (p pen) look(level theme.Level) pen {
	if level == theme.None {
		return pen{}
	}
	p.attrs &= drawn
	if p.attrs.underline() == 0 || level < theme.Indexed {
		p.line = 0
	}
	return p
}

// blank reports whether a blank drawn with the pen cannot be told from nothing.
func (p pen) blank() bool {
	return p.back == 0 && p.attrs&(reverse|strike|overline|underlineMask) == 0
}

var attrCodes = [...]struct {
	attr attrs
	code string
}{{bold, ";1"}, {faint, ";2"}, {italic, ";3"}, {reverse, ";7"}, {strike, ";9"}, {overline, ";53"}}

// write appends the sequence that sets the pen, whatever was set before.
func (p pen) write(b []byte, level theme.Level) []byte {
	b = append(b, "\x1b[0"...)
	for _, a := range attrCodes {
		if p.attrs&a.attr != 0 {
			b = append(b, a.code...)
		}
	}
	switch style := p.attrs.underline(); {
	case style == 1, style > 1 && level < theme.Indexed:
		b = append(b, ";4"...)
	case style > 1:
		b = append(append(b, ";4:"...), byte('0'+style))
	}
	b = p.front.write(b, level, 30)
	b = p.back.write(b, level, 40)
	b = p.line.write(b, level, 50)
	return append(b, 'm')
}

// write appends a colour; base is 30 for text, 40 for its background and 50 for
// its underline.
func (c colour) write(b []byte, level theme.Level, base int) []byte {
	value := uint32(c & valueOf)
	index := uint8(value)
	switch c & kindOf {
	case 0:
		return b
	case indexed:
		index = level.ReduceIndex(index)
	default:
		var exact bool
		if index, exact = level.ReduceRGB(value); exact {
			b = appendCode(b, base+8)
			b = append(b, ";2"...)
			for shift := 16; shift >= 0; shift -= 8 {
				b = appendCode(b, int(value>>shift&0xff))
			}
			return b
		}
	}
	switch {
	case index < 8 && base < 50:
		return appendCode(b, base+int(index))
	case index < 16 && base < 50:
		return appendCode(b, base+60+int(index)-8)
	}
	b = appendCode(b, base+8)
	b = append(b, ";5"...)
	return appendCode(b, int(index))
}

func appendCode(b []byte, code int) []byte {
	return strconv.AppendInt(append(b, ';'), int64(code), 10)
}

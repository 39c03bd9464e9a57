package term

import (
	"slices"
	"strconv"
	"strings"
)

// colour is a colour of a cell: the terminal's own, one of a palette, or 24 bits. The kind is in the highest byte. The
// first 16 of the palette have two kinds: terminals may show them otherwise where their own parameters choose them, as
// brighter where the text is bold.
type colour uint32

const (
	own     colour = 0
	indexed colour = 1 << 24
	direct  colour = 2 << 24
	basic   colour = 3 << 24
	// ofKind are the bits of the kind.
	ofKind colour = 0xff << 24
)

// attr are the attributes of a cell.
type attr uint16

const (
	bold attr = 1 << iota
	dim
	italic
	blink
	reverse
	hidden
	strike
	overline
	// lineBits hold the number of the underline's colour among lineColours, from 1; 0 is the colour of the text.
	lineShift = 8
	lineBits  = attr(mostLineColours) << lineShift
	// underlineBits hold the style of the underline: 0 is none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed.
	underlineShift = 12
	underlineBits  = attr(7) << underlineShift
)

// pen is how characters are drawn.
type pen struct {
	fg, bg colour
	attr   attr
}

// cell is one cell of the screen. It holds no pointer, so that a screen is one piece of memory.
type cell struct {
	// char is the character; 0 is a blank. A negative one is the number of a cluster.
	char   int32
	fg, bg colour
	attr   attr
	// width is how many cells the character takes. 0 in a cell that is behind a wide character.
	width uint8
	// padding is true for such a cell.
	padding bool
}

// blank is a cell without a character, on the background of a pen.
func blank(bg colour) cell { return cell{bg: bg, width: 1} }

func (c *cell) pen() pen { return pen{c.fg, c.bg, c.attr} }

// mostLineColours is how many colours of underlines a terminal knows; cells have no room for more.
const mostLineColours = 15

// lineColours are the colours of underlines that a terminal has seen. None is forgotten: the history may have it.
type lineColours []colour

// number is the number of a colour, from 1. It is 0, the colour of the text, for those that are too many.
func (l *lineColours) number(c colour) attr {
	i := slices.Index(*l, c)
	if i < 0 {
		if len(*l) == mostLineColours {
			return 0
		}
		i = len(*l)
		*l = append(*l, c)
	}
	return attr(i + 1) //nolint:gosec // it is at most 15
}

// sgr writes the sequences that select a pen.
func (p pen) sgr(lines lineColours) string {
	codes := []string{"0"}
	for i, code := range []string{"1", "2", "3", "5", "7", "8", "9", "53"} {
		if p.attr&(bold<<i) != 0 {
			codes = append(codes, code)
		}
	}
	switch style := int(p.attr & underlineBits >> underlineShift); style {
	case 0:
	case 1:
		codes = append(codes, "4")
	default:
		codes = append(codes, "4:"+strconv.Itoa(style))
	}
	codes = p.fg.codes(codes, 30)
	codes = p.bg.codes(codes, 40)
	selected := "\x1b[" + strings.Join(codes, ";") + "m"
	if n := int(p.attr & lineBits >> lineShift); n > 0 && n <= len(lines) {
		// Alone, so that a terminal that does not know it still selects the rest.
		selected += "\x1b[" + lines[n-1].lineCode() + "m"
	}
	return selected
}

// codes appends the parameters of a colour; base is 30 for the foreground and 40 for the background.
func (c colour) codes(codes []string, base int) []string {
	n := int(c & 0xffffff)
	switch c & ofKind {
	case own:
		return codes
	case basic:
		if n >= 8 {
			base += 60 - 8
		}
		return append(codes, strconv.Itoa(base+n))
	case indexed:
		return append(codes, strconv.Itoa(base+8), "5", strconv.Itoa(n))
	}
	return append(codes, strconv.Itoa(base+8), "2", strconv.Itoa(n>>16), strconv.Itoa(n>>8&0xff), strconv.Itoa(n&0xff))
}

// lineCode is the parameter of the colour of an underline.
func (c colour) lineCode() string {
	n := int(c & 0xffffff)
	if c&ofKind == indexed {
		return "58:5:" + strconv.Itoa(n)
	}
	return "58:2::" + strconv.Itoa(n>>16) + ":" + strconv.Itoa(n>>8&0xff) + ":" + strconv.Itoa(n&0xff)
}

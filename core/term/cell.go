package term

import (
	"strconv"
	"strings"
)

// colour is a colour of a cell: the terminal's own, one of a palette, or 24 bits. The kind is in the highest byte.
type colour uint32

const (
	own     colour = 0
	indexed colour = 1 << 24
	direct  colour = 2 << 24
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

// sgr writes the parameters that select a pen after a reset.
func (p pen) sgr() string {
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
	return "\x1b[" + strings.Join(codes, ";") + "m"
}

// codes appends the parameters of a colour; base is 30 for the foreground and 40 for the background.
func (c colour) codes(codes []string, base int) []string {
	n := int(c & 0xffffff)
	switch {
	case c == own:
		return codes
	case c&indexed != 0 && n < 8:
		return append(codes, strconv.Itoa(base+n))
	case c&indexed != 0 && n < 16:
		return append(codes, strconv.Itoa(base+60+n-8))
	case c&indexed != 0:
		return append(codes, strconv.Itoa(base+8), "5", strconv.Itoa(n))
	}
	return append(codes, strconv.Itoa(base+8), "2", strconv.Itoa(n>>16), strconv.Itoa(n>>8&0xff), strconv.Itoa(n&0xff))
}

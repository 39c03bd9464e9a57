package cells

import (
	"os"
	"strconv"
	"sync/atomic"
	"unicode"

	"github.com/clipperhouse/displaywidth"
)

// class holds the effects of a code point on a screen: its width in the low two bits, and the flags below.
type class uint8

const (
	widthOf class = 3
	// odd code points are not as wide everywhere, or join with others in some
	// terminals only.
	odd class = 1 << (iota + 1)
	// mark is part of the character before it.
	mark
	// emoji may be joined to others, toned, and asked for in colour.
	emoji
	// hidden code points are left out of what is shown: they turn the direction of
	// writing, or do what cannot be seen.
	hidden
	// command is a control of a terminal, or the end of a line.
	command
	// strange code points are shown as another: see shownAs.
	strange
)

// Code points with rules of their own.
const (
	joiner     = '\u200d'
	nonJoiner  = '\u200c'
	inColour   = '\ufe0f'
	keycap     = '\u20e3'
	firstTone  = '\U0001f3fb'
	lastTone   = '\U0001f3ff'
	firstFlag  = '\U0001f1e6'
	lastFlag   = '\U0001f1ff'
	badUTF8    = '\ufffd'
	softHyphen = '\u00ad'
)

// blocks are the classes of 256 code points each, found out when the first of
// them is asked for: all of them would cost every run some milliseconds.
var blocks [(unicode.MaxRune + 1) / 256]atomic.Pointer[[256]class]

func classOf(r rune) class {
	if r >= ' ' && r <= '~' {
		return 1
	}
	if r < 0 || r > unicode.MaxRune {
		r = badUTF8
	}
	block := blocks[r>>8].Load()
	if block == nil {
		block = new([256]class)
		for i := range block {
			block[i] = classify(r&^0xff + rune(i))
		}
		blocks[r>>8].Store(block)
	}
	return block[r&0xff]
}

// measure counts code points of ambiguous width as one cell, unless the
// environment says that the terminal draws them as wide as ideographs.
var measure = displaywidth.Options{EastAsianWidth: wideByEnvironment()}

func wideByEnvironment() bool {
	wide, err := strconv.ParseBool(os.Getenv("RUNEWIDTH_EASTASIAN"))
	return err == nil && wide
}

func classify(r rune) class {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return command
	case r == joiner, r == nonJoiner, r == inColour:
		return mark | odd
	case r >= firstFlag && r <= lastFlag:
		return 1 | odd
	case isTone(r):
		return 2 | odd
	case isJamo(r):
		return mark | odd
	}
	if as, ok := shownAs(r); ok {
		return classify(as)&widthOf | strange
	}
	if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) {
		return hidden
	}
	width := class(measure.Rune(r))
	if unicode.In(r, unicode.Mn, unicode.Me) {
		return mark
	}
	c := width
	if joinsEmoji(r) {
		c |= emoji
	}
	if width == 0 {
		return hidden
	}
	if !isSure(r, c) {
		c |= odd
	}
	return c
}

// Hidden reports whether a code point is removed from displayed text, because it changes
// the direction of writing or is invisible.
func Hidden(r rune) bool { return classOf(r)&hidden != 0 }

// joinsEmoji reports whether a code point is one that sequences of emoji are made
// of.
func joinsEmoji(r rune) bool {
	if r != '\u00a9' && r != '\u00ae' && (r < 0x2000 || r > 0x32ff) && (r < 0x1f000 || r > 0x1faff) {
		return false
	}
	graphemes := displaywidth.StringGraphemes(string(r) + "\u200d\U0001f525")
	return graphemes.Next() && len(graphemes.Value()) > len(string(r)+"\u200d")
}

// shownAs returns what replaces a code point that cannot be shown as it is.
func shownAs(r rune) (rune, bool) {
	switch {
	case r == softHyphen: // a cell in tmux, nothing in other terminals
		return '-', true
	case r == '\u3164': // fillers, which some terminals leave out
		return '\u3000', true
	case r == '\uffa0', r == '\u115f', r == '\u1160':
		return ' ', true
	case unicode.Is(prepended, r):
		return badUTF8, true
	case unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf, unicode.Co,
		unicode.Other_Default_Ignorable_Code_Point):
		return 0, false
	}
	// What is not assigned, but for the places that are kept for emoji and ideographs.
	return badUTF8, measure.Rune(r) != 2
}

// prepended are the signs that take the next one into their cluster.
var prepended = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x600, 0x605, 1},
		{0x6dd, 0x6dd, 1},
		{0x70f, 0x70f, 1},
		{0x890, 0x891, 1},
		{0x8e2, 0x8e2, 1},
	},
	R32: []unicode.Range32{{0x110bd, 0x110bd, 1}, {0x110cd, 0x110cd, 1}},
}

// plain are the code points besides letters and ideographs whose width all
// terminals agree on: frames, arrows, shapes and marks of text interfaces.
var plain = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xa0, 0x2ff, 1},
		{0x2010, 0x2027, 1},
		{0x2030, 0x205e, 1},
		{0x2070, 0x20bf, 1},
		{0x2100, 0x214f, 1},
		{0x2190, 0x2319, 1},
		{0x231c, 0x2328, 1},
		{0x232b, 0x23e8, 1},
		{0x23f4, 0x2426, 1},
		{0x2500, 0x25fc, 1},
		{0x2605, 0x2606, 1},
		{0x2610, 0x2613, 1},
		{0x26a0, 0x26a0, 1},
		{0x270e, 0x2727, 1},
		{0x2729, 0x274b, 1},
		{0x2758, 0x2794, 1},
		{0x27e6, 0x27eb, 1},
		{0x2800, 0x28ff, 1},
		{0x2b1d, 0x2b4f, 1},
		{0x3000, 0x3029, 1},
		{0x3030, 0x303e, 1},
		{0x3041, 0x3096, 1},
		{0x309b, 0x30ff, 1},
		{0x3131, 0x318e, 1},
		{0x3400, 0x4dbf, 1},
		{0x4e00, 0xa4c6, 1},
		{0xac00, 0xd7a3, 1},
		{0xf900, 0xfa6d, 1},
		{0xfa70, 0xfad9, 1},
		{0xfe30, 0xfe6b, 1},
		{0xff01, 0xff9d, 1},
		{0xffe0, 0xffe6, 1},
		{0xfffd, 0xfffd, 1},
	},
}

// together are letters that measures of graphemes draw in the cell of another.
var together = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0xd4e, 0xd4e, 1},
		{0xe33, 0xe33, 1},
		{0xeb3, 0xeb3, 1},
		{0x1100, 0x11ff, 1},
		{0xa960, 0xa97c, 1},
		{0xd7b0, 0xd7fb, 1},
		{0xff9e, 0xff9f, 1},
	},
}

// isSure reports whether terminals agree on the width of a code point by itself.
// Those beyond the first 65536 are too new for the tables of some, or emoji.
func isSure(r rune, c class) bool {
	switch {
	case measure.EastAsianWidth && displaywidth.Rune(r) == 1 && c&widthOf == 2, r > 0xffff, unicode.Is(together, r):
		return false
	case unicode.Is(plain, r):
		return c&(widthOf|emoji) != 2|emoji
	}
	return c&widthOf == 1 && unicode.In(r, unicode.L, unicode.N, unicode.P, unicode.Sc, unicode.Sm) && r < 0x2000 ||
		c&widthOf == 1 && unicode.Is(unicode.L, r)
}

func isLeadJamo(r rune) bool { return r >= 0x1100 && r <= 0x115f || r >= 0xa960 && r <= 0xa97c }

// isJamo reports whether a code point is a jamo that belongs behind another.
func isJamo(r rune) bool { return isVowelJamo(r) || isFinalJamo(r) }

func isVowelJamo(r rune) bool { return r >= 0x1160 && r <= 0x11a7 || r >= 0xd7b0 && r <= 0xd7c6 }

func isFinalJamo(r rune) bool { return r >= 0x11a8 && r <= 0x11ff || r >= 0xd7cb && r <= 0xd7fb }

package cells

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

const esc = 0x1b

// Escape returns the length of the escape sequence that begins at text[0], which is ESC,
// and the parameters of one that sets colours and attributes. A sequence without an end
// extends to the end of the text.
func Escape(text string) (length int, params string, isStyle bool) {
	if len(text) > 1 && strings.IndexByte("]PX^_", text[1]) >= 0 {
		return stringEnd(text), "", false
	}
	seq, _, length, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
	params, isStyle = strings.CutSuffix(strings.TrimPrefix(seq, "\x1b["), "m")
	if !isStyle || len(params) != len(seq)-3 || strings.Trim(params, "0123456789;:") != "" {
		return length, "", false
	}
	return length, params, true
}

// stringEnd measures a sequence that holds a string: it ends with BEL, with
// ESC \, or at a byte that aborts it. The decoder of x/ansi also ends it at the
// byte 9C, which is part of signs in UTF-8, such as the one in Claude's titles.
func stringEnd(text string) int {
	i := strings.IndexAny(text[2:], "\a\x18\x1a\x1b")
	switch {
	case i < 0:
		return len(text)
	case strings.HasPrefix(text[2+i:], "\x1b\\"):
		return 2 + i + 2
	case text[2+i] == esc:
		return 2 + i
	}
	return 2 + i + 1
}

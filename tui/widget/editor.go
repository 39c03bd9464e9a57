package widget

import (
	"strings"
	"unicode"

	"cupola/core/cells"
)

// Editor is text being typed, with a cursor that moves by what people take for
// one character. The zero value is empty.
type Editor struct {
	// Single keeps the text to one line: line ends that are typed or pasted become
	// blanks.
	Single bool

	text typed
	// at is the cursor's place in text, in bytes; always between two characters.
	at int
	// column is where moving up and down aims at, plus one; 0 for where it stands.
	column int
}

// Text returns what was typed.
func (e *Editor) Text() string { return string(e.text) }

// Set replaces the text and puts the cursor at its end.
func (e *Editor) Set(text string) {
	e.text = typed(e.clean(text))
	e.place(len(e.text))
}

// Insert types or pastes a text at the cursor. Line ends become newlines;
// controls other than tabs, and what nobody would see, are left out.
func (e *Editor) Insert(text string) {
	text = e.clean(text)
	e.text = e.text[:e.at] + typed(text) + e.text[e.at:]
	// What was typed may belong to the character behind it, as an accent does.
	e.place(e.text.whole(e.at + len(text)))
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

func (e *Editor) clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && e.Single:
			return ' '
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), cells.Hidden(r) && !extends(r):
			return -1
		}
		return r
	}, lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd")))
}

// extends reports whether what is not shown makes another character of the one
// before it: which form of an ideograph, or which of the flags of regions.
func extends(r rune) bool {
	return unicode.Is(unicode.Variation_Selector, r) || r >= '\U000e0020' && r <= '\U000e007f'
}

func (e *Editor) place(at int) { e.at, e.column = at, 0 }

// Last reports whether the cursor stands on an empty last line, where one more
// line end may mean that the text is complete.
func (e *Editor) Last() bool {
	return e.at == len(e.text) && strings.HasSuffix(e.Text(), "\n")
}

// Press applies an editing key, by the name that Bubble Tea gives it, in a view
// of w cells, as Input has it for its rect. It returns false for a key that means
// nothing here, such as one that would leave the text, and for a line end in a
// single line.
func (e *Editor) Press(key string, w int) bool {
	switch key {
	case "up", "ctrl+p":
		return !e.Single && e.climb(w-1, -1)
	case "down", "ctrl+n":
		return !e.Single && e.climb(w-1, 1)
	case "enter", "ctrl+j", "shift+enter":
		if e.Single {
			return false
		}
		e.Insert("\n")
		return true
	}
	if move, ok := moves[key]; ok {
		e.place(move(e.text, e.at))
		return true
	}
	if removal, ok := removals[key]; ok {
		from, to := removal(e.text, e.at)
		e.text = e.text[:from] + e.text[to:]
		e.place(e.text.whole(from))
		return true
	}
	return false
}

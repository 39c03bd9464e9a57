package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Editor is text being typed, with a cursor that moves by what people take for
// one character. The zero value is empty.
type Editor struct {
	// Single keeps the text to one line: line ends that are typed or pasted become
	// blanks.
	Single bool

	text string
	// at is the cursor's place in text, in bytes; always between two characters.
	at int
	// column is where moving up and down aims at, plus one; 0 for where it stands.
	column int
}

// Text returns what was typed.
func (e *Editor) Text() string { return e.text }

// Set replaces the text and puts the cursor at its end.
func (e *Editor) Set(text string) {
	e.text = e.clean(text)
	e.place(len(e.text))
}

// Insert types or pastes a text at the cursor. Line ends become newlines, and
// controls other than tabs are left out.
func (e *Editor) Insert(text string) {
	text = e.clean(text)
	e.text = e.text[:e.at] + text + e.text[e.at:]
	e.place(e.at + len(text))
	// What was typed may belong to the character behind it, as an accent does.
	e.at = e.whole(e.at)
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

func (e *Editor) clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' && e.Single:
			return ' '
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
			return -1
		}
		return r
	}, lineEnds.Replace(strings.ToValidUTF8(text, "\ufffd")))
}

func (e *Editor) place(at int) { e.at, e.column = at, 0 }

// after returns the end of the character that begins at a place.
func (e *Editor) after(at int) int {
	if at >= len(e.text) {
		return len(e.text)
	}
	if e.text[at] == '\n' || e.text[at] == '\t' {
		return at + 1
	}
	cluster, _ := ansi.FirstGraphemeCluster(e.text[at:], ansi.GraphemeWidth)
	return at + max(1, len(cluster))
}

// before returns the beginning of the character that ends at a place.
func (e *Editor) before(at int) int {
	start := e.lineStart(at)
	if start == at {
		return max(0, at-1)
	}
	for {
		next := e.after(start)
		if next >= at {
			return start
		}
		start = next
	}
}

// whole returns the first place from at on that is between two characters.
func (e *Editor) whole(at int) int {
	place := e.lineStart(at)
	for place < at {
		place = e.after(place)
	}
	return place
}

func (e *Editor) lineStart(at int) int { return strings.LastIndexByte(e.text[:at], '\n') + 1 }

func (e *Editor) lineEnd(at int) int {
	if n := strings.IndexByte(e.text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(e.text)
}

// Left and Right move by one character, also over line ends.
func (e *Editor) Left() { e.place(e.before(e.at)) }

// Right is Left's opposite.
func (e *Editor) Right() { e.place(e.after(e.at)) }

// Home and End move within the line as typed, Begin and Finish within the text.
func (e *Editor) Home() { e.place(e.lineStart(e.at)) }

// End moves behind the line's last character.
func (e *Editor) End() { e.place(e.lineEnd(e.at)) }

// Begin moves before the first character.
func (e *Editor) Begin() { e.place(0) }

// Finish moves behind the last character.
func (e *Editor) Finish() { e.place(len(e.text)) }

// WordLeft moves to the beginning of the word before the cursor.
func (e *Editor) WordLeft() { e.place(e.wordBefore()) }

// WordRight moves to the end of the word behind the cursor.
func (e *Editor) WordRight() { e.place(e.wordAfter()) }

func wordRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func (e *Editor) wordBefore() int {
	head := strings.TrimRightFunc(e.text[:e.at], func(r rune) bool { return !wordRune(r) })
	return e.whole(len(strings.TrimRightFunc(head, wordRune)))
}

func (e *Editor) wordAfter() int {
	tail := strings.TrimLeftFunc(e.text[e.at:], func(r rune) bool { return !wordRune(r) })
	return e.whole(len(e.text) - len(strings.TrimLeftFunc(tail, wordRune)))
}

// Backspace and Delete remove the character before and behind the cursor.
func (e *Editor) Backspace() { e.remove(e.before(e.at), e.at) }

// Delete removes the character behind the cursor.
func (e *Editor) Delete() { e.remove(e.at, e.after(e.at)) }

// DeleteWord removes the word before the cursor, DeleteToEnd and DeleteToStart
// what is behind and before it in the line as typed.
func (e *Editor) DeleteWord() { e.remove(e.wordBefore(), e.at) }

// DeleteToEnd removes the line end where nothing else is left to remove.
func (e *Editor) DeleteToEnd() {
	if end := e.lineEnd(e.at); end > e.at {
		e.remove(e.at, end)
		return
	}
	e.Delete()
}

// DeleteToStart removes what stands before the cursor in its line.
func (e *Editor) DeleteToStart() { e.remove(e.lineStart(e.at), e.at) }

func (e *Editor) remove(from, to int) {
	e.text = e.text[:from] + e.text[to:]
	e.place(from)
	e.at = e.whole(e.at)
}

// Last reports whether the cursor stands on an empty last line, where one more
// line end may mean that the text is complete.
func (e *Editor) Last() bool {
	return e.at == len(e.text) && strings.HasSuffix(e.text, "\n")
}

// Count is the number of characters of the text as people count them roughly:
// its runes.
func (e *Editor) Count() int { return utf8.RuneCountInString(e.text) }

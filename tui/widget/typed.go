package widget

import (
	"strings"
	"unicode"

	"cupola/core/cells"
)

// typed is text in an editor. Places in it are counted in bytes.
type typed string

// after returns the end of the character that begins at a place.
func (t typed) after(at int) int {
	if at >= len(t) {
		return len(t)
	}
	if t[at] == '\n' || t[at] == '\t' {
		return at + 1
	}
	return at + cells.First(string(t[at:])).Len
}

// before returns the beginning of the character that ends at a place.
func (t typed) before(at int) int {
	start := t.lineStart(at)
	if start == at {
		return max(0, at-1)
	}
	for {
		next := t.after(start)
		if next >= at {
			return start
		}
		start = next
	}
}

// whole returns the first place from at on that is between two characters.
func (t typed) whole(at int) int {
	place := t.lineStart(at)
	for place < at {
		place = t.after(place)
	}
	return place
}

func (t typed) begin(int) int { return 0 }

func (t typed) finish(int) int { return len(t) }

func (t typed) lineStart(at int) int { return strings.LastIndexByte(string(t[:at]), '\n') + 1 }

func (t typed) lineEnd(at int) int {
	if n := strings.IndexByte(string(t[at:]), '\n'); n >= 0 {
		return at + n
	}
	return len(t)
}

func inWord(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)
}

func between(r rune) bool { return !inWord(r) }

// wordBefore returns the beginning of the word before a place.
func (t typed) wordBefore(at int) int {
	head := strings.TrimRightFunc(string(t[:at]), between)
	return t.whole(len(strings.TrimRightFunc(head, inWord)))
}

// wordAfter returns the end of the word behind a place.
func (t typed) wordAfter(at int) int {
	tail := strings.TrimLeftFunc(string(t[at:]), between)
	return t.whole(len(t) - len(strings.TrimLeftFunc(tail, inWord)))
}

// rest is what stands behind a place in its line, or the line's end where
// nothing does.
func (t typed) rest(at int) (from, to int) {
	if end := t.lineEnd(at); end > at {
		return at, end
	}
	return at, t.after(at)
}

// back makes a removal of what lies between a place before the cursor and it.
func back(to func(typed, int) int) func(typed, int) (int, int) {
	return func(t typed, at int) (int, int) { return to(t, at), at }
}

func (t typed) behind(at int) (from, to int) { return at, t.after(at) }

// moves are the keys that move the cursor.
var moves = map[string]func(typed, int) int{
	"left": typed.before, "ctrl+b": typed.before,
	"right": typed.after, "ctrl+f": typed.after,
	"home": typed.lineStart, "ctrl+a": typed.lineStart,
	"end": typed.lineEnd, "ctrl+e": typed.lineEnd,
	"ctrl+home": typed.begin, "alt+<": typed.begin,
	"ctrl+end": typed.finish, "alt+>": typed.finish,
	"ctrl+left": typed.wordBefore, "alt+left": typed.wordBefore, "alt+b": typed.wordBefore,
	"ctrl+right": typed.wordAfter, "alt+right": typed.wordAfter, "alt+f": typed.wordAfter,
}

// removals are the keys that take text away.
var removals = map[string]func(typed, int) (from, to int){
	"backspace": back(typed.before), "ctrl+h": back(typed.before),
	"delete": typed.behind, "ctrl+d": typed.behind,
	"ctrl+w": back(typed.wordBefore), "alt+backspace": back(typed.wordBefore),
	"ctrl+k": typed.rest,
	"ctrl+u": back(typed.lineStart),
}

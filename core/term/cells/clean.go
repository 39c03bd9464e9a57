package cells

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Clean returns a text as one line that is safe to print and to put beside other text. It
// removes escape sequences, invisible characters, and characters at either end that would
// join adjacent text. It replaces line ends, tabs and other controls with blanks, and
// composes Hangul.
func Clean(text string) string {
	if printable(text) {
		return text
	}
	w := writer{controls: ' '}
	w.write(text)
	return string(w.trimmed())
}

// Safe is Clean for a text of several lines: it keeps line ends and tabs.
func Safe(text string) string {
	if printable(text) {
		return text
	}
	w := writer{controls: ' ', lines: true}
	w.write(strings.ReplaceAll(text, "\r\n", "\n"))
	return string(w.trimmed())
}

// printable reports whether a text is printable ASCII only.
func printable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// writer collects what of a text may be shown.
type writer struct {
	out []byte
	// controls replaces a control; 0 leaves it out.
	controls byte
	// lines keeps the ends of lines, and tabs.
	lines bool
}

func (w *writer) write(text string) {
	for i := 0; i < len(text); {
		b := text[i]
		switch {
		case b >= ' ' && b <= '~', w.lines && (b == '\n' || b == '\t'):
			w.out = AppendASCII(w.out, b)
			i++
		case b == esc:
			i += First(text[i:]).Len
		default:
			r, size := utf8.DecodeRuneInString(text[i:])
			if classOf(r)&command == 0 {
				w.out = Append(w.out, r)
			} else if w.controls != 0 {
				w.out = AppendASCII(w.out, w.controls)
			}
			i += size
		}
	}
}

// trimmed returns the written bytes without a joiner at the end.
func (w *writer) trimmed() []byte { return Trim(w.out) }

// Trim removes characters at the end of a text that would join the character behind it.
func Trim(text []byte) []byte {
	for {
		r, size := utf8.DecodeLastRune(text)
		if r != joiner {
			return text
		}
		text = text[:len(text)-size]
	}
}

// AppendASCII adds an ASCII character to a line, as Append does.
func AppendASCII(line []byte, b byte) []byte {
	if n := len(line); n > 0 && line[n-1] >= utf8.RuneSelf {
		line = Trim(line)
	}
	return append(line, b)
}

// Append appends a code point, in the form in which it is shown, to a line that only Append
// functions have written. It omits controls, invisible characters, and marks without a
// base.
func Append(line []byte, r rune) []byte {
	c := classOf(r)
	last, size := utf8.DecodeLastRune(line)
	if size == 0 {
		last = '\n'
	}
	if last == joiner && c&emoji == 0 {
		// Joiners are for emoji. Between letters they change forms only, and tmux hides
		// the letter behind them.
		line = Trim(line)
		last, _ = utf8.DecodeLastRune(line)
	}
	switch {
	case c&(command|hidden) != 0:
		return line
	case c == 1:
		return utf8.AppendRune(line, r)
	case c&strange != 0:
		r, _ = shownAs(r)
	case r == inColour:
		if classOf(last)&(emoji|widthOf) != emoji|1 && (last < '0' || last > '9') && last != '#' && last != '*' {
			return line
		}
	case r == joiner:
		if last != inColour && classOf(last)&emoji == 0 && !isTone(last) {
			return line
		}
	case c&mark != 0:
		if last < ' ' || crowded(line) {
			return line
		}
		if isJamo(r) {
			return appendJamo(line, last, r, size)
		}
	}
	return utf8.AppendRune(line, r)
}

// AppendApart is Append for a line whose emoji do not join: it omits emoji variation
// selectors, and replaces a skin tone with blanks.
func AppendApart(line []byte, r rune) []byte {
	last, _ := utf8.DecodeLastRune(line)
	switch {
	case bytes.HasSuffix(line, joinedBlank):
		return Trim(line) // joined to a skin tone
	case r == inColour:
		return line
	case r == joiner && last == ' ':
		return utf8.AppendRune(line, r)
	case isTone(r):
		return append(Trim(line), "  "...)
	}
	return Append(line, r)
}

var joinedBlank = []byte(" \u200d")

func isTone(r rune) bool { return r >= firstTone && r <= lastTone }

// crowded reports whether as many marks as any script needs are at the end of
// a line. More are drawn over other lines.
func crowded(line []byte) bool {
	const most = 8
	for range most {
		r, size := utf8.DecodeLastRune(line)
		if classOf(r)&mark == 0 {
			return false
		}
		line = line[:len(line)-size]
	}
	return true
}

// appendJamo adds a jamo that is not the first of a syllable; one without what
// belongs before it is left out, as tmux does.
func appendJamo(line []byte, last, r rune, size int) []byte {
	whole, ok := compose(last, r)
	switch {
	case ok:
		return utf8.AppendRune(line[:len(line)-size], whole)
	case isVowelJamo(last),
		isVowelJamo(r) && (isLeadJamo(last) || isOpenSyllable(last)),
		isFinalJamo(r) && (isFinalJamo(last) || isSyllable(last)):
		return utf8.AppendRune(line, r)
	}
	return line
}

// How Hangul is coded: the first of each kind of jamo, and how many there are.
const (
	lead, vowel, final, syllable = 0x1100, 0x1161, 0x11a7, 0xac00
	leads, vowels, finals        = 19, 21, 28
)

// compose joins Hangul jamo to a syllable. Terminals agree on its width, and not
// on that of its parts.
func compose(last, r rune) (rune, bool) {
	switch {
	case last >= lead && last < lead+leads && r >= vowel && r < vowel+vowels:
		return syllable + ((last-lead)*vowels+r-vowel)*finals, true
	case isOpenSyllable(last) && r > final && r < final+finals:
		return last + r - final, true
	}
	return 0, false
}

func isSyllable(r rune) bool { return r >= syllable && r < syllable+leads*vowels*finals }

// isOpenSyllable reports whether a syllable ends with its vowel.
func isOpenSyllable(r rune) bool { return isSyllable(r) && (r-syllable)%finals == 0 }

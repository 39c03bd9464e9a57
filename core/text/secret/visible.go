package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"cupola/core/term/cells"
)

// view is a text as it is seen, without what splits words invisibly: escape sequences, controls and characters without
// width. The cursor moved to the right is a blank; moved to another line it is the end of one.
type view struct {
	text string
	// at has the offset in the text of each byte; nil means that the text has nothing invisible. moved are the offsets
	// of bytes that replace a movement of the cursor.
	at    []int
	moved map[int]bool
	// strings are the texts within sequences: titles, links, notifications.
	strings []span
}

// visible returns a text as it is seen.
func visible(text string) view {
	if !splits(text) {
		return view{text: text}
	}
	v := &viewer{view: view{at: make([]int, 0, len(text)), moved: map[int]bool{}}}
	v.write(text, 0)
	return v.done()
}

// joined returns lines as they are seen, and the text of all. A line that fills the screen continues in the next one.
func joined(lines []string) (seen view, text string) {
	const leastWidth = 20
	plain, width := make([]view, len(lines)), leastWidth
	for i, line := range lines {
		plain[i] = visible(line)
		width = max(width, utf8.RuneCountInString(plain[i].text))
	}
	v, from := &viewer{view: view{moved: map[int]bool{}}}, 0
	for i, line := range lines {
		v.write(line, from)
		from += len(line)
		if i+1 < len(lines) && utf8.RuneCountInString(plain[i].text) < width {
			v.put("\n", from)
		}
		from++
	}
	return v.done(), strings.Join(lines, "\n")
}

// viewer collects what is seen.
type viewer struct {
	view
	b strings.Builder
}

func (v *viewer) done() view {
	v.text = v.b.String()
	return v.view
}

func (v *viewer) put(s string, from int) {
	v.b.WriteString(s)
	for i := range len(s) {
		v.at = append(v.at, from+i)
	}
}

// write takes a text that begins at a place.
func (v *viewer) write(text string, from int) {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == 0x1b:
			n, _, _ := cells.Escape(text[i:])
			n = max(n, 1)
			if n > 2 && strings.IndexByte("]P_^Xk", text[i+1]) >= 0 {
				end := i + len(strings.TrimRight(text[i:i+n], "\a\x1b\\"))
				v.strings = append(v.strings, span{from + i + 2, from + max(i+2, end)})
			} else if s := moves(text[i : i+n]); s != "" {
				v.moved[from+i] = true
				v.put(s, from+i)
			}
			i += n
		case c == '\n' || c == '\t' || c >= ' ' && c < 0x7f:
			v.put(text[i:i+1], from+i)
			i++
		case c == '\r':
			v.moved[from+i] = true
			v.put("\n", from+i)
			i++
		case c < 0x80:
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			if shows(r) {
				v.put(text[i:i+n], from+i)
			}
			i += n
		}
	}
}

// splits reports whether a text has more than what is seen.
func splits(text string) bool {
	for _, r := range text {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && !shows(r) {
			return true
		}
	}
	return false
}

// shows reports whether a character is seen by itself.
func shows(r rune) bool {
	switch {
	case r < 0x300:
		return r != 0xad && (r < 0x80 || r >= 0xa0)
	case r >= 0x2010 && r < 0x2028, r >= 0x2030 && r < 0x205f, r >= 0x2070 && r < 0x20d0, r >= 0x2100 && r < 0x2cef,
		r == utf8.RuneError:
		return true
	}
	return !cells.Hidden(r) && !unicode.Is(unicode.Mn, r)
}

// moves returns the visible effect of a sequence: a blank, the end of a line, or nothing.
func moves(sequence string) string {
	if !strings.HasPrefix(sequence, "\x1b[") {
		return ""
	}
	switch sequence[len(sequence)-1] {
	case 'C', 'G', 'I', '`', 'a':
		return " "
	case 'A', 'B', 'E', 'F', 'H', 'd', 'f':
		return "\n"
	}
	return ""
}

package scripted

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// ink is text in one style; sgr is empty for the terminal's own.
type ink struct{ text, sgr string }

// row is one line of the screen.
type row []ink

// line makes a row in one style.
func line(text, sgr string) row { return row{{text: text, sgr: sgr}} }

// cells is how many columns the row takes.
func (r row) cells() int {
	n := 0
	for _, i := range r {
		n += displaywidth.String(i.text)
	}
	return n
}

// String is the row with its styles.
func (r row) String() string {
	var b strings.Builder
	for _, i := range r {
		if i.sgr == "" {
			b.WriteString(i.text)
			continue
		}
		b.WriteString(i.sgr + i.text + sgrReset)
	}
	return b.String()
}

// clip cuts the row to width columns.
func (r row) clip(width int) row {
	if r.cells() <= width {
		return r
	}
	var cut row
	for _, i := range r {
		text := displaywidth.TruncateString(i.text, width, "")
		width -= displaywidth.String(text)
		cut = append(cut, ink{text: text, sgr: i.sgr})
		if text != i.text {
			break
		}
	}
	return cut
}

// printable replaces what would move the cursor or cannot be drawn.
func printable(text string) string {
	text = strings.ReplaceAll(text, "\t", "    ")
	return strings.Map(func(r rune) rune {
		if (r < ' ' && r != '\n') || (r >= 0x7f && r < 0xa0) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// wrap breaks text into lines of at most width columns, at blanks where it
// can. A character wider than the width stands alone.
func wrap(text string, width int) []string {
	var out []string
	for part := range strings.SplitSeq(printable(text), "\n") {
		out = append(out, wrapLine(part, max(1, width))...)
	}
	return out
}

// wrapLine wraps text without line breaks.
func wrapLine(text string, width int) []string {
	var out []string
	start, blank, used, usedAtBlank := 0, -1, 0, 0
	at := 0
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		w := g.Width()
		if used+w > width && g.Value() == " " {
			out = append(out, text[start:at])
			at++
			start, blank, used = at, -1, 0
			continue
		}
		if used+w > width && at > start {
			if blank > start {
				out = append(out, text[start:blank])
				start, used = blank+1, used-usedAtBlank
			}
			if used+w > width && at > start {
				out = append(out, text[start:at])
				start, used = at, 0
			}
			blank = -1
		}
		used += w
		if g.Value() == " " {
			blank, usedAtBlank = at, used
		}
		at += len(g.Value())
	}
	return append(out, text[start:])
}

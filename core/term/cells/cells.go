// Package cells holds all handling of text as terminals lay it out: it makes foreign text safe to print, measures it in
// cells, cuts and wraps it, and reads its styles (SGR sequences, which take no cell). It decides no colours.
//
// Sequences are decoded by x/ansi and styles read by x/cellbuf. Cutting, wrapping and
// stripping are implemented here, because x/ansi measures differently.
//
// Widths agree with tmux since 3.4, because most text that is drawn comes out of its panes: code points count one by
// one, so that a vowel sign takes a cell of its own where graphemes would share one, and only emoji join. Libraries
// that measure graphemes (x/ansi, lipgloss, uniseg) are right for Latin and Chinese, and wrong for Thai, Hindi, Tamil,
// Myanmar and old Hangul.
//
// No measure is right on every terminal: tmux 3.3a draws a skin tone beside its emoji and a
// lone flag letter in one cell, kitty, iTerm2 and Ghostty count graphemes, Windows Terminal
// before 1.22 gives every mark a cell, and each has tables of a different Unicode version.
// Cluster.Odd is true for clusters whose width differs; code that draws frames must
// position the cursor again after them.
package cells

import (
	"strings"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
)

// Cluster is one character as a reader sees it, or one escape sequence.
type Cluster struct {
	// Len is the length in bytes, at least one.
	Len int
	// Width is the width in cells.
	Width int
	// Odd is true if terminals may disagree on the width.
	Odd bool
	// Escape is true for an escape sequence, which takes no cell.
	Escape bool
}

// First returns the first cluster of a text; the zero Cluster of an empty one.
func First(text string) Cluster {
	if text == "" {
		return Cluster{}
	}
	if text[0] == esc {
		length, _, _ := Escape(text)
		return Cluster{Len: length, Escape: true}
	}
	if text[0] < utf8.RuneSelf {
		if len(text) == 1 || text[1] < utf8.RuneSelf {
			return ascii(text[0])
		}
	}
	r, size := utf8.DecodeRuneInString(text)
	c := classOf(r)
	if c&^widthOf&^emoji == 0 || r < utf8.RuneSelf {
		if len(text) == size || alone(text[size:]) {
			return Cluster{Len: size, Width: int(c & widthOf)}
		}
	}
	if r < ' ' || r == 0x7f {
		return Cluster{Len: 1}
	}
	graphemes := displaywidth.StringGraphemes(text)
	graphemes.Next()
	return measured(graphemes.Value())
}

func ascii(b byte) Cluster {
	if b < ' ' || b == 0x7f {
		return Cluster{Len: 1}
	}
	return Cluster{Len: 1, Width: 1}
}

// alone reports whether a text begins with something that joins nothing before it.
func alone(text string) bool {
	if text[0] < utf8.RuneSelf {
		return true
	}
	r, _ := utf8.DecodeRuneInString(text)
	return classOf(r)&^widthOf&^emoji == 0
}

// measured counts the cells of a cluster: those of its code points, one by one,
// of what was joined the first, and two where a colour is asked for.
func measured(text string) Cluster {
	cluster := Cluster{Len: len(text)}
	points := 0
	joined, first := false, class(0)
	for _, r := range text {
		c := classOf(r)
		switch {
		case r == inColour && cluster.Width == 1:
			cluster.Width = 2
		case isTone(r) && first&emoji != 0, joined:
		default:
			cluster.Width += int(c & widthOf)
		}
		if points == 0 {
			first = c
		}
		joined = r == joiner
		points++
		cluster.Odd = cluster.Odd || c&odd != 0
	}
	cluster.Odd = cluster.Odd || points > 1
	return cluster
}

// Width returns the number of cells of a text; escape sequences take none.
func Width(text string) int {
	width := 0
	for i := 0; i < len(text); {
		cluster := First(text[i:])
		width += cluster.Width
		i += cluster.Len
	}
	return width
}

// Strip returns a text without its escape sequences.
func Strip(text string) string {
	if strings.IndexByte(text, esc) < 0 {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		cluster := First(text[i:])
		if !cluster.Escape {
			out.WriteString(text[i : i+cluster.Len])
		}
		i += cluster.Len
	}
	return out.String()
}

// Cut shortens a text to at most w cells, tail included; it appends the tail only if it
// shortens. It keeps all escape sequences.
func Cut(text string, w int, tail string) string {
	if Width(text) <= w {
		return text
	}
	room := w - Width(tail)
	if room < 0 {
		return ""
	}
	var out strings.Builder
	for i, full := 0, false; i < len(text); {
		cluster := First(text[i:])
		if !full && cluster.Width > room {
			out.WriteString(tail)
			full = true
		}
		if !full || cluster.Escape {
			out.WriteString(text[i : i+cluster.Len])
			room -= cluster.Width
		}
		i += cluster.Len
	}
	return out.String()
}

// CutLeft removes the first n cells of a text, and the whole of a character that this would
// split. It keeps all escape sequences.
func CutLeft(text string, n int) string {
	var out strings.Builder
	for i := 0; i < len(text); {
		if n <= 0 {
			out.WriteString(text[i:])
			break
		}
		cluster := First(text[i:])
		if cluster.Escape {
			out.WriteString(text[i : i+cluster.Len])
		}
		n -= cluster.Width
		i += cluster.Len
	}
	return out.String()
}

// Wrap divides a text without escape sequences into lines of at most w cells, at
// its line ends, and behind blanks and hyphens where there are any. Blanks around
// a break are left out, those at the end of a line stay as far as they fit. There
// is always one line; a cluster wider than w has a line for itself.
func Wrap(text string, w int) []string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrapLine(line, max(1, w))...)
	}
	return lines
}

func wrapLine(text string, w int) (lines []string) {
	// from is where the line begins, part the place behind its last break, and used
	// and since are the cells behind either.
	from, part, used, since := 0, 0, 0, 0
	for at := 0; at < len(text); {
		cluster := First(text[at:])
		next := at + cluster.Len
		// What is left behind a break may be too wide as well.
		for used+cluster.Width > w && at > from && text[at:next] != " " {
			end := at
			if part > from {
				end, used = part, since
			} else {
				used = 0
			}
			lines = append(lines, strings.TrimRight(text[from:end], " "))
			from, part, since = end, end, used
		}
		used += cluster.Width
		since += cluster.Width
		if text[at] == ' ' || text[at] == '-' {
			part, since = next, 0
		}
		at = next
	}
	end := text[from:]
	end = end[:max(len(strings.TrimRight(end, " ")), len(end)-max(0, Width(end)-w))]
	return append(lines, end)
}

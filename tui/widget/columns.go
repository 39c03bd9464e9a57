package widget

import (
	"strconv"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/term/cells"
)

// While wrapping is off, text past the last column overwrites it.
const noWrap, wrap = ansi.ResetModeAutoWrap, ansi.SetModeAutoWrap

// FixColumns keeps every cell of a line in its column, whatever width the terminal gives to the characters before it.
// The line is w cells wide, as is the display. Where terminals disagree on a cluster (see package cells), its cells
// are blanked, since it may be narrower, and the cursor continues in the column behind it, so that a wider one is
// drawn over. The sequences are from the VT100 and ECMA-48, and were tried in tmux.
func FixColumns(line string, w int) string {
	var out []byte
	done, column := 0, 0
	for i := 0; i < len(line); {
		b := line[i]
		if b >= ' ' && b <= '~' && (i+1 == len(line) || line[i+1] < utf8.RuneSelf) {
			column++
			i++
			continue
		}
		cluster := cells.First(line[i:])
		next, behind := i+cluster.Len, column+cluster.Width
		if cluster.Odd {
			if out == nil {
				out = append(make([]byte, 0, 2*len(line)), noWrap...)
			}
			out = append(append(out, line[done:i]...), spaces(cluster.Width)...)
			switch {
			case cluster.Width == 0:
			case behind >= w:
				out = appendBare(appendColumn(out, column), line[i:next], cluster.Width)
			default:
				out = appendCluster(appendColumn(out, column), line[i:next], column)
				out = appendColumn(out, behind)
			}
			done = next
		}
		i, column = next, behind
	}
	if out == nil {
		return line
	}
	return string(append(append(out, line[done:]...), wrap...))
}

// appendCluster appends what is drawn in a column. A terminal that leaves out a
// letter that it does not know would put the marks of that letter on the sign
// before it, such as a border: they are drawn in the column behind the letter.
func appendCluster(out []byte, cluster string, column int) []byte {
	if r, _ := utf8.DecodeRuneInString(cluster); r < 0x10000 {
		return append(out, cluster...)
	}
	for i, r := range cluster {
		if i > 0 && r != '\u200d' && r != '\ufe0f' && (r < 0x1f000 || r > 0x1faff) {
			out = appendColumn(out, column+cells.Width(cluster[:i]))
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// appendBare appends a cluster without its marks. In the last column, while
// wrapping is off, terminals put them on the sign before it.
func appendBare(out []byte, cluster string, room int) []byte {
	for _, r := range cluster {
		sign := string(r)
		if width := cells.Width(sign); width > 0 && width <= room {
			out, room = append(out, sign...), room-width
		}
	}
	return out
}

// appendColumn appends the sequence that moves the cursor to a column of its row,
// counted from zero.
func appendColumn(out []byte, column int) []byte {
	return append(strconv.AppendInt(append(out, "\x1b["...), int64(column)+1, 10), 'G')
}

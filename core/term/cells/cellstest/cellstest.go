// Package cellstest compares drawn text with the cells in which a terminal puts it, and makes text that is hard to
// draw.
package cellstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"

	"cupola/core/term"
	"cupola/core/term/cells"
)

// Holds draws the lines sent on a terminal, from its first column on. The test fails if a cell does not contain what
// measured says. The cells of odd clusters are not compared, because terminals differ there.
func Holds(t testing.TB, measured, sent []string) {
	t.Helper()
	width := 0
	var script strings.Builder
	want := make([]string, len(measured))
	script.WriteString(strings.Join(sent, "\r\n"))
	for row, line := range measured {
		steady, taken := steadyOf(line)
		width = max(width, cells.Width(line))
		want[row] = strings.TrimRight(steady, " ")
		for _, span := range taken {
			fmt.Fprintf(&script, "\x1b[0m\x1b[%d;%dH%s", row+1, span[0]+1, strings.Repeat(" ", span[1]))
		}
	}
	terminal := term.New(width, len(measured))
	_, _ = terminal.Write([]byte(script.String()))
	for row, got := range terminal.Lines() {
		if got != want[row] {
			t.Errorf("row %d holds\n%q, want\n%q, of\n%q", row, got, want[row], measured[row])
		}
	}
}

// steadyOf returns a line without style and with blanks for its odd clusters, and
// where these are: their columns and widths.
func steadyOf(line string) (steady string, taken [][2]int) {
	var out strings.Builder
	column := 0
	for i := 0; i < len(line); {
		cluster := cells.First(line[i:])
		switch {
		case cluster.Odd:
			taken = append(taken, [2]int{column, cluster.Width})
			out.WriteString(strings.Repeat(" ", cluster.Width))
		case !cluster.Escape:
			out.WriteString(line[i : i+cluster.Len])
		}
		column += cluster.Width
		i += cluster.Len
	}
	return out.String(), taken
}

// Assigned returns all assigned code points, including controls.
func Assigned() []rune {
	var found []rune
	for _, table := range []*unicode.RangeTable{
		unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z,
		unicode.Cf, unicode.Co, unicode.Noncharacter_Code_Point,
	} {
		for _, r := range table.R16 {
			found = appendRange(found, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			found = appendRange(found, rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return found
}

// appendRange appends a range; of the private planes and the ideographs, which
// are all alike, every 50th.
func appendRange(found []rune, lo, hi, stride rune) []rune {
	if hi-lo > 6000 {
		stride *= 50
	}
	for r := lo; r <= hi; r += stride {
		found = append(found, r)
	}
	return found
}

// pieces are texts that are hard to lay out: scripts whose characters join, characters whose width terminals disagree
// on, and characters that must not reach a terminal.
var pieces = []string{
	"สวัสดีครับ", "กำลังทำน้ำ", "ສະບາຍດີ ນ້ຳ", "வணக்கம் உலகம் கௌ", "नमस्ते दुनिया क्षत्रिय की", "বাংলা ভাষা কো",
	"မြန်မာဘာသာ", "ខ្មែរ", "བོད་སྐད་", "ශ්\u200dරී ලංකා", "കേരളം ൎ",
	"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1161", "\u11ab", "\u1100\u1100", "\ua960\u1161", "\u115f\u1160",
	"\u3164", "ㅋㅋㅋ", "ﾊﾟﾋﾞ",
	"👍🏽", "🏽", "👨\u200d👩\u200d👧\u200d👦", "👩🏿\u200d💻", "🏳\ufe0f\u200d🌈", "❤\ufe0f\u200d🔥", "🇩🇪", "🇩", "🇩🇪🇫",
	"1\ufe0f\u20e3", "⚠\ufe0f", "☺", "©\ufe0f", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
	"e\u0301", "\u0301", "a\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308\u0309\u030a\u030b\u030c\u030d",
	"می\u200cخواهم", "שלום", "مرحبا", "\u0600", "\u202eabc\u202c", "\u2066x\u2069", "\u200b", "\u200d", "\ufeff",
	"\ufe0f", "\u00ad", "\u2028",
	"日本語", "宽", "╭──╮", "│", "─", "⏺", "✻", "x", " ", "word", "\ue0b0", "\U000f0001", "\x1b[31m", "\x1b[0;44m",
	"\x1b[7m", "\x1b[m", "\t",
}

// Mixed returns a random text of code points and difficult sequences.
func Mixed(random *rand.Rand, points []rune) string {
	var out strings.Builder
	for range 4 + random.IntN(30) {
		if random.IntN(3) == 0 {
			out.WriteRune(points[random.IntN(len(points))])
		} else {
			out.WriteString(pieces[random.IntN(len(pieces))])
		}
	}
	return out.String()
}

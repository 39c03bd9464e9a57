package cells_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"cupola/core/term/cells"
	"cupola/core/term/cells/cellstest"
)

func TestClustersTakeTheCellsThatTmuxGivesThem(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
	}{
		{"", 0},
		{"abc", 3},
		{"a\x1b[31mb\x1b[0m", 2},
		{"e\u0301", 1},
		{"日本", 4},
		{"╭─╮", 3},
		{"กำ", 2},
		{"สวัสดี", 4},
		{"की", 2},
		{"नमस्ते", 4},
		{"கௌ", 2},
		{"မြန်မာ", 5},
		{"གརྲི", 2},
		{"한", 2},
		{"\u1112\u1161\u11ab", 2},
		{"\u1112\u1112", 4},
		{"x\u1161", 1},
		{"🙂", 2},
		{"👍🏽", 2},
		{"🏽", 2},
		{"👨\u200d👩\u200d👧\u200d👦", 2},
		{"👩🏽\u200d💻", 2},
		{"🏳\ufe0f\u200d🌈", 2},
		{"🇩🇪", 2},
		{"🇩", 1},
		{"🇩🇪🇫", 3},
		{"❤", 1},
		{"❤\ufe0f", 2},
		{"1\ufe0f\u20e3", 2},
		{"\ue0b0", 1},
		{"می\u200cخ", 3},
	} {
		if got := cells.Width(test.text); got != test.width {
			t.Errorf("%q takes %d cells, want %d", test.text, got, test.width)
		}
	}
}

func TestForeignTextIsMadeSafe(t *testing.T) {
	for _, test := range []struct{ in, clean string }{
		{"plain", "plain"},
		{"\x1b[31mred\x1b[m \x1b]0;title\x07x", "red x"},
		{"\x1b]0;✳ title\x07x\x1bP1✳\x1b\\y", "xy"},
		{"a\tb\nc\u0085d\u2028e", "a b c d e"},
		{"\u202eabc\u2066\u200e\u061c", "abc"},
		{"a\ufeffb\u200b\u2060\u00adc", "ab-c"},
		{"\U000e0041\U000e0100\u034fx\U000e0001", "x"},
		{"\u0301a\u0301", "a\u0301"},
		{"\xff\xfe", "\ufffd\ufffd"},
		{"\ufffe\u0378", "\ufffd\ufffd"},
		{"\u0600x", "\ufffdx"},
		{"\u1112\u1161\u11ab\u1100\u1161 \u1161", "한가 "},
		{"\u3164|\uffa0", "\u3000| "},
		{"क\u094d\u200dष", "क्ष"},
		{"می\u200cخ", "می\u200cخ"},
		{"👩\u200d💻\u200d", "👩\u200d💻"},
		{"🙂\u200dx", "🙂x"},
		{"a\ufe0f⚠\ufe0f日\ufe0f", "a⚠\ufe0f日"},
		{"1\ufe0f\u20e3", "1\ufe0f\u20e3"},
		{"a" + strings.Repeat("\u0301", 100) + "b", "a" + strings.Repeat("\u0301", 8) + "b"},
	} {
		if got := cells.Clean(test.in); got != test.clean {
			t.Errorf("%q became %q, want %q", test.in, got, test.clean)
		}
	}
	if got, want := cells.Safe("a\tb\r\n\u202ec\n\x1b[31md\u200d\n\u0301e\x07"), "a\tb\nc\nd\ne "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoFormatControlIsLeftOfAnyCodePoint(t *testing.T) {
	kept := []rune{'\u200c', '\u200d'} // Persian and families are written with them
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if r > 0x20000 && r < 0xe0000 {
			r += 100 // ideographs, and what is not assigned
		}
		for _, got := range cells.Clean("🙂" + string(r) + "🙂") {
			if unicode.In(got, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point) &&
				!slices.Contains(kept, got) {
				t.Errorf("%U is left of %U", got, r)
			}
		}
	}
}

func TestCutAndWrap(t *testing.T) {
	for _, test := range []struct {
		text string
		w    int
		want string
	}{
		{"abcdef", 4, "abc…"},
		{"กำลังทำ", 4, "กำลั…"},
		{"日本語", 4, "日…"},
		{"abc", 3, "abc"},
		{"abc", 0, ""},
		{"👍🏽👍🏽👍🏽", 4, "👍🏽…"},
		{"\x1b[31mabcdef\x1b[0m", 3, "\x1b[31mab…\x1b[0m"},
	} {
		if got := cells.Cut(test.text, test.w, "…"); got != test.want {
			t.Errorf("%q in %d: got %q, want %q", test.text, test.w, got, test.want)
		}
	}
	if got, want := cells.CutLeft("\x1b[31m日本語ab\x1b[0m", 3), "\x1b[31m語ab\x1b[0m"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, test := range []struct {
		text string
		w    int
		want []string
	}{
		{"", 5, []string{""}},
		{"one two three", 7, []string{"one two", "three"}},
		{"one  two", 4, []string{"one", "two"}},
		{"abcdefgh ij", 4, []string{"abcd", "efgh", "ij"}},
		{"well-known", 6, []string{"well-", "known"}},
		{"one two   ", 5, []string{"one", "two  "}},
		{" 日日0ำ", 5, []string{"", "日日", "0ำ"}},
		{"one \u0dcatwo", 3, []string{"one", " \u0dca", "two"}},
		{"a\nb", 5, []string{"a", "b"}},
		{"日本語", 3, []string{"日", "本", "語"}},
		{"日", 1, []string{"日"}},
		{"กำลังทำ", 3, []string{"กำลั", "งทำ"}},
	} {
		if got := cells.Wrap(test.text, test.w); !slices.Equal(got, test.want) {
			t.Errorf("%q in %d: got %q, want %q", test.text, test.w, got, test.want)
		}
	}
}

func FuzzTextKeepsItsMeasure(f *testing.F) {
	random, points := rand.New(rand.NewPCG(3, 4)), cellstest.Assigned()
	for range 50 {
		f.Add(cellstest.Mixed(random, points), 7)
	}
	f.Fuzz(func(t *testing.T, text string, w int) {
		w = 1 + w&0x3f
		clean := cells.Clean(text)
		if again := cells.Clean(clean); again != clean {
			t.Errorf("%q is cleaned to %q", clean, again)
		}
		if got := cells.Width(cells.Cut(clean, w, "…")); got > w {
			t.Errorf("%q cut to %d takes %d", clean, w, got)
		}
		if got, all := cells.Width(cells.CutLeft(clean, w)), cells.Width(clean); got > max(0, all-w) {
			t.Errorf("%q without the first %d of %d takes %d", clean, w, all, got)
		}
		for _, line := range cells.Wrap(clean, w) {
			if got := cells.Width(line); got > w && cells.First(line).Len < len(line) {
				t.Errorf("%q in %d: %q takes %d", clean, w, line, got)
			}
		}
	})
}

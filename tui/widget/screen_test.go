package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/term/cells"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

func at(level theme.Level) *theme.Theme { return theme.New(theme.Options{Level: level}) }

func size(w, h int) layout.Rect { return layout.Rect{W: w, H: h} }

// shot is a screen of lines in a pane of some width.
func shot(width int, lines ...string) widget.Shot {
	return widget.Shot{Capture: &core.Screen{
		Lines: lines, Visible: len(lines),
		View: core.Viewport{Width: width, Height: len(lines)},
	}}
}

// fits fails unless lines fill a rect, cell for cell, and hold no control but SGR.
func fits(t testing.TB, r layout.Rect, lines []string) {
	t.Helper()
	if len(lines) != r.H {
		t.Fatalf("%d lines in a rect of %d", len(lines), r.H)
	}
	for i, line := range lines {
		if got := cells.Width(line); got != r.W {
			t.Fatalf("line %d has %d cells, want %d: %q", i, got, r.W, line)
		}
		styled := false
		for rest := line; rest != ""; {
			seq, _, n, _ := ansi.DecodeSequence(rest, ansi.NormalState, nil)
			if rest = rest[n:]; strings.HasPrefix(seq, "\x1b[") && strings.HasSuffix(seq, "m") {
				styled = seq != theme.Reset
			} else if seq[0] < 0x20 || seq[0] == 0x7f {
				t.Fatalf("line %d holds %q: %q", i, seq, line)
			}
		}
		if styled {
			t.Fatalf("line %d ends with a style: %q", i, line)
		}
	}
}

func TestScreenLines(t *testing.T) {
	for _, test := range []struct {
		name  string
		width int
		in    []string
		want  []string
	}{
		{"short lines are filled up", 6, []string{"ab"}, []string{"ab    "}},
		{"long lines are cut", 3, []string{"abcdef"}, []string{"abc"}},
		{"a wide character at the edge becomes a blank", 3, []string{"日本"}, []string{"日 "}},
		{"marks stay with their base", 3, []string{"e\u0301\u0323xyz"}, []string{"e\u0301\u0323xy"}},
		{"a family is one sign", 4, []string{"👩‍👩‍👧xyz"}, []string{"👩‍👩‍👧xy"}},
		{"a flag is one sign", 3, []string{"🇩🇪xyz"}, []string{"🇩🇪x"}},
		{"a mark without a base is left out", 3, []string{"\u0301ab"}, []string{"ab "}},
		{"tabs end at stops of the pane", 20, []string{"a\tb\tc"}, []string{"a       b       c   "}},
		{"controls are left out", 6, []string{"a\x07b\x08c\rd\x7fe\u009bf"}, []string{"abcdef"}},
		{
			"titles, links and queries are left out", 6,
			[]string{"\x1b]0;t\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\c" +
				"\x1b[6n\x1bP+q\x1b\\d\x1b(0\x1b[2Je\x1b_G\x1b\\"},
			[]string{"abcde "},
		},
		{"a sequence without an end takes the rest", 4, []string{"ab\x1b]0;cd"}, []string{"ab  "}},
		{"a sequence cut short by another", 4, []string{"a\x1b[1\x1b[31mb"}, []string{"a\x1b[0;31mb  \x1b[0m"}},
		{"what turns the direction is left out", 4, []string{"a\u202eb\u2066c"}, []string{"abc "}},
		{"bad bytes are shown as such", 4, []string{"a\xff\xc3b"}, []string{"a\ufffd\ufffdb"}},
		{"lines drawn in the old character set", 4, []string{"\x0elqk\x0fx"}, []string{"┌─┐x"}},
		{"concealed text stays so", 6, []string{"a\x1b[8mbc\x1b[28md"}, []string{"a  d  "}},
		{"styles end with the line", 4, []string{"\x1b[1mab"}, []string{"\x1b[0;1mab  \x1b[0m"}},
		{
			"styles go on in the next line", 3,
			[]string{"\x1b[31mab", "cd\x1b[mef"},
			[]string{"\x1b[0;31mab \x1b[0m", "\x1b[0;31mcd\x1b[0me"},
		},
		{"nothing blinks", 3, []string{"\x1b[5;6;32mab"}, []string{"\x1b[0;32mab \x1b[0m"}},
		{
			"private sequences that end in m are no styles", 3,
			[]string{"\x1b[>4;1m\x1b[?4mab\x1b[1 mc"},
			[]string{"abc"},
		},
		{"a sign that is asked for in colour is wide", 3, []string{"\u26a0\ufe0fab"}, []string{"\u26a0\ufe0fa"}},
		{"such a wish is left out where it means nothing", 3, []string{"a\ufe0fb日\ufe0f"}, []string{"ab "}},
		{"what joins the next sign is replaced", 3, []string{"\u0600"}, []string{"\ufffd  "}},
		{
			"a joiner behind an emoji that joins nothing is left out", 4,
			[]string{"🙂\u200d", "🙂\u200da"},
			[]string{"🙂  ", "🙂a "},
		},
		{
			"vowel signs that take cells keep them", 6,
			[]string{"กำ|", "कि|", "கௌ|"},
			[]string{"กำ|   ", "कि|   ", "கௌ|   "},
		},
		{"jamo are composed", 4, []string{"\u1112\u1161\u11ab|", "\u1161|\u11ab"}, []string{"한| ", "|   "}},
		{"invisible characters are left out", 3, []string{"a\ufeff\u200b\u2060\U000e0041\u061cb"}, []string{"ab "}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := size(test.width, len(test.want))
			got := widget.Screen(at(theme.True), r, shot(test.width, test.in...), nil)
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
			fits(t, r, got)
		})
	}
}

// Other versions of tmux take other cells for emoji.
func TestEmojiTakePaneCells(t *testing.T) {
	for _, test := range []struct{ in, joined, apart string }{
		{"👍🏽|", "👍🏽|", "👍  |"},
		{"👩🏽\u200d💻|", "👩🏽\u200d💻|", "👩  |"},
		{"👩\u200d💻|", "👩\u200d💻|", "👩\u200d💻|"},
		{"⚠\ufe0f|", "⚠\ufe0f|", "⚠|"},
		{"🏳\ufe0f\u200d🌈|", "🏳\ufe0f\u200d🌈|", "🏳\u200d🌈|"},
		{"1\ufe0f\u20e3|", "1\ufe0f\u20e3|", "1\u20e3|"},
		{"🇩🇪|🇩|", "🇩🇪|🇩|", "🇩🇪|🇩|"},
	} {
		s := shot(20, test.in)
		for _, want := range []string{test.joined, test.apart} {
			got := widget.Screen(at(theme.None), size(20, 1), s, widget.NewCache())
			if text := strings.TrimRight(got[0], " "); text != want {
				t.Errorf("%q, apart %t: got %q, want %q", test.in, s.Capture.Apart, text, want)
			}
			fits(t, size(20, 1), got)
			s.Capture.Apart = true
		}
	}
}

func TestScreenColours(t *testing.T) {
	for _, test := range []struct {
		level    theme.Level
		in, want string
	}{
		{theme.True, "1;2;3;4;7;9", "0;1;2;3;7;9;4;4"},
		{theme.True, "1;22", ""},
		{theme.True, "4:3", "0;4;4:3"},
		{theme.True, "4:3;4:0", ""},
		{theme.True, "4:2", "0;4;4:2"},
		{theme.True, "4;58:2::1:2:3", "0;4;4;58;2;1;2;3"},
		{theme.True, "58;5;3", ""},
		{theme.True, "31;42", "0;31;42"},
		{theme.True, "91;102", "0;91;102"},
		{theme.True, "38;5;9;48;5;200", "0;38;5;9;48;5;200"},
		{theme.True, "38:5:123", "0;38;5;123"},
		{theme.True, "38;2;1;2;3", "0;38;2;1;2;3"},
		{theme.True, "38:2::1:2:3;1", "0;1;38;2;1;2;3"},
		{theme.True, "38:2:1:2:3", "0;38;2;1;2;3"},
		{theme.True, "31;39", ""},
		{theme.True, "31;;1", "0;1"},
		{theme.True, strings.Repeat("1;", 100) + "31", "0;1"},
		{theme.True, "99999999999999999999", ""},
		{theme.Indexed, "38;2;255;0;0", "0;38;5;196"},
		{theme.Basic, "38;2;255;0;0;48;5;46", "0;91;102"},
		{theme.Basic, "4:3;58;5;1", "0;4;4"},
		{theme.None, "1;31;7", ""},
	} {
		got := widget.Screen(at(test.level), size(1, 1), shot(1, "\x1b["+test.in+"mx"), nil)[0]
		want := "x"
		if test.want != "" {
			want = "\x1b[" + test.want + "mx\x1b[0m"
		}
		if got != want {
			t.Errorf("%s at level %d: got %q, want %q", test.in, test.level, got, want)
		}
	}
}

func TestBackgroundFillsToPaneEdge(t *testing.T) {
	const blue, end = "\x1b[0;44m", "\x1b[0m"
	for _, test := range []struct {
		name string
		pane int
		in   []string
		want []string
	}{
		{"as wide as the view", 5, []string{"\x1b[44mab"}, []string{blue + "ab   " + end}},
		{"a narrower pane", 4, []string{"\x1b[44mab"}, []string{blue + "ab  " + end + " "}},
		{"switched off before the end", 5, []string{"\x1b[44mab\x1b[49m"}, []string{blue + "ab" + end + "   "}},
		{
			"blanks between coloured rows", 3,
			[]string{"\x1b[44ma", "", "b"},
			[]string{blue + "a  " + end + "  ", blue + "   " + end + "  ", blue + "b  " + end + "  "},
		},
		{"no row follows", 3, []string{"\x1b[44ma", "", ""}, []string{blue + "a  " + end + "  ", "     ", "     "}},
		{
			"a cursor that the program draws", 5,
			[]string{"> \x1b[7m", "\x1b[27mx"},
			[]string{"> \x1b[0;7m \x1b[0m  ", "x    "},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := widget.Screen(at(theme.True), size(5, len(test.want)), shot(test.pane, test.in...), nil)
			if strings.Join(got, "\n") != strings.Join(test.want, "\n") {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	full := shot(3, "\x1b[44ma", "")
	full.Capture.View.AlternateOn = true
	if got := widget.Screen(at(theme.True), size(3, 2), full, nil)[1]; got != blue+"   "+end {
		t.Errorf("a full-screen program's last row: %q", got)
	}
}

func TestScreenAnchors(t *testing.T) {
	lines := []string{"0", "1", "2", "3", "4", "5 wide line", "", "\x1b[31m  "}
	text := func(s widget.Shot, w, h int) string {
		return strings.Join(strings.Fields(strings.Join(widget.Screen(at(theme.None), size(w, h), s, nil), " ")), " ")
	}
	s := shot(20, lines...)
	check := func(name, got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	check("bottom", text(s, 3, 2), "4 5 w")
	check("everything has room", text(s, 3, 7), "0 1 2 3 4 5 w")
	s.Scroll = 2
	check("scrolled", text(s, 3, 2), "2 3")
	s.Scroll = 200
	check("scrolled too far", text(s, 3, 2), "0 1")
	s = shot(20, lines...)
	s.Capture.View.Cursor = core.Cursor{X: 0, Y: 7, Visible: true}
	check("the cursor's row is not blank", text(s, 3, 3), "5 w")
	s.Anchor = widget.AnchorCursor
	s.Capture.View.Cursor = core.Cursor{X: 0, Y: 1, Visible: true}
	check("around the cursor", text(s, 3, 2), "1 2")
	s.Capture.View.Cursor = core.Cursor{X: 8, Y: 5, Visible: true}
	check("right of the edge", text(s, 3, 1), "li")
	s.Capture.View.Cursor.Visible = false
	check("a hidden cursor does not count", text(s, 3, 1), "5 w")
	if top, all := s.Top(2); top != 4 || all != 6 {
		t.Errorf("top %d of %d", top, all)
	}
}

func TestStylesFromAboveViewContinue(t *testing.T) {
	for _, above := range []string{"\x1b[31mabove", "\x0f\x1b[31mabove"} {
		for _, cache := range []*widget.Cache{nil, widget.NewCache()} {
			for range 2 {
				got := widget.Screen(at(theme.True), size(3, 1), shot(20, above, "ab\x1b[mc"), cache)
				if want := "\x1b[0;31mab\x1b[0mc"; got[0] != want {
					t.Errorf("got %q, want %q", got[0], want)
				}
			}
		}
	}
}

func TestCutsOnTheLeftKeepStylesAndWidth(t *testing.T) {
	s := shot(10, "\x1b[31m日本語ab")
	s.Anchor, s.Capture.View.Cursor = widget.AnchorCursor, core.Cursor{X: 7, Visible: true}
	got := widget.Screen(at(theme.True), size(5, 1), s, nil)
	if want := " \x1b[0;31m語ab\x1b[0m"; got[0] != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
}

func TestThePanesCursorIsShown(t *testing.T) {
	for _, test := range []struct {
		level theme.Level
		x     int
		want  string
	}{
		{theme.True, 1, "\x1b[0;31ma\x1b[0;7;31mb\x1b[0m   "},
		{theme.True, 3, "\x1b[0;31mab \x1b[0;7m \x1b[0m "},
		{theme.None, 1, "a\x1b[0;7mb\x1b[0m   "},
	} {
		s := shot(5, "\x1b[31mab\x1b[m")
		s.Cursor, s.Capture.View.Cursor = true, core.Cursor{X: test.x, Visible: true}
		if got := widget.Screen(at(test.level), size(5, 1), s, nil)[0]; got != test.want {
			t.Errorf("at %d: got %q, want %q", test.x, got, test.want)
		}
	}
}

func TestTheCacheChangesNothing(t *testing.T) {
	cache, th := widget.NewCache(), at(theme.True)
	for round := range 3 {
		for i := range 6000 {
			s := shot(30, fmt.Sprintf("\x1b[3%dmline %d", i%8, i%5000), "same", "same")
			r := size(10+i%3, 3)
			got, want := widget.Screen(th, r, s, cache), widget.Screen(th, r, s, nil)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Fatalf("round %d, %d: got %q, want %q", round, i, got, want)
			}
		}
	}
}

func TestMissingScreenIsBlank(t *testing.T) {
	for _, r := range []layout.Rect{size(0, 0), size(5, 0), size(0, 3), size(7, 2), size(150, 1)} {
		fits(t, r, widget.Screen(at(theme.True), r, widget.Shot{}, nil))
		fits(t, r, widget.Screen(at(theme.True), r, shot(3, "abc", "def"), nil))
	}
}

func FuzzScreenFillsItsRectExactly(f *testing.F) {
	for _, seed := range []string{
		"", "\x1b[31mred\nmore", "日本語\t👩‍👩‍👧 🇩🇪e\u0301", "\x1b]8;;x\x1b\\l\x1b]8;;\x07", "1\ufe0f\u20e3 \u26a0\ufe0f",
		"a\u0903\u0903b", "\u0600a\u200d\u200bx", "\x0elqk\x0f", "\x1b[38:2::1:2:3m\x1b[58;5;2;4:3mx",
		"\u1100\u1161\u11a8\u1161", "🇩\x1b[1m🇪🇩", "\xff\xfe\x9b31m",
	} {
		f.Add(seed, 7, 3, 0)
		f.Add(seed, 1, 1, 5)
	}
	themes := []*theme.Theme{at(theme.None), at(theme.Basic), at(theme.Indexed), at(theme.True)}
	f.Fuzz(func(t *testing.T, text string, w, h, cursor int) {
		r := size(w&0x7f, h&0x1f)
		s := shot(1+cursor&0x3f, strings.Split(text, "\n")...)
		s.Capture.View.Cursor = core.Cursor{X: cursor & 0xff, Y: cursor >> 8 & 0x1f, Visible: true}
		s.Cursor, s.Anchor, s.Scroll = cursor&1 == 0, widget.Anchor(cursor>>1&1), cursor>>12&3
		for _, th := range themes {
			fits(t, r, widget.Screen(th, r, s, nil))
		}
	})
}

func TestAdjacentCharactersDoNotJoin(t *testing.T) {
	th, seen := at(theme.None), 0
	for r := rune(0xa0); r < 0x20000; r++ {
		for _, line := range widget.Screen(th, size(3, 1), shot(0, string(r)), nil) {
			seen++
			if got := cells.Width(line + "|"); got != 4 {
				t.Errorf("%U: %d cells in %q", r, got, line)
			}
		}
		if one := widget.Screen(th, size(1, 1), shot(0, string(r)), nil)[0]; cells.Width(one+"|") != 2 {
			t.Errorf("%U takes the border in: %q", r, one)
		}
	}
	if seen < 100_000 {
		t.Errorf("only %d were looked at", seen)
	}
}

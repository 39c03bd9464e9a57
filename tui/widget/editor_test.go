package widget_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/widget"
)

// keyTypes are the keys with names.
var keyTypes = func() map[string]tea.KeyType {
	types := map[string]tea.KeyType{}
	for kind := tea.KeyType(-100); kind < 128; kind++ {
		if name := (tea.Key{Type: kind}).String(); kind != tea.KeyRunes && kind != tea.KeySpace && name != "" {
			types[name] = kind
		}
	}
	return types
}()

// press is a key by its name, or a text that is pasted.
func press(name string) tea.KeyMsg {
	name, alt := strings.CutPrefix(name, "alt+")
	if kind, ok := keyTypes[name]; ok {
		return tea.KeyMsg{Type: kind, Alt: alt}
	}
	return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(name), Alt: alt}
}

// typed makes an editor of several lines with a text and its cursor at the first
// "|", in a view of w cells.
func typed(text string, w int) *widget.Editor {
	return placed(widget.NewArea("", strings.Replace(text, "|", "", 1)), text, w)
}

// typedLine makes an editor of a single line.
func typedLine(text string, w int) *widget.Editor {
	return placed(widget.NewLine("", strings.Replace(text, "|", "", 1)), text, w)
}

func placed(e *widget.Editor, text string, w int) *widget.Editor {
	before, _, _ := strings.Cut(text, "|")
	e.Press(press("ctrl+home"))
	e.Press(press("home"))
	for ; before != ""; before = before[cells.First(before).Len:] {
		e.Press(press("right"))
	}
	e.Draw(at(theme.None), size(w, 3), true)
	return e
}

// state is the editor's text with its cursor as "|". The editor is spoilt.
func state(e *widget.Editor) string {
	const sign = "\ue000"
	e.Press(press(sign))
	return strings.Replace(e.Text(), sign, "|", 1)
}

func TestEditingKeys(t *testing.T) {
	for _, test := range []struct{ from, keys, want string }{
		{"abc|", "left left", "a|bc"},
		{"|abc", "left", "|abc"},
		{"abc|", "right", "abc|"},
		{"e\u0301|x", "left", "|e\u0301x"},
		{"👩‍👩‍👧🇩🇪|", "backspace", "👩‍👩‍👧|"},
		{"👩‍👩‍👧|x", "backspace", "|x"},
		{"a|🇩🇪b", "delete", "a|b"},
		{"a\n|b", "backspace", "a|b"},
		{"a|\nb", "delete", "a|b"},
		{"a\n|b", "left", "a|\nb"},
		{"one two|", "ctrl+w", "one |"},
		{"one two  |", "ctrl+w", "one |"},
		{"one two|", "alt+b", "one |two"},
		{"|", "alt+b", "|"},
		{"  |", "alt+b", "|  "},
		{"\n\n|x", "alt+left", "|\n\nx"},
		{"|one two", "alt+f alt+f", "one two|"},
		{"größe über|", "alt+left alt+left", "|größe über"},
		{"one\ntwo| three", "home", "one\n|two three"},
		{"one\ntw|o three\nx", "end", "one\ntwo three|\nx"},
		{"a b|c\nd", "ctrl+k", "a b|\nd"},
		{"abc|\nd", "ctrl+k", "abc|d"},
		{"x\nab|c", "ctrl+u", "x\n|c"},
		{"ab|c", "ctrl+home", "|abc"},
		{"ab|c\nd", "ctrl+end", "abc\nd|"},
		{"ab|c", "enter", "ab\n|c"},
		{"abc\nx\nabc|", "up up", "abc|\nx\nabc"},
		{"ab|c\nx\nabc", "down down", "abc\nx\nab|c"},
		{"0123456789abcd|", "up", "01|23456789abcd"},
		{"one two three fo|ur", "up", "one two| three four"},
		{"a|\nb", "up", "a|\nb"},
		{"日本|\nabcdef", "down", "日本\nabcd|ef"},
	} {
		e := typed(test.from, 12)
		for _, name := range strings.Fields(test.keys) {
			e.Press(press(name))
		}
		if got := state(e); got != test.want {
			t.Errorf("%q, %s: got %q, want %q", test.from, test.keys, got, test.want)
		}
	}
}

func TestUnknownKeysChangeNothing(t *testing.T) {
	for _, name := range []string{"up", "down", "esc", "f1", "alt+x", "ctrl+v"} {
		e := typed("a|", 10)
		e.Press(press(name))
		if got := state(e); got != "a|" {
			t.Errorf("%s: got %q", name, got)
		}
	}
	e := typedLine("a|", 10)
	e.Press(press("enter"))
	if got := state(e); got != "a|" {
		t.Errorf("a single line took a line end: %q", got)
	}
}

func TestPastedTextCannotDriveTheTerminal(t *testing.T) {
	e := typed("a|b", 20)
	e.Press(press("1\r\n2\r3\t\x1b[31m\x07\u202e\u009b"))
	if got, want := state(e), "a1\n2\n3\t[31m|b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	single := widget.NewLine("", "")
	single.Press(press("1\r\n2\n\t"))
	if got := single.Text(); got != "1 2  " {
		t.Errorf("got %q", got)
	}
}

func TestAWordIsNotTheNameOfAKey(t *testing.T) {
	e := widget.NewArea("", "")
	e.Press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("up")})
	e.Press(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("end")})
	if got := e.Text(); got != "upend" {
		t.Errorf("got %q", got)
	}
}

func TestAnEmptyLastLineIsKnown(t *testing.T) {
	for text, want := range map[string]bool{"a\n|": true, "a|\n": false, "a|": false, "|": false} {
		if got := typed(text, 10).Last(); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestInputShowsTheCursorsRows(t *testing.T) {
	const on, off = "\x1b[7m", "\x1b[0m"
	for _, test := range []struct {
		name, text string
		w, h       int
		want       string
	}{
		{"wrapped at blanks", "one two| three", 9, 3, "one two" + on + " " + off + " \nthree    \n         "},
		{"a blank that hangs over", "one two three|", 8, 2, "one two \nthree" + on + " " + off + "  "},
		{"the cursor behind it", "one two |", 8, 2, "one two \n" + on + " " + off + "       "},
		{"a long word", "abcdefgh|", 5, 3, "abcde\nfgh" + on + " " + off + " \n     "},
		{"the last rows", "a\nb\nc\nd|", 3, 2, "c  \nd" + on + " " + off + " "},
		{"the cursor's rows", "|a\nb\nc\nd", 3, 2, on + "a" + off + "  \nb  "},
		{"on a wide character", "a|日b", 6, 1, "a" + on + "日" + off + "b  "},
		{"a tab", "a|\tb", 8, 1, "a" + on + "→" + off + "b     "},
		{"an empty row", "a\n|", 3, 2, "a  \n" + on + " " + off + "  "},
	} {
		r := size(test.w, test.h)
		got := typed(test.text, test.w).Draw(at(theme.None), r, true)
		if strings.Join(got, "\n") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, strings.Join(got, "\n"), test.want)
		}
		fits(t, r, got)
	}
}

func TestASingleLineMovesSideways(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"abcdefgh|", "efgh▮"}, {"abcd|efgh", "abcd▮"}, {"abcde|fgh", "bcde▮"}, {"|abcdefgh", "▮bcde"}, {"日本語|", "本語▮"},
	} {
		got := typedLine(test.text, 5).Draw(at(theme.None), size(5, 1), true)[0]
		before, rest, _ := strings.Cut(got, "\x1b[7m")
		_, after, _ := strings.Cut(rest, "\x1b[0m")
		if got := before + "▮" + after; got != test.want {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestAnEmptyEditorShowsItsPlaceholder(t *testing.T) {
	e := widget.NewLine("a prompt", "")
	if got := e.Draw(at(theme.None), size(6, 1), false)[0]; got != "a pro…" {
		t.Errorf("got %q", got)
	}
	if got := e.Draw(at(theme.None), size(6, 1), true)[0]; got != "\x1b[7ma\x1b[0m pro…" {
		t.Errorf("got %q", got)
	}
}

func FuzzEditorFillsItsRect(f *testing.F) {
	f.Add("one two\nthree", "left ctrl+w up down delete", 7)
	f.Add("👩‍👩‍👧🇩🇪e\u0301\t日本", "left left backspace home alt+f ctrl+k", 3)
	names := []string{
		"left", "right", "home", "end", "up", "down", "ctrl+home", "ctrl+end", "alt+b", "alt+f",
		"backspace", "delete", "ctrl+w", "ctrl+k", "ctrl+u", "enter",
	}
	th := at(theme.None)
	f.Fuzz(func(t *testing.T, text, presses string, w int) {
		if len(text) > 200 || len(presses) > 40 {
			return
		}
		r := size(w&0x1f, 3)
		for _, e := range []*widget.Editor{
			widget.NewArea("日本 placeholder", text),
			widget.NewLine("日本 placeholder", text),
		} {
			for i := range len(presses) {
				if b := presses[i]; b < 0x80 {
					e.Press(press(names[int(b)%len(names)]))
				} else {
					e.Press(press(presses[i : i+1+int(b)%(len(presses)-i)]))
				}
				fits(t, r, e.Draw(th, r, true))
				fits(t, r, e.Draw(th, r, false))
			}
		}
	})
}

func TestCursorFollowsTypedText(t *testing.T) {
	for _, test := range []struct {
		typed  string
		column int
	}{
		{"กำลังทำน้ำ", 8},
		{"नमस्ते की", 7},
		{"கௌ", 2},
		{"မြန်မာ", 5},
		{"\u1112\u1161\u11ab", 2},
		{"👍🏽", 2},
		{"👨\u200d👩\u200d👧", 2},
		{"🇩🇪", 2},
		{"1\ufe0f\u20e3", 2},
		{"a\u200b\ufeffb", 2},
		{"日本\U000e0100", 4},
		{"می\u200cخواهم", 7},
	} {
		e := widget.NewArea("", "")
		for _, r := range test.typed {
			e.Press(press(string(r)))
		}
		line := e.Draw(at(theme.None), size(30, 1), true)[0]
		before, _, found := strings.Cut(line, "\x1b")
		if got := cells.Width(before); !found || got != test.column {
			t.Errorf("%q: the cursor is in column %d, want %d: %q", test.typed, got, test.column, line)
		}
		for range []rune(test.typed) {
			e.Press(press("backspace"))
		}
		if e.Text() != "" {
			t.Errorf("%q: %q is left", test.typed, e.Text())
		}
	}
}

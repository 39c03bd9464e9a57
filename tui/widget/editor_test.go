package widget_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/core/cells"
	"cupola/theme"
	"cupola/tui/widget"
)

// typed makes an editor with a text and its cursor at the first "|".
func typed(text string) *widget.Editor {
	before, after, _ := strings.Cut(text, "|")
	e := &widget.Editor{}
	e.Set(before + after)
	e.Press("ctrl+home", 80)
	for rest := before; rest != ""; {
		cluster, _ := ansi.FirstGraphemeCluster(rest, ansi.GraphemeWidth)
		rest = rest[len(cluster):]
		e.Press("right", 80)
	}
	return e
}

// state is the editor's text with its cursor as "|".
func state(e *widget.Editor) string {
	const sign = "\ue000"
	text := e.Text()
	copied := *e
	copied.Insert(sign)
	marked := copied.Text()
	i := strings.Index(marked, sign)
	return text[:i] + "|" + text[i:]
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
		{"one-two|", "alt+b", "one-|two"},
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
		{"0123456789ab|", "up", "01|23456789ab"},
		{"one two three fo|ur", "up", "one two| three four"},
		{"a|\nb", "up", "a|\nb"},
		{"日本|\nabcdef", "down", "日本\nabcd|ef"},
	} {
		e := typed(test.from)
		for _, key := range strings.Fields(test.keys) {
			e.Press(key, 11)
		}
		if got := state(e); got != test.want {
			t.Errorf("%q, %s: got %q, want %q", test.from, test.keys, got, test.want)
		}
	}
}

func TestKeysThatMeanNothingAreLeftToOthers(t *testing.T) {
	e := typed("a|")
	for _, key := range []string{"up", "down", "esc", "tab", "f1", "a"} {
		if e.Press(key, 10) {
			t.Errorf("%s was taken", key)
		}
	}
	e.Single = true
	if e.Press("enter", 10) || state(e) != "a|" {
		t.Error("a single line took a line end")
	}
}

func TestPastedTextCannotDriveTheTerminal(t *testing.T) {
	e := typed("a|b")
	e.Insert("1\r\n2\r3\t\x1b[31m\x07\u202e\u009b\xff")
	if got, want := state(e), "a1\n2\n3\t[31m\ufffd|b"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	single := &widget.Editor{Single: true}
	single.Insert("1\r\n2\n")
	if got := single.Text(); got != "1 2 " {
		t.Errorf("got %q", got)
	}
}

func TestAnAccentJoinsWhatItIsTypedBefore(t *testing.T) {
	e := typed("|\u0301x")
	e.Insert("e")
	if got := state(e); got != "e\u0301|x" {
		t.Errorf("got %q", got)
	}
}

func TestAnEmptyLastLineIsKnown(t *testing.T) {
	for text, want := range map[string]bool{"a\n|": true, "a|\n": false, "a|": false, "|": false} {
		if got := typed(text).Last(); got != want {
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
		{"a long word", "abcdefgh|", 5, 3, "abcd \nefgh" + on + " " + off + "\n     "},
		{"the last rows", "a\nb\nc\nd|", 3, 2, "c  \nd" + on + " " + off + " "},
		{"the cursor's rows", "|a\nb\nc\nd", 3, 2, on + "a" + off + "  \nb  "},
		{"on a wide character", "a|日b", 6, 1, "a" + on + "日" + off + "b  "},
		{"a tab", "a|\tb", 8, 1, "a" + on + "    " + off + "b  "},
		{"an empty row", "a\n|", 3, 2, "a  \n" + on + " " + off + "  "},
	} {
		r := size(test.w, test.h)
		got := widget.Input(at(theme.None), r, widget.Entry{Editor: typed(test.text), Focused: true})
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
		e := typed(test.text)
		e.Single = true
		got := widget.Input(at(theme.None), size(5, 1), widget.Entry{Editor: e, Focused: true})[0]
		before, rest, _ := strings.Cut(got, "\x1b[7m")
		_, after, _ := strings.Cut(rest, "\x1b[0m")
		if got := before + "▮" + after; got != test.want {
			t.Errorf("%s: got %q, want %q", test.text, got, test.want)
		}
	}
}

func TestAnEmptyInputInvites(t *testing.T) {
	entry := widget.Entry{Editor: &widget.Editor{}, Placeholder: "a prompt"}
	if got := widget.Input(at(theme.None), size(6, 1), entry)[0]; got != "a pro…" {
		t.Errorf("got %q", got)
	}
	entry.Focused = true
	if got := widget.Input(at(theme.None), size(6, 1), entry)[0]; got != "\x1b[7m \x1b[0ma pr…" {
		t.Errorf("got %q", got)
	}
}

func FuzzEditorStaysWhole(f *testing.F) {
	f.Add("one two\nthree", "left ctrl+w up down delete", 7)
	f.Add("👩‍👩‍👧🇩🇪e\u0301\t日本", "left left backspace home alt+f ctrl+k", 3)
	keys := []string{
		"left", "right", "home", "end", "up", "down", "ctrl+home", "ctrl+end", "alt+b", "alt+f",
		"backspace", "delete", "ctrl+w", "ctrl+k", "ctrl+u", "enter",
	}
	th := at(theme.None)
	f.Fuzz(func(t *testing.T, text, presses string, w int) {
		if len(text) > 200 || len(presses) > 40 {
			return
		}
		e, r := &widget.Editor{}, size(w&0x1f, 3)
		e.Set(text)
		for i := range len(presses) {
			if press := presses[i]; press < 0x80 {
				e.Press(keys[int(press)%len(keys)], r.W)
			} else {
				e.Insert(presses[i : i+1+int(press)%(len(presses)-i)])
			}
			fits(t, r, widget.Input(th, r, widget.Entry{Editor: e, Focused: true}))
			e.Single = !e.Single
			fits(t, r, widget.Input(th, r, widget.Entry{Editor: e}))
			e.Single = !e.Single
		}
	})
}

func TestTheCursorStandsBehindWhatWasTyped(t *testing.T) {
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
		{"\u0301", 1},
		{"a\u200b\ufeffb", 2},
		{"日本\U000e0100", 4},
		{"می\u200cخواهم", 7},
	} {
		var e widget.Editor
		for _, r := range test.typed {
			e.Insert(string(r))
		}
		line := widget.Input(at(theme.None), size(30, 1), widget.Entry{Editor: &e, Focused: true})[0]
		before, _, found := strings.Cut(line, "\x1b")
		if got := cells.Width(before); !found || got != test.column {
			t.Errorf("%q: the cursor is in column %d, want %d: %q", test.typed, got, test.column, line)
		}
		for range []rune(test.typed) {
			e.Press("backspace", 30)
		}
		if e.Text() != "" {
			t.Errorf("%q: %q is left", test.typed, e.Text())
		}
	}
}

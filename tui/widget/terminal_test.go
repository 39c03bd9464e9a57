package widget_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/term"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/widget"
)

// recording is a real agent's screen, captured with its colours.
type recording struct {
	name          string
	width, height int
	lines         []string
}

func (r *recording) shot() widget.Shot {
	return widget.Shot{Capture: &core.Screen{
		Lines: r.lines, Visible: len(r.lines), View: core.Viewport{Width: r.width, Height: r.height, AlternateOn: true},
	}}
}

// recordings returns every n-th one.
func recordings(t testing.TB, n int) []recording {
	t.Helper()
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	names, err := filepath.Glob(filepath.Join(folder, "screens", "*", "*", "*.ansi"))
	if err != nil || len(names) == 0 {
		t.Skipf("no recordings with colours in %s: %v", folder, err)
	}
	var found []recording
	for i := 0; i < len(names); i += n {
		text, err := os.ReadFile(names[i])
		if err != nil {
			t.Fatal(err)
		}
		r := recording{
			name:  strings.TrimPrefix(names[i], folder),
			lines: strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"),
		}
		_, size, _ := strings.Cut(strings.TrimSuffix(filepath.Base(names[i]), ".ansi"), "-")
		w, h, _ := strings.Cut(size, "x")
		r.width, _ = strconv.Atoi(w)
		r.height, _ = strconv.Atoi(h)
		found = append(found, r)
	}
	return found
}

func TestRecordedScreensFitEverySize(t *testing.T) {
	for _, recorded := range recordings(t, 1) {
		for _, level := range []theme.Level{theme.None, theme.Indexed, theme.True} {
			th := at(level)
			for _, r := range []layout.Rect{size(36, 6), size(58, 13), size(80, 24), size(119, 39), size(200, 60)} {
				fits(t, r, widget.Screen(th, r, recorded.shot(), nil))
			}
		}
	}
}

// oddities are lines on which terminals and measures may differ.
var oddities = recording{name: "oddities", width: 40, height: 18, lines: []string{
	"日本語のテキスト|", "e\u0301a\u0308|", "👩‍👩‍👧|", "🙂🙂|", "⚠\ufe0f|❤\ufe0f|", "1\ufe0f\u20e3|", "👍🏽|👩🏽\u200d💻|", "กำลังทำ|",
	"नमस्ते की|", "கௌ கி|", "မြန်မာဘာသာ|", "\u1112\u1161\u11ab|", "🇩🇪🇩|", "a\u200bb|", "\x1b[44mblue",
	"\x1b[0m┌──┐\x1b[1;38;2;1;2;3mx\x1b[m", "ﾊﾝｶｸ|", "\x1b[7mreverse\x1b[27m|",
}}

// A terminal is asked what it makes of the lines. A mark is put into the
// column behind each: were a line wider there, it would lose a cell, and were it
// narrower, there would be a gap.
func TestATerminalShowsLinesAsWideAsTheyClaim(t *testing.T) {
	samples := []recording{oddities}
	if os.Getenv("CUPOLA_TESTDATA") != "" {
		samples = append(samples, recordings(t, 12)...)
	}
	th := at(theme.True)
	for i := range samples {
		sample := &samples[i]
		width := sample.width - 1
		shot := sample.shot()
		lines := widget.Screen(th, size(width, sample.height), shot, nil)
		sent := make([]string, len(lines))
		for row := range lines {
			sent[row] = widget.FixColumns(lines[row], sample.width+2)
		}
		behind := fmt.Sprintf("\x1b[%dG|", width+1)
		terminal := term.New(sample.width+2, sample.height)
		_, _ = terminal.Write([]byte(strings.Join(sent, behind+"\r\n") + behind))
		// Drawn once more, the terminal holds the same cells.
		again := recording{width: sample.width + 2, height: sample.height, lines: terminal.Styled()}
		shownAgain := again.shot()
		got := widget.Screen(at(theme.None), size(sample.width, sample.height), shownAgain, nil)
		want := widget.Screen(at(theme.None), size(width, sample.height), shot, nil)
		for row := range want {
			if got[row] != want[row]+"|" {
				t.Errorf("%s, row %d:\ngot  %q\nwant %q", sample.name, row, got[row], want[row]+"|")
			}
		}
		styled := widget.Screen(th, size(width, sample.height), shownAgain, nil)
		for row := range lines {
			if looks(styled[row]) != looks(lines[row]) {
				t.Errorf("%s, row %d:\ngot  %q\nwant %q", sample.name, row, styled[row], lines[row])
			}
		}
	}
}

// looks normalises lines that look the same: the colour of blanks does not show.
func looks(line string) string {
	return widget.Screen(trueColour, size(300, 1), shot(300, line), nil)[0]
}

var trueColour = at(theme.True)

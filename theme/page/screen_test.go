package page

import (
	"bytes"
	"encoding/json"
	"image/png"
	"strings"
	"testing"

	"github.com/charmbracelet/x/cellbuf"

	"cupola/core"
)

// text returns the text of runs together.
func text(runs []Run) string {
	var b strings.Builder
	for _, r := range runs {
		b.WriteString(r.Text)
	}
	return b.String()
}

func TestLinesAreTextWithStyles(t *testing.T) {
	for line, want := range map[string]string{
		"plain":                                  `[{"t":"plain"}]`,
		"\x1b[1;31mred\x1b[0m then":              `[{"t":"red","c":"1","a":"b"},{"t":" then"}]`,
		"\x1b[38;2;1;2;3mx\x1b[48;5;200my":       `[{"t":"x","c":"#010203"},{"t":"y","c":"#010203","g":"#ff00d7"}]`,
		"\x1b[38;5;9mbright":                     `[{"t":"bright","c":"9"}]`,
		"\x1b[3;4;7;9mall":                       `[{"t":"all","a":"irsu"}]`,
		"<script>alert(1)</script>":              `[{"t":"\u003cscript\u003ealert(1)\u003c/script\u003e"}]`,
		"a\x1b]0;title\x07b\x1b[2Jc\x07\x00d":    `[{"t":"abcd"}]`,
		"left\u202eright\u200b":                  `[{"t":"leftright"}]`,
		"broken \xff\x1b[":                       "[{\"t\":\"broken \ufffd\"}]",
		"│你好│👍│":                                 `[{"t":"│"},{"t":"你好","w":4},{"t":"│"},{"t":"👍","w":2},{"t":"│"}]`,
		"e\u0301":                                "[{\"t\":\"e\u0301\"}]",
		"\x1b[31m":                               `[]`,
		"":                                       `[]`,
		"\x1b[" + strings.Repeat("1;", 99) + "m": `[]`,
	} {
		var style cellbuf.Style
		got, err := json.Marshal(runsOf(line, &style))
		if err != nil || string(got) != want {
			t.Errorf("%q: %v\n got %s\nwant %s", line, err, got, want)
		}
	}
}

func TestOnlyTheVisibleScreenIsShown(t *testing.T) {
	shown := ScreenOf(&core.Screen{
		Pane: "%7", Lines: []string{"scrolled off", "\x1b[31mone", "two"}, Visible: 2,
		View: core.Viewport{Width: 80, Height: 2, Cursor: core.Cursor{X: 3, Y: 1, Visible: true}},
	})
	if len(shown.Lines) != 2 || text(shown.Lines[0]) != "one" || shown.Lines[1][0].Colour != "1" || shown.CursorY != 1 {
		t.Errorf("%+v", shown)
	}
}

func FuzzLine(f *testing.F) {
	for _, seed := range []string{
		"a\x1b[1;31mb\x1b[0mc", "\x1b]8;;http://x\x07link\x1b]8;;\x07", "<b>\x1b[38;5;", "\u202e\xff",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		var style cellbuf.Style
		runs := runsOf(line, &style)
		shown := text(runs)
		for _, r := range shown {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%q shows the control %q", line, r)
			}
		}
		for i := range runs {
			if runs[i].Text == "" || i > 0 && sameStyle(&runs[i-1], &runs[i]) {
				t.Errorf("%q: the run %d of %+v is needless", line, i, runs)
			}
		}
		again := runsOf(shown, new(cellbuf.Style))
		if text(again) != shown {
			t.Errorf("%q: %q is shown as %q", line, shown, text(again))
		}
	})
}

func TestTheIconIsAPictureOfItsSize(t *testing.T) {
	for _, size := range []int{180, 192, 512} {
		picture, err := png.Decode(bytes.NewReader(Icon(size)))
		if err != nil || picture.Bounds().Dx() != size || picture.Bounds().Dy() != size {
			t.Fatalf("%d: %v", size, err)
		}
		if picture.At(0, 0) == picture.At(size/2, size/2) {
			t.Errorf("%d: its middle is of the colour of its corner", size)
		}
	}
}

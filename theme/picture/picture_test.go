package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

func TestRunsKeepTheirColoursAndPlaces(t *testing.T) {
	svg := SVG([]string{"\x1b[1;38;2;1;2;3mbold\x1b[0m plain", "日本 \x1b[48;5;196mx\x1b[m & <y>"}, 20)
	for _, want := range []string{
		`fill="#010203"`, `font-weight="bold">bold</text>`, `> plain</text>`, `>日本 </text>`, `fill="#ff0000"/>`,
		`&amp; &lt;y&gt;`,
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("%s is missing in\n%s", want, svg)
		}
	}
	mustBeXML(t, svg)
}

func TestAnAnimationDrawsWhatStaysOnce(t *testing.T) {
	svg := Animation([]Frame{
		{[]string{"same", "one"}, time.Second},
		{[]string{"same", "two"}, time.Second},
		{[]string{"same", "three"}, 2 * time.Second},
	}, 20, 2)
	for text, count := range map[string]int{
		">same</text>": 1, ">two</text>": 1, `values="visible;hidden" keyTimes="0;0.2500" dur="4.00s"`: 1,
		`values="hidden;visible;hidden" keyTimes="0;0.2500;0.5000"`: 1,
		`values="hidden;visible" keyTimes="0;0.5000"`:               1,
	} {
		if got := strings.Count(svg, text); got != count {
			t.Errorf("%s is there %d times, not %d, in\n%s", text, got, count, svg)
		}
	}
	mustBeXML(t, svg)
}

func TestIndexedColours(t *testing.T) {
	for n, want := range map[ansi.IndexedColor]string{
		1: palette[1], 16: "#000000", 231: "#ffffff", 232: "#080808",
		255: "#eeeeee",
	} {
		if got := hex(n, background); got != want {
			t.Errorf("colour %d is %q, want %q", n, got, want)
		}
	}
}

func FuzzSVG(f *testing.F) {
	f.Add("\x1b[38;5;1mx\x1b[48;2;1;2;300m\x1b[;;m")
	f.Fuzz(func(t *testing.T, line string) {
		for _, r := range line {
			if r < ' ' && r != 0x1b || r == 0xfffe || r == 0xffff || r == 0xfffd {
				t.Skip("not text that a terminal shows")
			}
		}
		mustBeXML(t, SVG([]string{line}, 80))
	})
}

func mustBeXML(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("not XML: %v\n%s", err, text)
		}
	}
}

package theme

import (
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/cellbuf"
)

// grounds are backgrounds that people really have: black, VS Code, One Dark,
// Solarized, Nord; white, GitHub, Solarized, Gruvbox.
var grounds = map[bool][]uint32{
	false: {0x000000, 0x1e1e1e, 0x282c34, 0x002b36, 0x2e3440},
	true:  {0xffffff, 0xf6f8fa, 0xfdf6e3, 0xfbf1c7},
}

// luminance is WCAG's relative luminance.
func luminance(rgb uint32) float64 {
	channel := func(v uint32) float64 {
		c := float64(v&0xff) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(rgb>>16) + 0.7152*channel(rgb>>8) + 0.0722*channel(rgb)
}

func contrast(a, b uint32) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

var (
	trueSGR    = regexp.MustCompile(`([34])8;2;(\d+);(\d+);(\d+)`)
	indexedSGR = regexp.MustCompile(`([34])8;5;(\d+)`)
)

// painted parses the colours from a style's sequence; ok is false without any.
func painted(on string) (front, back uint32, ok bool) {
	number := func(s string) uint32 { n, _ := strconv.Atoi(s); return uint32(n) }
	set := func(layer string, rgb uint32) {
		if ok = true; layer == "3" {
			front = rgb
		} else {
			back = rgb
		}
	}
	for _, m := range trueSGR.FindAllStringSubmatch(on, -1) {
		set(m[1], number(m[2])<<16|number(m[3])<<8|number(m[4]))
	}
	for _, m := range indexedSGR.FindAllStringSubmatch(on, -1) {
		r, g, b, _ := ansi.IndexedColor(number(m[2])).RGBA()
		set(m[1], r>>8<<16|g>>8<<8|b>>8)
	}
	return front, back, ok
}

// wanted is 4.5 for text and 3 for lines.
func wanted(token Token) float64 {
	if token == Border || token == BorderFocused {
		return 3
	}
	return 4.5
}

func TestEveryTokenCanBeReadOnItsBackground(t *testing.T) {
	seen := 0
	for _, level := range []Level{Indexed, True} {
		for light, backs := range grounds {
			theme := New(Options{Level: level, Light: light})
			for token := range tokens {
				front, _, ok := painted(theme.Style(token).On)
				for _, back := range backs {
					if !ok {
						continue
					}
					seen++
					if got := contrast(front, back); got < wanted(token) {
						t.Errorf("level %d, light %v, token %d: #%06x on #%06x has %.2f, want %.1f", level, light,
							token, front, back, got, wanted(token))
					}
				}
				front, back, ok := painted(theme.Selected(token).On)
				if got := contrast(front, back); !ok || got < wanted(token) {
					t.Errorf("level %d, light %v, token %d selected: #%06x on #%06x has %.2f, want %.1f", level, light,
						token, front, back, got, wanted(token))
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("only %d pairs were measured", seen)
	}
}

func TestTheSelectionIsSeenOnEveryBackground(t *testing.T) {
	for light, backs := range grounds {
		for _, back := range backs {
			if got := contrast(selection.on(light).rgb, back); got < 1.08 {
				t.Errorf("#%06x on #%06x has %.2f", selection.on(light).rgb, back, got)
			}
		}
	}
}

func TestContrastIsThatOfWCAG(t *testing.T) {
	for _, test := range []struct {
		a, b uint32
		want float64
	}{{0x000000, 0xffffff, 21}, {0x777777, 0xffffff, 4.48}, {0x123456, 0x123456, 1}} {
		if got := contrast(test.a, test.b); math.Abs(got-test.want) > 0.005 {
			t.Errorf("#%06x on #%06x: got %.3f, want %.2f", test.a, test.b, got, test.want)
		}
	}
}

func TestBasicColoursUseTerminalPalette(t *testing.T) {
	theme := New(Options{Level: Basic})
	for token := range tokens {
		for _, on := range []string{theme.Style(token).On, theme.Selected(token).On} {
			if strings.Contains(on, "8;2;") || strings.Contains(on, "8;5;") {
				t.Errorf("token %d writes %q", token, on)
			}
		}
		if on := theme.Selected(token).On; !strings.Contains(on, "7") {
			t.Errorf("token %d is not reversed when selected: %q", token, on)
		}
	}
}

func TestColoursAreReducedToLevel(t *testing.T) {
	for _, test := range []struct {
		level    Level
		in, want color.Color
	}{
		{Indexed, ansi.RGBColor{R: 0x00, G: 0x00, B: 0x00}, ansi.IndexedColor(16)},
		{Indexed, ansi.RGBColor{R: 0xff, G: 0x00, B: 0x00}, ansi.IndexedColor(196)},
		{Indexed, ansi.RGBColor{R: 0x5f, G: 0x87, B: 0xaf}, ansi.IndexedColor(67)},
		{Indexed, ansi.IndexedColor(200), ansi.IndexedColor(200)},
		{Indexed, ansi.BasicColor(3), ansi.BasicColor(3)},
		{Indexed, nil, nil},
		{Basic, ansi.RGBColor{R: 0xfe, G: 0x01, B: 0x01}, ansi.BasicColor(9)},
		{Basic, ansi.RGBColor{R: 0xfa, G: 0xfa, B: 0xfa}, ansi.BasicColor(15)},
		{Basic, ansi.IndexedColor(196), ansi.BasicColor(9)},
		{Basic, ansi.IndexedColor(3), ansi.BasicColor(3)},
		{Basic, ansi.BasicColor(3), ansi.BasicColor(3)},
		{True, ansi.RGBColor{R: 0x12, G: 0x34, B: 0x56}, ansi.RGBColor{R: 0x12, G: 0x34, B: 0x56}},
	} {
		got := test.level.Reduce(cellbuf.Style{Fg: test.in, Bg: test.in})
		if got.Fg != test.want || got.Bg != test.want {
			t.Errorf("%v at level %d: got %v on %v, want %v", test.in, test.level, got.Fg, got.Bg, test.want)
		}
	}
}

func TestEveryTokenCanBeReadOnChangedLines(t *testing.T) {
	for _, name := range SchemeNames() {
		scheme, _ := FindScheme(name)
		for _, light := range []bool{false, true} {
			theme := New(Options{Level: True, Light: light, Scheme: scheme})
			if !theme.Grounds() {
				continue
			}
			for _, ground := range []Ground{Added, Deleted} {
				for token := range tokens {
					front, back, ok := painted(theme.On(token, ground).On)
					if got := contrast(front, back); !ok || got < 3 {
						t.Errorf(
							"%s light %t: token %d on ground %d has a contrast of %.1f",
							name,
							light,
							token,
							ground,
							got,
						)
					}
				}
			}
		}
	}
}

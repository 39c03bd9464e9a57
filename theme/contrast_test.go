package theme

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
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

// painted reads the colours back from what is written; ok is false without any.
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
		set(m[1], ofIndex(uint8(number(m[2]))))
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
				front, _, ok := painted(theme.Ink(token).On)
				for _, back := range backs {
					if !ok {
						continue
					}
					seen++
					if got := contrast(front, back); got < wanted(token) {
						t.Errorf("level %d, light %v, token %d: #%06x on #%06x has %.2f, want %.1f", level, light, token, front, back, got, wanted(token))
					}
				}
				front, back, ok := painted(theme.Selected(token).On)
				if got := contrast(front, back); !ok || got < wanted(token) {
					t.Errorf("level %d, light %v, token %d selected: #%06x on #%06x has %.2f, want %.1f", level, light, token, front, back, got, wanted(token))
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
			if got := contrast(chosen.on(light), back); got < 1.08 {
				t.Errorf("#%06x on #%06x has %.2f", chosen.on(light), back, got)
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

func TestBasicColoursComeFromTheTerminalsOwnPalette(t *testing.T) {
	theme := New(Options{Level: Basic})
	for token := range tokens {
		for _, on := range []string{theme.Ink(token).On, theme.Selected(token).On} {
			if strings.Contains(on, "8;2;") || strings.Contains(on, "8;5;") {
				t.Errorf("token %d writes %q", token, on)
			}
		}
		if on := theme.Selected(token).On; !strings.Contains(on, "7") {
			t.Errorf("token %d is not reversed when selected: %q", token, on)
		}
	}
}

func TestReducedColoursAreTheNearest(t *testing.T) {
	for _, test := range []struct {
		level Level
		rgb   uint32
		want  uint8
	}{
		{Indexed, 0x000000, 16},
		{Indexed, 0xffffff, 231},
		{Indexed, 0xff0000, 196},
		{Indexed, 0x5f87af, 67},
		{Indexed, 0x121212, 233},
		{Indexed, 0x808080, 244},
		{Basic, 0xfe0101, 9},
		{Basic, 0x010101, 0},
		{Basic, 0xfafafa, 15},
	} {
		if got, exact := test.level.ReduceRGB(test.rgb); got != test.want || exact {
			t.Errorf("#%06x at level %d: got %d (exact %v), want %d", test.rgb, test.level, got, exact, test.want)
		}
	}
	for index := 16; index < 256; index++ {
		if got := nearestIndexed(ofIndex(uint8(index))); ofIndex(got) != ofIndex(uint8(index)) {
			t.Errorf("palette entry %d became %d", index, got)
		}
	}
	if _, exact := True.ReduceRGB(0x123456); !exact {
		t.Error("24 bits were reduced")
	}
	if got := Indexed.ReduceIndex(200); got != 200 {
		t.Errorf("entry 200 became %d where it is there", got)
	}
	if got := Basic.ReduceIndex(196); got != 9 {
		t.Errorf("red became %d", got)
	}
	if got := Basic.ReduceIndex(3); got != 3 {
		t.Errorf("the user's own colour 3 became %d", got)
	}
}

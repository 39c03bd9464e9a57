package widget_test

import (
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/theme"
	"cupola/tui/widget"
)

// busy is a screen of 120 by 40 with a change of colour every few cells.
func busy(seed int) widget.Shot {
	lines := make([]string, 40)
	for i := range lines {
		for j := range 12 {
			lines[i] += fmt.Sprintf("\x1b[38;5;%dmword%d│\x1b[39m \x1b[1m●x\x1b[22m", 16+(seed+i*j)%200, j)
		}
	}
	return shot(120, lines...)
}

func tiles() []widget.Shot {
	shots := make([]widget.Shot, 12)
	for i := range shots {
		shots[i] = busy(i)
	}
	return shots
}

func BenchmarkFrameOfTwelveNewScreens(b *testing.B) {
	th, shots := at(theme.True), tiles()
	b.ReportAllocs()
	for b.Loop() {
		cache := widget.NewCache()
		for i := range shots {
			widget.Screen(th, size(60, 15), shots[i], cache)
		}
	}
}

func BenchmarkFrameOfTwelveSeenScreens(b *testing.B) {
	th, shots, cache := at(theme.True), tiles(), widget.NewCache()
	b.ReportAllocs()
	for b.Loop() {
		for i := range shots {
			widget.Screen(th, size(60, 15), shots[i], cache)
		}
	}
}

// One line of each tile is new, as it is while agents print.
func BenchmarkFrameOfTwelveTilesThatPrint(b *testing.B) {
	th, shots, cache := at(theme.True), tiles(), widget.NewCache()
	f := widget.Frame{Title: title(th, core.Working, "api.1")}
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		for i := range shots {
			lines := shots[i].Capture.Lines
			lines[n%len(lines)] = fmt.Sprintf("\x1b[3%dmline %d of an agent that prints\x1b[39m", n%8, n)
			widget.Tile(th, size(60, 15), f, shots[i], cache)
		}
	}
}

func BenchmarkFrameOfTwelveRecordedScreens(b *testing.B) {
	th, shots := at(theme.True), recordings(b, 10)
	b.ReportAllocs()
	for b.Loop() {
		cache := widget.NewCache()
		for i := range 12 {
			widget.Screen(th, size(60, 15), shots[i%len(shots)].shot(), cache)
		}
	}
}

// A frame of a wide display, with and without text that must be kept in place.
func BenchmarkFixedColumns(b *testing.B) {
	th, r := at(theme.True), size(140, 40)
	for name, text := range map[string]string{"plain": "│ word ● 日本語", "odd": "กำลังทำ नमस्ते 🙂 👍🏽 word"} {
		lines := widget.Screen(th, r,
			shot(140, strings.Split(strings.Repeat("\x1b[31m"+strings.Repeat(text+" ", 5)+"\n", 40), "\n")...), nil)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, line := range lines {
					widget.FixColumns(line, r.W)
				}
			}
		})
	}
}

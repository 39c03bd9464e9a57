package widget_test

import (
	"fmt"
	"testing"

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

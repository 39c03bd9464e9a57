package attach

import (
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/term/cast"
)

// counting is a recording that prints another number each few seconds.
func counting() *cast.Recording {
	c := &cast.Recording{Header: cast.Header{Width: 20, Height: 4}}
	for i, text := range []string{"one", "two", "three", "four"} {
		at := time.Duration(i*7) * time.Second
		c.Events = append(c.Events, cast.Event{At: at, Kind: cast.Output, Data: "\x1b[H\x1b[2J" + text})
	}
	return c
}

// press presses keys, each a name or a character.
func press(p *player, keys ...string) {
	for _, key := range keys {
		msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(key)}
		switch key {
		case "left":
			msg = tea.KeyMsg{Type: tea.KeyLeft}
		case "right":
			msg = tea.KeyMsg{Type: tea.KeyRight}
		case "home":
			msg = tea.KeyMsg{Type: tea.KeyHome}
		case "end":
			msg = tea.KeyMsg{Type: tea.KeyEnd}
		}
		p.Update(msg)
	}
}

func TestKeysMoveInTheRecording(t *testing.T) {
	for _, test := range []struct {
		keys  []string
		shown string
		foot  string
	}{
		{nil, "four", "has ended"},
		{[]string{"left"}, "two", "11s of 21s, plays"},
		{[]string{"left", "left", "left"}, "one", "0s of 21s"},
		{[]string{"home"}, "one", "0s of 21s"},
		{[]string{"home", "right"}, "two", "10s of 21s"},
		{[]string{"home", "right", "right", "right"}, "four", "21s of 21s, has ended"},
		{[]string{","}, "three", "14s of 21s, pauses"},
		{[]string{",", ","}, "two", "7s of 21s, pauses"},
		{[]string{",", ",", ",", ","}, "one", "0s of 21s, pauses"},
		{[]string{",", ",", "."}, "three", "14s of 21s, pauses"},
		{[]string{"."}, "four", "has ended"},
		{[]string{"home", " "}, "one", "pauses"},
		{[]string{"home", "+", "+"}, "one", "4x"},
	} {
		p := newPlayer(Playback{Recording: counting(), FromEnd: true})
		p.Update(tea.WindowSizeMsg{Width: 100, Height: 6})
		press(p, test.keys...)
		view := p.View()
		if !strings.HasPrefix(view, test.shown) || !strings.Contains(view, test.foot) {
			t.Errorf("%v: want %q and %q:\n%s", test.keys, test.shown, test.foot, view)
		}
	}
}

func TestPlayingShowsOneEventAfterTheOther(t *testing.T) {
	p := newPlayer(Playback{Recording: counting()})
	p.Update(tea.WindowSizeMsg{Width: 100, Height: 6})
	for _, want := range []string{"one", "two", "three", "four"} {
		if view := p.View(); !strings.HasPrefix(view, want) {
			t.Errorf("want %q:\n%s", want, view)
		}
		if p.wait() != nil {
			p.Update(tick{p.turn})
		}
	}
	if p.wait() != nil {
		t.Error("it waits for an event after the last")
	}
}

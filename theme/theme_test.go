package theme_test

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/theme"
)

func TestColourFollowsTheOrderOfItsSettings(t *testing.T) {
	for _, test := range []struct {
		name     string
		choice   string
		terminal bool
		env      map[string]string
		want     bool
	}{
		{"terminal", "auto", true, nil, true},
		{"pipe", "auto", false, nil, false},
		{"NO_COLOR wins over a terminal", "auto", true, map[string]string{"NO_COLOR": "1"}, false},
		{"NO_COLOR wins over force", "auto", true, map[string]string{"NO_COLOR": "1", "FORCE_COLOR": "1"}, false},
		{"empty NO_COLOR says nothing", "auto", true, map[string]string{"NO_COLOR": ""}, true},
		{"force wins over a pipe", "auto", false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{"force 0 says nothing", "auto", false, map[string]string{"FORCE_COLOR": "0"}, false},
		{"CLICOLOR=0", "auto", true, map[string]string{"CLICOLOR": "0"}, false},
		{"dumb terminal", "auto", true, map[string]string{"TERM": "dumb"}, false},
		{"always wins over NO_COLOR", "always", false, map[string]string{"NO_COLOR": "1"}, true},
		{"never wins over force", "never", true, map[string]string{"FORCE_COLOR": "1"}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := theme.Colour(test.choice, test.terminal, func(name string) string { return test.env[name] })
			if got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestEveryStateHasItsOwnGlyphAndStyle(t *testing.T) {
	glyphs := map[string]core.State{}
	dressed := theme.New(theme.Options{Level: theme.True})
	for _, state := range core.States {
		glyph := dressed.Glyph(state)
		if other, taken := glyphs[glyph]; taken {
			t.Errorf("%s and %s share the glyph %s", state, other, glyph)
		}
		glyphs[glyph] = state
		if got := dressed.Render(report.StateTone(state), "word"); !strings.Contains(got, "\x1b[") {
			t.Errorf("%s is not coloured: %q", state, got)
		}
	}
}

func TestWithoutColourTextIsLeftAlone(t *testing.T) {
	plain := theme.New(theme.Options{})
	for _, tone := range append([]report.Tone{report.Plain, report.StateTone(core.Waiting)}, tones...) {
		if got := plain.Render(tone, "word"); got != "word" {
			t.Errorf("%s: got %q", tone, got)
		}
	}
}

var tones = []report.Tone{report.Strong, report.Dim, report.Good, report.Warn, report.Bad, report.Code}

func TestEveryToneHasItsOwnStyle(t *testing.T) {
	dressed := theme.New(theme.Options{Level: theme.True})
	if got := dressed.Render(report.Plain, "word"); got != "word" {
		t.Errorf("plain text became %q", got)
	}
	seen := map[string]report.Tone{}
	for _, tone := range tones {
		got := dressed.Render(tone, "word")
		if other, taken := seen[got]; taken || got == "word" {
			t.Errorf("%s looks like %q: %q", tone, other, got)
		}
		seen[got] = tone
		if got := dressed.Render(tone, ""); got != "" {
			t.Errorf("%s: nothing became %q", tone, got)
		}
	}
}

func TestUndefinedStateHasGlyphOfUnknown(t *testing.T) {
	dressed := theme.New(theme.Options{})
	if got := dressed.Glyph("dreaming"); got != dressed.Glyph(core.Unknown) {
		t.Errorf("got %s", got)
	}
}

func TestWithoutColourNothingIsWrittenAroundText(t *testing.T) {
	plain := theme.New(theme.Options{})
	for _, token := range []theme.Token{theme.Text, theme.Strong, theme.Header, theme.Danger, theme.BorderFocused} {
		if plain.Style(token) != (theme.Style{}) || plain.Selected(token) != (theme.Style{}) {
			t.Errorf("token %d: %q, %q", token, plain.Style(token), plain.Selected(token))
		}
	}
	if plain.Cursor().On == "" {
		t.Error("the cursor cannot be seen")
	}
}

func TestLevelOfEnvironment(t *testing.T) {
	for _, test := range []struct {
		name   string
		colour bool
		env    map[string]string
		want   theme.Level
	}{
		{"no colour", false, map[string]string{"COLORTERM": "truecolor"}, theme.None},
		{"COLORTERM", true, map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, theme.True},
		{"24bit", true, map[string]string{"TERM": "xterm", "COLORTERM": "24bit"}, theme.True},
		{
			"another word in COLORTERM", true,
			map[string]string{"TERM": "xterm-256color", "COLORTERM": "yes"},
			theme.Indexed,
		},
		{
			"tmux reduces by itself", true,
			map[string]string{"TERM": "screen-256color", "TMUX": "/tmp/x,1,0"},
			theme.True,
		},
		{"a terminal known by name", true, map[string]string{"TERM": "xterm-kitty"}, theme.True},
		{"256", true, map[string]string{"TERM": "xterm-256color"}, theme.Indexed},
		{"16", true, map[string]string{"TERM": "xterm"}, theme.Basic},
		{"console", true, map[string]string{"TERM": "linux", "COLORTERM": "truecolor"}, theme.Basic},
		{"nothing known", true, nil, theme.Basic},
	} {
		if got := theme.LevelOf(test.colour, func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}

func TestASCIIByEnvironment(t *testing.T) {
	for _, test := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"CUPOLA_ASCII": "1"}, true},
		{map[string]string{"CUPOLA_ASCII": "0", "TERM": "linux"}, false},
		{map[string]string{"TERM": "linux"}, true},
		{map[string]string{"TERM": "xterm"}, false},
	} {
		if got := theme.ASCII(func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("%v: got %v", test.env, got)
		}
	}
}

func TestBackgroundIsDarkByDefault(t *testing.T) {
	for value, want := range map[string]bool{
		"": false, "15;0": false, "0;15": true, "0;default;7": true,
		"0;17": false,
	} {
		got := theme.Detect(true, func(name string) string {
			if name == "COLORFGBG" {
				return value
			}
			return ""
		})
		if got.Light != want {
			t.Errorf("%q: got %v", value, got.Light)
		}
	}
}

func TestEveryGlyphIsOneCell(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		th := theme.New(theme.Options{ASCII: ascii})
		g := th.Glyphs()
		signs := []string{g.Open, g.Closed, g.Chosen, g.Ellipsis, g.Dot, g.Tab}
		for _, f := range []theme.Frame{g.Light, g.Heavy} {
			signs = append(signs, f.Horizontal, f.Vertical, f.TopLeft, f.TopRight, f.BottomLeft, f.BottomRight)
		}
		seen := map[string]bool{}
		for _, state := range core.States {
			sign := th.Glyph(state)
			if seen[sign] {
				t.Errorf("ascii %v: two states share %s", ascii, sign)
			}
			seen[sign] = true
			signs = append(signs, sign)
		}
		for _, sign := range signs {
			if ansi.StringWidth(sign) != 1 || ascii && len(sign) != 1 {
				t.Errorf("ascii %v: %q", ascii, sign)
			}
		}
	}
}

func BenchmarkStyle(b *testing.B) {
	th := theme.New(theme.Options{Level: theme.True})
	for b.Loop() {
		_ = th.Style(theme.Busy).On
	}
}

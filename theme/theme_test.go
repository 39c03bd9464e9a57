package theme_test

import (
	"io"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/report"
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

func TestEveryStateHasItsOwnGlyphAndLook(t *testing.T) {
	glyphs := map[string]core.State{}
	dressed := theme.New(io.Discard, true)
	for _, state := range core.States {
		glyph := theme.Glyph(state)
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
	plain := theme.New(io.Discard, false)
	for _, tone := range append([]report.Tone{report.Plain, report.StateTone(core.Waiting)}, tones...) {
		if got := plain.Render(tone, "word"); got != "word" {
			t.Errorf("%s: got %q", tone, got)
		}
	}
}

var tones = []report.Tone{report.Strong, report.Dim, report.Good, report.Warn, report.Bad, report.Code}

func TestEveryToneHasALookOfItsOwn(t *testing.T) {
	dressed := theme.New(io.Discard, true)
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

func TestAStateThatNobodyKnowsHasTheGlyphOfUnknown(t *testing.T) {
	if got := theme.Glyph("dreaming"); got != theme.Glyph(core.Unknown) {
		t.Errorf("got %s", got)
	}
}

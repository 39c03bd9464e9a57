package agent_test

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
)

func TestSpokenIsWhatIsAboveTheComposer(t *testing.T) {
	line := strings.Repeat("─", 20)
	rows := []string{
		"❯ do it", "● I am at it.", "", "✻ Brewing… (3s)", "", line, "❯ next", line, "  ? for shortcuts",
	}
	kind, _ := load(t).Find("claude")
	screen := &core.Screen{Lines: append([]string{"an older line"}, rows...), Visible: len(rows)}
	spoken := kind.Read(screen).Spoken()
	want := []bool{true, true, true, false, false, false, false, false, false, false}
	if !slices.Equal(spoken, want) {
		t.Errorf("got %v, want %v", spoken, want)
	}
}

func TestADialogInTheComposersPlaceIsSpoken(t *testing.T) {
	rows := []string{
		"● I will run it.", strings.Repeat("─", 20), " Do you want to proceed?", " ❯ 1. Yes", "   2. No",
		" Esc to cancel",
	}
	kind, _ := load(t).Find("claude")
	spoken := kind.Read(&core.Screen{Lines: rows, Visible: len(rows)}).Spoken()
	if slices.Contains(spoken, false) || len(spoken) != len(rows) {
		t.Errorf("got %v", spoken)
	}
}

func TestSpokenKeepsTheWordsOfEveryRecordedScreen(t *testing.T) {
	kinds := load(t)
	seen := 0
	for _, c := range corpus(t, "testdata/screens") {
		screen := c.screen(t)
		for _, kind := range kinds.All() {
			reading := kind.Read(screen)
			spoken := reading.Spoken()
			if len(spoken) != len(screen.Lines) {
				t.Fatalf("%s: %d of %d lines", kind.ID, len(spoken), len(screen.Lines))
			}
			composer, found := reading.Composer()
			if !found {
				continue
			}
			seen++
			for i := composer.Top; i < len(spoken); i++ {
				if spoken[i] {
					t.Errorf("%s: %q is below the composer's top", kind.ID, screen.Lines[i])
				}
			}
		}
	}
	if seen < 10 {
		t.Errorf("only %d composers", seen)
	}
}

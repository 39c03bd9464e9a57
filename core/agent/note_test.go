package agent_test

import (
	"slices"
	"testing"

	"cupola/core"
)

func TestTheFooterTellsOfCommandsInTheBackground(t *testing.T) {
	rule := "────────────────────────────────────────"
	for footer, want := range map[string]bool{
		"  ⏸ manual mode on · 1 shell · ↓ to manage":             true,
		"  ⏸ manual mode on · 12 shells · ↓ to manage":           true,
		"  ⏸ manual mode on · ? for shortcuts · ← for agents":    false,
		"  ⏸ manual mode on · esc to interrupt · 3 shells to go": false,
	} {
		shown := screen("✻ Brewed for 4s · done 7:41 PM · 1 shell still running", "", rule, "❯ ", rule, footer)
		matches := find(t, "claude").Read(shown).Matches()
		got := false
		for _, m := range matches {
			got = got || slices.Contains(m.Rule.Notes, core.NoteBackground)
		}
		if got != want {
			t.Errorf("%q: %v", footer, got)
		}
	}
}

package agent_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/agent"
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

func TestQwensFooterTellsOfSubagentsInTheBackground(t *testing.T) {
	rule := "────────────────────────────────────────"
	for footer, want := range map[string]bool{
		"  ⏸ Ask permissions (shift + tab to cycle) · 1 local agent":   true,
		"  Auto mode (shift + tab to cycle) · 2 local agents · 1 task": true,
		"  Auto mode (shift + tab to cycle) · 1 task done":             false,
		"  Auto mode (shift + tab to cycle) · 1 local agenda":          false,
	} {
		shown := screen("  ◆︎ The tool call finished.", "", rule, ">   Type your message or @path/to/file", rule,
			"  ➜ work · a-model", footer, "", "    main", "    ○︎ Count files ▶ 2s")
		read := find(t, "qwen").Read(shown)
		got := slices.ContainsFunc(read.Matches(), func(m agent.Match) bool {
			return m.Rule.State == core.Working && slices.Contains(m.Rule.Notes, core.NoteSubagents)
		})
		if got != want {
			t.Errorf("%q: %v", footer, got)
		}
	}
}

// A small terminal has no row for the folder and the version, which OpenCode draws over the lower edge of its composer.
func TestOpenCodesComposerIsFoundWhereItsFooterCoversTheEdge(t *testing.T) {
	shown := screen(" █  █ █  █ █▀▀▀ █  █ █    █  █ █  █ █▀▀▀", " ▀▀▀▀ █▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀ ▀▀▀▀", "",
		"  ┃", "  ┃  fix the test", "  ┃", "  ┃  Build · Mock Model Mock", "  /home/work▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀1.18.33",
		"           tab agents  ctrl+p commands")
	if composer, found := find(t, "opencode").Read(shown).Composer(); !found || composer.Draft != "fix the test" {
		t.Errorf("%+v, found: %v", composer, found)
	}
}

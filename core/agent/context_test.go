package agent_test

import (
	"testing"

	"cupola/core/agent"
)

func TestTheContextThatAScreenShowsIsRead(t *testing.T) {
	rule := "────────────────────────────────────────"
	for name, test := range map[string]struct {
		kind string
		rows []string
		want agent.ContextShown
		is   bool
	}{
		"claude": {
			"claude",
			[]string{"● Done.", "   1% until auto-compact", rule, "❯ ", rule, "  ? for shortcuts"},
			agent.ContextShown{Percent: 99, Line: "1% until auto-compact"},
			true,
		},
		"claude talks": {
			"claude",
			[]string{"● 40% context left", "", "a", "b", "c", "d", "e", rule, "❯ ", rule, "  ? for shortcuts"},
			agent.ContextShown{},
			false,
		},
		"opencode": {
			"opencode",
			[]string{
				"", "  ┃", "  ┃  ", "  ┃", "  ┃  Build · Mock", "  ╹▀▀▀▀▀▀▀▀▀▀▀",
				"   /src   170.0K (85%) · $0.03  ctrl+p commands",
			},
			agent.ContextShown{Percent: 85, Tokens: 170000, Line: "170.0K (85%)"},
			true,
		},
	} {
		got, is := find(t, test.kind).Read(screen(test.rows...)).ContextShown()
		if is != test.is || is && got != test.want {
			t.Errorf("%s: %+v, %v; want %+v", name, got, is, test.want)
		}
	}
}

func TestWindowsAreKnownByModel(t *testing.T) {
	for _, test := range []struct {
		kind, model string
		want        int
	}{
		{"claude", "claude-opus-5-5", 1000000},
		{"claude", "claude-haiku-4-5", 200000},
		{"gemini", "gemini-2.5-pro", 1048576},
		{"opencode", "mock", 0},
		{"scripted", "x", 0},
	} {
		if got := find(t, test.kind).Window(test.model); got != test.want {
			t.Errorf("%s %s: %d, want %d", test.kind, test.model, got, test.want)
		}
	}
}

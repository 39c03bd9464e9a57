package intent_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/intent"
)

func TestKeysAreNamedAsPeopleWriteThem(t *testing.T) {
	for key, want := range map[string]string{
		" ": "Space", "s": "s", "G": "G", "[": "[", "ctrl+c": "^c", "pgdown": "PgDn", "down": "↓", "shift+tab": "⇧Tab",
		"alt+enter": "Alt+Enter", "esc": "Esc",
	} {
		if got := intent.Name(key); got != want {
			t.Errorf("%q is named %q, want %q", key, got, want)
		}
	}
}

func TestThePageHoldsEveryBinding(t *testing.T) {
	page := intent.Page()
	for _, scope := range intent.Scopes {
		_, table, ok := strings.Cut(page, "\n## "+scope.Name+"\n")
		table, _, _ = strings.Cut(table, "\n## ")
		if !ok || strings.Count(table, "\n| `") != len(scope.Bindings) {
			t.Errorf("%s: %d rows for %d bindings", scope.Name, strings.Count(table, "\n| `"), len(scope.Bindings))
		}
		for _, binding := range scope.Bindings {
			if !strings.Contains(table, "` | "+binding.Does+" |\n") {
				t.Errorf("%s: %q is missing", scope.Name, binding.Does)
			}
		}
	}
}

func TestUnboundKeyDoesNothing(t *testing.T) {
	if meaning, ok := intent.Tree.Lookup(tea.KeyMsg{Type: tea.KeyF12}); ok || meaning != nil {
		t.Errorf("it means %+v", meaning)
	}
	if meaning, ok := intent.Tree.Lookup(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("j")}); !ok ||
		meaning != (intent.Move{By: 1}) {
		t.Errorf("j means %+v", meaning)
	}
}

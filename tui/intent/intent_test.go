package intent_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/tui/intent"
)

// tables are some of the dashboard's, with the keys of two screens.
var tables = &intent.Tables{
	Scopes: []*intent.Scope{&intent.Tree, &intent.Grid, &intent.Nothing, &intent.Form, &intent.Choosing},
	Openers: []intent.Opener{
		{Screen: "stories", Key: "0", Does: "stories", Alone: true},
		{Screen: "hosts", Key: "f7", Does: "hosts", Alone: true},
		{Screen: "inbox", Key: "3", Does: "who needs you"},
	},
}

func TestTablesHaveTheKeysOfScreensBehindTheirOwn(t *testing.T) {
	for scope, want := range map[*intent.Scope]string{
		&intent.Tree: "3 0 f7", &intent.Nothing: "0 f7", &intent.Form: "",
	} {
		own, all := scope.Bindings, tables.Keymap().Of(scope).Bindings
		var keys []string
		for i := len(own); i < len(all); i++ {
			keys = append(keys, all[i].Keys...)
		}
		if got := strings.Join(keys, " "); got != want {
			t.Errorf("%s has %q, not %q", scope.Name, got, want)
		}
	}
}

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
	page := tables.Page()
	for _, scope := range tables.Keymap().All() {
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

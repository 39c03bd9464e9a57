package verbs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/verb/catalog"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/record/checkpoint"
	"cupola/core/verb/registry"
)

// TestRecordedCommandsNeedWhatGivenOnesNeed starts by name what has commands on record, for callers who may do
// everything but run commands, and what has none.
func TestRecordedCommandsNeedWhatGivenOnesNeed(t *testing.T) {
	for _, call := range []struct {
		verb, input string
		record      func(env string, presets, checkpoints string, command string)
	}{
		{"spawn", "spawn-preset", func(_, presets, _, command string) {
			text := "[[pane]]\nkind = \"stub\"\n"
			if command != "" {
				text = fmt.Sprintf("[[pane]]\ncommand = %q\n", command)
			}
			write(t, filepath.Join(presets, "kept.toml"), text)
		}},
		{"restore", "checkpoint", func(dir, _, checkpoints, command string) {
			draft, err := checkpoint.Begin(checkpoints, "kept")
			if err != nil {
				t.Fatal(err)
			}
			pane := recipe.Pane{Command: command}
			if command == "" {
				pane.Kind = "stub"
			}
			if err := draft.Commit(&checkpoint.Checkpoint{
				Session: "recorded", Recipe: recipe.Recipe{Dir: dir, Panes: []recipe.Pane{pane}},
				Panes: make([]checkpoint.Pane, 1),
			}); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		for _, command := range []string{"", "touch /tmp/x"} {
			for _, border := range []registry.Border{
				{Level: registry.Destroys},
				{Level: registry.Destroys, Commands: true},
				{Level: registry.Destroys, Commands: true, Sessions: []string{"kept"}},
			} {
				v := catalog.All().Find(call.verb)
				s, env := bordered(t, v, border)
				call.record(env.Dir, env.Paths.Presets(), env.Paths.Checkpoints(), command)
				input := map[string]any{call.input: "kept", "dry-run": false}
				if call.verb == "spawn" {
					input["session"] = "kept"
				}
				text, code := asked(t, s, v, input)
				refused := code == core.PermissionDenied
				confined := call.verb == "restore" && len(border.Sessions) > 0
				if want := command != "" && !border.Commands || confined; refused != want {
					t.Errorf("%s with %q for %+v: refused %t: %s", call.verb, command, border, refused, text)
				}
				if refused && !confined && !strings.Contains(text, "kept") {
					t.Errorf("%s: what has the command is not said: %s", call.verb, text)
				}
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

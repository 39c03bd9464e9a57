package agent

import (
	"path/filepath"
	"testing"

	"cupola/core"
)

func TestAHomeIsWhereAVariableSaysOrInTheUsers(t *testing.T) {
	for kind, want := range map[core.Kind]struct{ variable, named, usual string }{
		"claude":   {"CLAUDE_CONFIG_DIR", "/own/x", "/home/me/.claude/x"},
		"codex":    {"CODEX_HOME", "/own/x", "/home/me/.codex/x"},
		"gemini":   {"GEMINI_CLI_HOME", "/own/.gemini/x", "/home/me/.gemini/x"},
		"opencode": {"XDG_DATA_HOME", "/own/opencode/x", "/home/me/.local/share/opencode/x"},
		"copilot":  {"COPILOT_HOME", "/own/x", "/home/me/.copilot/x"},
		"qwen":     {"", "/home/me/.qwen/x", "/home/me/.qwen/x"},
		"command":  {"", "", ""},
	} {
		env := map[string]string{"HOME": "/home/me"}
		get := func(name string) string { return env[name] }
		if got := HomeOf(kind, get, "x"); got != want.usual {
			t.Errorf("%s: got %q", kind, got)
		}
		env[want.variable] = "/own"
		if got := HomeOf(kind, get, "x"); got != want.named {
			t.Errorf("%s with %s: got %q", kind, want.variable, got)
		}
		clear(env)
		if got := HomeOf(kind, get, "x"); got != "" {
			t.Errorf("%s without a home: got %q", kind, got)
		}
	}
}

// TestEveryKindThatComesAlongSaysWhatOnlyCodeCanRead: none is forgotten, and none forgets a part.
func TestEveryKindThatComesAlongSaysWhatOnlyCodeCanRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("kinds", "*.toml"))
	if err != nil || len(files) < 10 || len(files) != len(Natives) {
		t.Errorf("%d files of kinds, %v, and %d in the table", len(files), err, len(Natives))
	}
	known, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range Natives {
		if _, is := known.Find(string(n.Kind)); !is {
			t.Errorf("there is no kind %s", n.Kind)
		}
		if n.Home == (Home{}) || n.Records == "" || n.Account == "" || n.Live == "" {
			t.Errorf("%s does not say whether it has a part: %+v", n.Kind, n)
		}
		if n.Home == nowhere && (n.Records != None || n.Account != None || n.Live != None) {
			t.Errorf("%s has files, and no home", n.Kind)
		}
	}
}

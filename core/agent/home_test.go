package agent

import (
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
		if got := Home(kind, get, "x"); got != want.usual {
			t.Errorf("%s: got %q", kind, got)
		}
		env[want.variable] = "/own"
		if got := Home(kind, get, "x"); got != want.named {
			t.Errorf("%s with %s: got %q", kind, want.variable, got)
		}
		clear(env)
		if got := Home(kind, get, "x"); got != "" {
			t.Errorf("%s without a home: got %q", kind, got)
		}
	}
}

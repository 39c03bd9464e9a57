package agent_test

import (
	"testing"

	"cupola/core"
	"cupola/core/agent"
)

func TestRecogniseReadsTheCommandLineOfInterpretersOnly(t *testing.T) {
	tests := []struct {
		command string
		argv    []string
		want    core.Kind
	}{
		{"claude", nil, "claude"},
		{"opencode", nil, "opencode"},
		{"codex", nil, "codex"},
		{"node", []string{"node", "/usr/local/bin/codex"}, "codex"},
		{"node", []string{"/usr/bin/node", "--max-old-space-size=4096", "/usr/bin/gemini", "-m", "codex"}, "gemini"},
		{"node", []string{"node", "/n/node_modules/@github/copilot/index.js"}, "copilot"},
		{"node", []string{"node", "--import", "/x/codex", "/home/u/.npm/bin/qwen"}, "qwen"},
		{"bun", []string{"bun", "/opt/node_modules/@anthropic-ai/claude-code/cli.js"}, "claude"},
		{"cupola", []string{"/usr/bin/cupola", "scripted", "--model", "x"}, "scripted"},
		{"cupola", []string{"/usr/bin/cupola", "status"}, ""},
		{"node", []string{"node", "server.js", "/usr/bin/codex"}, ""},
		{"node", []string{"node", "/srv/codex-clone/index.js"}, ""},
		{"python3", []string{"python3", "-m"}, ""},
		{"node", []string{"node", "-r"}, ""},
		{"node", []string{"node"}, ""},
		{"node", []string{}, ""},
		{"vim", []string{"vim", "/usr/bin/codex"}, ""},
		{"bash", nil, ""},
		{"", nil, ""},
	}
	kinds := load(t)
	for _, test := range tests {
		asked := false
		k, ok := kinds.Recognise(agent.Program{Command: test.command, Argv: func() []string {
			asked = true
			return test.argv
		}})
		got := core.Kind("")
		if ok {
			got = k.ID
		}
		if got != test.want {
			t.Errorf("%s %q: %q, want %q", test.command, test.argv, got, test.want)
		}
		if asked && test.argv == nil && test.want != "" {
			t.Errorf("%s: the command line was asked for", test.command)
		}
	}
	if _, ok := kinds.Recognise(agent.Program{Command: "node"}); ok {
		t.Error("node alone was recognised")
	}
}

func TestRecogniseKnowsProgramsByTheirPaths(t *testing.T) {
	tests := []struct {
		command, first, executable string
		want                       core.Kind
	}{
		{".claude-unwrapp", "/nix/store/x-claude-code/bin/.claude-unwrapped", "", "claude"},
		{".codex-wrapped", "codex", "", "codex"},
		{"2.1.329", "/home/u/.local/share/claude/versions/2.1.329", "", "claude"},
		{"claude.exe", "/n/node_modules/@anthropic-ai/claude-code/bin/claude.exe", "", "claude"},
		{"MainThread", "main", "/home/u/.local/share/claude/versions/2.1.329", "claude"},
		{"x", "x", "/usr/bin/.gemini-wrapped", "gemini"},
		{"claude-code-vie", "/usr/bin/claude-code-viewer", "/usr/bin/claude-code-viewer", ""},
		{"2.1.329", "/home/u/versions/2.1.329", "/home/u/versions/2.1.329", ""},
		{"sh", "-sh", "/usr/bin/dash", ""},
	}
	kinds := load(t)
	for _, test := range tests {
		k, ok := kinds.Recognise(agent.Program{
			Command: test.command, Argv: func() []string { return []string{test.first} },
			Executable: func() string { return test.executable },
		})
		got := core.Kind("")
		if ok {
			got = k.ID
		}
		if got != test.want {
			t.Errorf("%s at %s, %s: %q, want %q", test.command, test.first, test.executable, got, test.want)
		}
	}
}

func TestTwoSignsThatAgreeSuffice(t *testing.T) {
	sign := func(kind core.Kind, by core.SignSource) agent.Sign { return agent.Sign{Kind: kind, By: by} }
	tests := []struct {
		signs []agent.Sign
		kind  core.Kind
		sure  bool
	}{
		{nil, "", false},
		{[]agent.Sign{sign("claude", core.SignProcess)}, "claude", true},
		{[]agent.Sign{sign("claude", core.SignTitle)}, "claude", false},
		{[]agent.Sign{sign("claude", core.SignTree)}, "claude", false},
		{[]agent.Sign{sign("claude", core.SignTree), sign("claude", core.SignTree)}, "claude", false},
		{[]agent.Sign{sign("codex", core.SignTitle), sign("codex", core.SignScreen)}, "codex", true},
		{[]agent.Sign{sign("claude", core.SignTree), sign("codex", core.SignTitle)}, "claude", false},
		{
			[]agent.Sign{
				sign("claude", core.SignTitle), sign("codex", core.SignTitle),
				sign("claude", core.SignScreen), sign("codex", core.SignScreen),
			}, "claude", false,
		},
		{
			[]agent.Sign{
				sign("codex", core.SignTitle), sign("claude", core.SignTree), sign("claude", core.SignHook),
			}, "claude", true,
		},
	}
	for _, test := range tests {
		got := agent.Rank(test.signs)
		if got.Kind != test.kind || got.Sure != test.sure {
			t.Errorf("%v: %+v", test.signs, got)
		}
		if len(test.signs) > 0 && (got.Confidence <= 0 || got.Confidence >= 1) {
			t.Errorf("%v: confidence %v", test.signs, got.Confidence)
		}
	}
}

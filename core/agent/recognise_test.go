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
		k, ok := kinds.Recognise(agent.Program{Command: test.command, Argv: func() [][]string {
			asked = true
			return [][]string{test.argv}
		}})
		got := core.Kind("")
		if ok {
			got = k.ID
		}
		if got != test.want {
			t.Errorf("%s %q: %q, want %q", test.command, test.argv, got, test.want)
		}
		if asked && test.argv == nil {
			t.Errorf("%s: the command line was asked for", test.command)
		}
	}
	if _, ok := kinds.Recognise(agent.Program{Command: "node"}); ok {
		t.Error("node alone was recognised")
	}
}

func TestRecogniseLooksAtEveryForegroundProcess(t *testing.T) {
	kinds := load(t)
	k, ok := kinds.Recognise(agent.Program{Command: "node", Argv: func() [][]string {
		return [][]string{{"npm", "exec"}, {"node", "/p/bin/qwen"}}
	}})
	if !ok || k.ID != "qwen" {
		t.Errorf("recognised %v", k)
	}
}

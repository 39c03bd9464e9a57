package agent_test

import (
	"slices"
	"testing"

	"cupola/core"
)

func TestTheSessionOfAProgramThatEndedIsRead(t *testing.T) {
	const id = "3de98db3-7631-4065-b0c4-a28d104269d7"
	for kind, line := range map[string]string{
		"claude": "claude --permission-mode default --resume " + id,
		"codex":  "To continue this session, run: codex resume " + id,
		"gemini": "│  To resume this session: gemini --resume " + id + "   │",
		"qwen":   "  To continue this session, run qwen --resume " + id,
	} {
		k := find(t, kind)
		shown := core.Screen{Lines: []string{"$ something", line, "$"}, Visible: 3}
		if got := k.ResumedOn(&shown); got != id {
			t.Errorf("%s: %q", kind, got)
		}
		shown.Lines[1] = "$ " + kind
		if got := k.ResumedOn(&shown); got != "" {
			t.Errorf("%s: %q of nothing", kind, got)
		}
	}
	if got := find(t, "codex").Launch.ResumeArgs(id); !slices.Equal(got, []string{"resume", id}) {
		t.Errorf("%q", got)
	}
	if got := find(t, "scripted").Launch.ResumeArgs(id); got != nil {
		t.Errorf("%q", got)
	}
}

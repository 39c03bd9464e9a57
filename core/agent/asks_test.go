package agent

import (
	"strings"
	"testing"
)

func TestAHookTellsWhatIsAsked(t *testing.T) {
	for _, test := range []struct {
		kind, report, want string
	}{
		{"claude", `"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}`, "rm -rf build"},
		{"claude", `"PermissionRequest","tool_name":"Edit","tool_input":{"file_path":"/a/b.go"}}`, "/a/b.go"},
		{"claude", `"PermissionRequest","tool_name":"mcp__x__y","tool_input":{}}`, "mcp__x__y"},
		{"claude", `"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		{"codex", `"PermissionRequest","tool_name":"Bash","tool_input":{"command":"one\ntwo"}}`, "one …"},
	} {
		edge, err := hookKind(t, test.kind).Edge([]byte(`{"hook_event_name":` + test.report))
		if err != nil || edge.Asks != test.want {
			t.Errorf("%s: %q, not %q (%v)", test.report, edge.Asks, test.want, err)
		}
	}
	long := `{"hook_event_name":"PermissionRequest","tool_input":{"command":"`
	long += strings.Repeat("x", 5000) +
		`\u001b[31m"}}`
	edge, err := hookKind(t, "claude").Edge([]byte(long))
	if err != nil || edge.Asks == "" || len(edge.Asks) > 400 || strings.Contains(edge.Asks, "\x1b") {
		t.Errorf("%d bytes", len(edge.Asks))
	}
}

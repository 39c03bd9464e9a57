package agent

import (
	"strings"
	"testing"
)

func TestAHookTellsWhatIsAsked(t *testing.T) {
	for _, test := range []struct {
		kind, report, want string
	}{
		{"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"rm -rf build"}}`, "rm -rf build"},
		{"claude", `{"hook_event_name":"PermissionRequest","tool_name":"Edit","tool_input":{"file_path":"/a/b.go"}}`, "/a/b.go"},
		{"claude", `{"hook_event_name":"PermissionRequest","tool_name":"mcp__x__y","tool_input":{}}`, "mcp__x__y"},
		{"claude", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
		{"codex", `{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"one\ntwo"}}`, "one …"},
	} {
		edge, err := hookKind(t, test.kind).Edge([]byte(test.report))
		if err != nil || edge.Asks != test.want {
			t.Errorf("%s: %q, not %q (%v)", test.report, edge.Asks, test.want, err)
		}
	}
	long := `{"hook_event_name":"PermissionRequest","tool_input":{"command":"` + strings.Repeat("x", 5000) + `\u001b[31m"}}`
	if edge, _ := hookKind(t, "claude").Edge([]byte(long)); len(edge.Asks) > 400 || strings.Contains(edge.Asks, "\x1b") {
		t.Errorf("%d bytes", len(edge.Asks))
	}
}

package agent

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/agent/payload"
)

// said writes an edge as the tables of these tests do: "state/reason+note".
func said(e Edge) string {
	switch {
	case e.Ignore && e.State == "":
		return "ignored"
	case e.Ignore:
		return "ignored, and yet " + string(e.State)
	}
	text := string(e.State)
	if e.Reason != "" {
		text += "/" + string(e.Reason)
	}
	for _, note := range e.Notes {
		text += "+" + string(note)
	}
	if e.Ends {
		text += ", ends"
	}
	return text
}

func hookKind(t testing.TB, id string) *Kind {
	t.Helper()
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	kind, ok := kinds.Find(id)
	if !ok {
		t.Fatalf("no kind is %s", id)
	}
	return kind
}

func TestHooksThatWereNeverRecordedMeanWhatTheyShould(t *testing.T) {
	const running = `{"id":"a","type":"subagent","status":"running"}`
	for _, test := range []struct{ kind, payload, want string }{
		{"claude", `{"hook_event_name":"Stop","background_tasks":[]}`, "idle"},
		{"claude", `{"hook_event_name":"Stop","background_tasks":null}`, "idle"},
		{"claude", `{"hook_event_name":"Stop","background_tasks":[` + running + `]}`, "working+subagents"},
		{
			"claude",
			`{"hook_event_name":"Stop","background_tasks":[{"id":"b","type":"shell","command":"npm run dev"}]}`, "idle",
		},
		{
			"claude", `{"hook_event_name":"Stop","background_tasks":[{"id":"b","type":"shell"}, ` + running + `]}`,
			"working+subagents",
		},
		{"claude", `{"hook_event_name":"Stop","agent_id":"x"}`, "ignored"},
		{"claude", `{"hook_event_name":"StopFailure","agent_id":"x","error":"server_error"}`, "ignored"},
		{"claude", `{"hook_event_name":"PreToolUse","agent_id":"x","tool_name":"Bash"}`, "working+subagents"},
		{"claude", `{"hook_event_name":"PermissionRequest","agent_id":"x","tool_name":"Bash"}`, "waiting/approval"},
		{"claude", `{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode"}`, "waiting/plan"},
		{"claude", `{"hook_event_name":"Notification","notification_type":"elicitation_dialog"}`, "waiting/question"},
		{"claude", `{"hook_event_name":"Notification","notification_type":"agent_completed"}`, "ignored"},
		{"claude", `{"hook_event_name":"PostToolUseFailure","is_interrupt":true}`, "idle+interrupted"},
		{"claude", `{"hook_event_name":"StopFailure","error":"overloaded"}`, "error/server"},
		{"claude", `{"hook_event_name":"StopFailure","error":"model_not_found"}`, "error/other"},
		{
			"claude",
			`{"hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"You've hit your ` +
				`weekly limit · resets 3pm"}`,
			"limited/quota",
		},
		{"claude", `{"hook_event_name":"SessionEnd","reason":"clear"}`, "ignored"},
		{"claude", `{"hook_event_name":"SomethingNew","whatever":[1,2]}`, "ignored"},
		{"codex", `{"hook_event_name":"Interrupt","session_id":"s"}`, "idle+interrupted"},
		{"codex", `{"hook_event_name":"Stop","agent_id":"x"}`, "ignored"},
		{"gemini", `{"hook_event_name":"SessionEnd","reason":"clear"}`, "ignored"},
		{"opencode", `{"type":"session.status","child":true,"properties":{"status":{"type":"idle"}}}`, "ignored"},
		{
			"opencode", `{"type":"session.status","child":true,"properties":{"status":{"type":"busy"}}}`,
			"working+subagents",
		},
		{"opencode", `{"type":"permission.asked","child":true,"properties":{}}`, "waiting/approval"},
		{
			"opencode", `{"type":"session.error","properties":{"error":{"name":"APIError","data":{"statusCode":429}}}}`,
			"limited/rate_limit",
		},
		{
			"opencode", `{"type":"session.error","properties":{"error":{"name":"APIError","data":{"statusCode":503}}}}`,
			"error/server",
		},
		{"qwen", `{"hook_event_name":"PermissionRequest","tool_name":"exit_plan_mode"}`, "waiting/plan"},
	} {
		edge, err := hookKind(t, test.kind).Edge([]byte(test.payload))
		if err != nil || said(edge) != test.want {
			t.Errorf("%s: %s is %q (%v), not %q", test.kind, test.payload, said(edge), err, test.want)
		}
	}
}

func TestAPayloadIsReadAsFarAsItGoes(t *testing.T) {
	claude := hookKind(t, "claude")
	long := `{"session_id":"s","hook_event_name":"PostToolUse","tool_response":"` +
		strings.Repeat("x", 2*payload.Max) + `"}`
	edge, err := claude.Edge([]byte(long))
	if err != nil || said(edge) != "working/thinking" || edge.Session != "s" {
		t.Errorf("of a payload that is too long: %+v, %v", edge, err)
	}
	for _, bad := range []string{
		"", "null", "[]", "{", "hello", `{"session_id":"s"}`, `{"hook_event_name":`, "\x00\xff",
	} {
		if edge, err := claude.Edge([]byte(bad)); !errors.Is(err, ErrPayload) {
			t.Errorf("%q is %+v, %v", bad, edge, err)
		}
	}
	if edge, err := claude.Edge([]byte("\xef\xbb\xbf{\"hook_event_name\":\"Stop\"}trailing")); err != nil ||
		said(edge) != "idle" {
		t.Errorf("with a mark before and words behind: %+v, %v", edge, err)
	}
}

func TestEveryEdgeOfTheBuiltInKindsIsValid(t *testing.T) {
	kinds, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, kind := range kinds.All() {
		hooks, err := kind.hooks.read(kind)
		if err == nil {
			err = hooks.spec.check(source{name: string(kind.ID)})
		}
		if err != nil {
			t.Errorf("%s: %v", kind.ID, err)
			continue
		}
		if len(hooks.edges) > 0 {
			count++
		}
		spec, ok := kind.Install()
		for _, event := range spec.Events {
			if !slices.ContainsFunc(hooks.edges, func(e edge) bool { return e.event.MatchString(event) }) &&
				event != "session.created" {
				t.Errorf("%s: no edge says what %s means", kind.ID, event)
			}
		}
		if ok && (spec.Dir == "" && spec.Home == "" || spec.File == "" || len(spec.Events) == 0) {
			t.Errorf("%s: %+v", kind.ID, spec)
		}
	}
	if count < 5 {
		t.Errorf("%d kinds have hooks", count)
	}
}

func TestAUsersEdgesAreAskedFirst(t *testing.T) {
	own := fstest.MapFS{
		"claude.toml": {Data: []byte("[[hook.edge]]\nevent = 'Stop'\nstate = 'working'\nreason = 'tool'\n")},
	}
	kinds, err := Load(own)
	if err != nil {
		t.Fatal(err)
	}
	claude, _ := kinds.Find("claude")
	for event, want := range map[string]string{"Stop": "working/tool", "UserPromptSubmit": "working/thinking"} {
		edge, err := claude.Edge(fmt.Appendf(nil, `{"hook_event_name":%q}`, event))
		if err != nil || said(edge) != want {
			t.Errorf("%s is %q (%v), not %q", event, said(edge), err, want)
		}
	}
	for _, bad := range []string{
		"event = '('\nstate = 'idle'", "event = 'X'", "event = 'X'\nstate = 'idel'", "event = 'X'\nstate = 'waiting'",
		"event = 'X'\nstate = 'idle'\nwhen = { a = '(' }",
		"event = 'X'\nstate = 'idle'\nstaet = 'x'",
	} {
		if _, err := Load(fstest.MapFS{"claude.toml": {Data: []byte("[[hook.edge]]\n" + bad)}}); err == nil {
			t.Errorf("no error for %s", bad)
		}
	}
}

func FuzzEdge(f *testing.F) {
	f.Add([]byte(`{"hook_event_name":"Stop","background_tasks":[{"type":"shell"}],"session_id":"s"}`))
	f.Add([]byte(`{"type":"session.error","properties":{"error":{"name":"APIError","data":{"statusCode":429}}}}`))
	f.Add([]byte(`{"type":"agent-turn-complete","input-messages":["x`))
	kinds, err := Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		for _, kind := range kinds.All() {
			edge, err := kind.Edge(payload)
			switch {
			case err != nil && (edge.State != "" || !errors.Is(err, ErrPayload)):
				t.Errorf("%s: %+v, %v", kind.ID, edge, err)
			case err == nil && (edge.Event == "" || edge.Ignore != (edge.State == "")):
				t.Errorf("%s: %+v", kind.ID, edge)
			case edge.Reason != "" && !slices.Contains(core.ReasonsOf(edge.State), edge.Reason):
				t.Errorf("%s: %+v", kind.ID, edge)
			}
		}
	})
}

// BenchmarkEdge is the cost of a hook in its own process, where nothing of a kind is read yet.
func BenchmarkEdge(b *testing.B) {
	payload := []byte(
		`{"session_id":"s","hook_event_name":"Stop","last_assistant_message":"` +
			strings.Repeat("word ", 200) + `","background_tasks":[]}`,
	)
	for b.Loop() {
		if _, err := hookKind(b, "claude").Edge(payload); err != nil {
			b.Fatal(err)
		}
	}
}

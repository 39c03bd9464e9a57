package transcript_test

import (
	"database/sql"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core"
	"cupola/core/agent/transcript"
)

// edited are lines in which every kind changes files: long ago, lately, in vain,
// and lately with an unknown program.
var edited = map[core.Kind][]string{
	"claude": {
		`{"type":"assistant","timestamp":"2026-11-20T20:00:00Z","message":{"id":"m0","content":[{"type":"tool_use","id":"t0","name":"Write","input":{"file_path":"/src/api/old.go"}}]}}`,
		`{"type":"user","timestamp":"2026-11-20T20:00:01Z","message":{"content":[{"type":"tool_result","tool_use_id":"t0","content":"ok"}]}}`,
		`{"type":"user","timestamp":"2026-11-20T21:30:00Z","message":{"content":"go on"}}`,
		`{"type":"assistant","timestamp":"2026-11-20T21:31:00Z","message":{"id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/src/api/a.go","old_string":"x"}},{"type":"tool_use","id":"t2","name":"Write","input":{"file_path":"/src/api/b.go"}},{"type":"tool_use","id":"t3","name":"Bash","input":{"command":"touch c.go"}}]}}`,
		`{"type":"user","timestamp":"2026-11-20T21:31:05Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"},{"type":"tool_result","tool_use_id":"t2","content":"no","is_error":true},{"type":"tool_result","tool_use_id":"t3","content":""}]}}`,
		`{"type":"user","timestamp":"2026-11-20T21:32:00Z","message":{"content":"and now?"}}`,
		`{"type":"assistant","timestamp":"2026-11-20T21:33:00Z","message":{"id":"m2","content":[{"type":"tool_use","id":"t4","name":"Write","input":{"file_path":"/src/api/not-yet.go"}}]}}`,
	},
	"codex": {
		`{"type":"session_meta","payload":{"id":"01a1fadc-6a05-7592-a9a5-51e9ea82ad3c","cwd":"/src/api"}}`,
		`{"timestamp":"2026-11-20T21:30:00Z","type":"event_msg","payload":{"type":"task_started"}}`,
		`{"timestamp":"2026-11-20T21:31:00Z","type":"response_item","payload":{"type":"custom_tool_call","call_id":"t1","name":"apply_patch","input":"*** Begin Patch\n*** Update File: a.go\n@@\n+*** Add File: no.go\n*** End Patch\n"}}`,
		`{"timestamp":"2026-11-20T21:31:05Z","type":"response_item","payload":{"type":"custom_tool_call_output","call_id":"t1","output":"Success."}}`,
		`{"timestamp":"2026-11-20T21:32:00Z","type":"response_item","payload":{"type":"function_call","call_id":"t2","name":"shell","arguments":"{\"command\":[\"touch\",\"b.go\"]}"}}`,
		`{"timestamp":"2026-11-20T21:32:05Z","type":"response_item","payload":{"type":"function_call_output","call_id":"t2","output":""}}`,
	},
	"gemini": {
		`{"sessionId":"3de98db3-7631-4065-b0c4-a28d104269d7","kind":"main"}`,
		`{"type":"user","timestamp":"2026-11-20T21:30:00Z","content":[{"text":"go"}]}`,
		`{"id":"a","type":"gemini","timestamp":"2026-11-20T21:31:05Z","content":"","toolCalls":[{"id":"t1","name":"replace","args":{"file_path":"/src/api/a.go"},"status":"success"},{"id":"t2","name":"write_file","args":{"file_path":"/src/api/b.go"},"status":"cancelled"}]}`,
	},
	"qwen": {
		`{"type":"user","timestamp":"2026-11-20T21:30:00Z","message":{"parts":[{"text":"go"}]}}`,
		`{"type":"assistant","timestamp":"2026-11-20T21:31:00Z","message":{"parts":[{"functionCall":{"id":"t1","name":"write_file","args":{"file_path":"/src/api/a.go"}}}]}}`,
		`{"type":"tool_result","timestamp":"2026-11-20T21:31:05Z","toolCallResult":{"callId":"t1","status":"success"}}`,
	},
	"copilot": {
		`{"type":"session.start","data":{"context":{"cwd":"/src/api"}}}`,
		`{"type":"user.message","timestamp":"2026-11-20T21:30:00Z","data":{"content":"go"}}`,
		`{"type":"tool.execution_start","timestamp":"2026-11-20T21:31:00Z","data":{"toolCallId":"t1","toolName":"create","arguments":{"path":"/src/api/a.go"}}}`,
		`{"type":"tool.execution_complete","timestamp":"2026-11-20T21:31:05Z","data":{"toolCallId":"t1","success":true}}`,
	},
}

var (
	editsSince = time.Date(2026, 11, 20, 21, 0, 0, 0, time.UTC)
	oneEdit    = []transcript.Edit{{Path: "/src/api/a.go", At: time.Date(2026, 11, 20, 21, 31, 5, 0, time.UTC)}}
)

func TestTheEditsOfEveryKindAreRead(t *testing.T) {
	for kind, lines := range edited {
		a := newHome(t, kind)
		a.put(t, records[kind].path, lines...)
		if kind == "gemini" {
			putGeminiRoot(t, a)
		}
		edits, certain, err := transcript.Edits(t.Context(), &a.Subject, editsSince)
		if diff := cmp.Diff(oneEdit, edits); diff != "" || err != nil || !certain {
			t.Errorf("%s: %v, certain %v\n%s", kind, err, certain, diff)
		}
	}
}

func TestTheEditsInOpenCodesDatabaseAreRead(t *testing.T) {
	a := newHome(t, "opencode")
	path := a.put(t, ".local/share/opencode/opencode.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`create table session (id text, directory text, parent_id text, time_updated integer)`,
		`create table message (id text, session_id text, time_created integer, time_updated integer, data text)`,
		`create table part (id text, message_id text, session_id text, data text)`,
		`insert into session values ('ses_1','/src/api',null,1000)`,
		`insert into message values ('m0','ses_1',1000,0,'{}'), ('m1','ses_1',1795210265000,0,'{}')`,
		`insert into part values ('p0','m0','ses_1','{"type":"tool","tool":"write","state":{"status":"completed","input":{"filePath":"/src/api/old.go"}}}'),
		 ('p1','m1','ses_1','{"type":"tool","tool":"edit","state":{"status":"completed","input":{"filePath":"/src/api/a.go"}}}'),
		 ('p2','m1','ses_1','{"type":"tool","tool":"write","state":{"status":"error","input":{"filePath":"/src/api/b.go"}}}')`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	edits, _, err := transcript.Edits(t.Context(), &a.Subject, editsSince)
	if diff := cmp.Diff(oneEdit, edits); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func FuzzEdits(f *testing.F) {
	for kind, lines := range edited {
		for _, line := range lines {
			f.Add(string(kind), line)
		}
	}
	f.Fuzz(func(t *testing.T, kind, line string) {
		a := newHome(t, core.Kind(kind))
		if path := records[core.Kind(kind)].path; path != "" {
			a.put(t, path, line)
			_, _, _ = transcript.Edits(t.Context(), &a.Subject, editsSince)
		}
	})
}

package transcript_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"cupola/core"
	"cupola/core/agent/transcript"
)

// at is a home in which records are put, and where an agent would be found that
// works in /src/api.
type at struct {
	home string
	transcript.Subject
}

func newHome(t *testing.T, kind core.Kind) *at {
	t.Helper()
	home := t.TempDir()
	return &at{home, transcript.Subject{Kind: kind, Dir: "/src/api", Env: func(name string) string {
		return map[string]string{"HOME": home}[name]
	}}}
}

// put writes a record.
func (a *at) put(t *testing.T, path string, lines ...string) string {
	t.Helper()
	path = filepath.Join(a.home, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func (a *at) read(t *testing.T) transcript.Account {
	t.Helper()
	result, err := transcript.Read(t.Context(), &a.Subject)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// records are two turns of every kind with lines: the second calls a tool and
// says "All done." at its end, which stop leaves out.
var records = map[core.Kind]struct {
	path    string
	session string
	lines   []string
	stop    int
	usage   transcript.Usage
	model   string
}{
	"claude": {
		path:    ".claude/projects/-src-api/97d00d8d-7622-409d-b050-030c7f05e704.jsonl",
		session: "97d00d8d-7622-409d-b050-030c7f05e704", model: "claude-opus-5-5",
		usage: transcript.Usage{Tokens: 1742}, stop: 2,
		lines: []string{
			`{"type":"user","message":{"role":"user","content":"first"},"isSidechain":false,"timestamp":"2026-11-20T21:00:00.000Z"}`,
			`{"type":"assistant","message":{"id":"m1","model":"claude-opus-5-5","content":[{"type":"text","text":"One."}],"stop_reason":"end_turn","usage":{"input_tokens":10,"output_tokens":4}}}`,
			`{"type":"user","message":{"role":"user","content":"second"},"isSidechain":false,"timestamp":"2026-11-20T21:31:51.000Z"}`,
			`{"type":"user","message":{"role":"user","content":"of a sub-agent"},"isSidechain":true}`,
			`not a line at all`,
			`{"type":"assistant","message":{"id":"m2","model":"claude-opus-5-5","content":[{"type":"text","text":"I will look."}],"stop_reason":"tool_use"}}`,
			`{"type":"assistant","message":{"id":"m2","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"stop_reason":"tool_use"}}`,
			`{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"main.go","is_error":false}]}}`,
			`{"type":"assistant","timestamp":"2026-11-20T21:31:55.000Z","message":{"id":"m3","model":"claude-opus-5-5","content":[{"type":"text","text":"All done."}],"stop_reason":"end_turn","usage":{"input_tokens":1500,"cache_creation_input_tokens":100,"cache_read_input_tokens":100,"output_tokens":42}}}`,
			`{"type":"system","subtype":"turn_duration","durationMs":364}`,
		},
	},
	"codex": {
		path:    ".codex/sessions/2026/11/20/rollout-2026-11-20T21-28-00-01a1fadc-6a05-7592-a9a5-51e9ea82ad3c.jsonl",
		session: "01a1fadc-6a05-7592-a9a5-51e9ea82ad3c", model: "gpt-6-sol",
		usage: transcript.Usage{Tokens: 1542, Window: 258400}, stop: 2,
		lines: []string{
			`{"type":"session_meta","payload":{"id":"01a1fadc-6a05-7592-a9a5-51e9ea82ad3c","cwd":"/src/api"}}`,
			`{"timestamp":"2026-11-20T21:28:38.099Z","type":"event_msg","payload":{"type":"task_started","model_context_window":258400}}`,
			`{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"One."}}`,
			`{"timestamp":"2026-11-20T21:31:51.000Z","type":"event_msg","payload":{"type":"task_started","model_context_window":258400}}`,
			`{"type":"turn_context","payload":{"model":"gpt-6-sol"}}`,
			`{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"text","text":"second"}]}}}`,
			`{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I will look."}]}}`,
			`{"type":"response_item","payload":{"type":"function_call","call_id":"t1","name":"Bash","arguments":"{\"command\":\"ls\"}"}}`,
			`{"type":"response_item","payload":{"type":"function_call_output","call_id":"t1","output":"main.go"}}`,
			`{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":1542},"model_context_window":258400}}}`,
			`{"timestamp":"2026-11-20T21:31:55.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"All done."}]}}`,
			`{"timestamp":"2026-11-20T21:31:55.000Z","type":"event_msg","payload":{"type":"task_complete","last_agent_message":"All done."}}`,
		},
	},
	"gemini": {
		path:    ".gemini/tmp/api/chats/session-2026-11-20T21-30-3de98db3.jsonl",
		session: "3de98db3-7631-4065-b0c4-a28d104269d7", model: "gemini-2.5-pro", usage: transcript.Usage{Tokens: 1552},
		stop: 1, lines: []string{
			`{"sessionId":"3de98db3-7631-4065-b0c4-a28d104269d7","kind":"main"}`,
			`{"$set":{"messages":[{"type":"user","content":[{"text":"<session_context>\nhere"}]}]}}`,
			`{"type":"user","content":[{"text":"first"}]}`,
			`{"type":"gemini","content":"One.","tokens":{"total":14}}`,
			`{"type":"user","timestamp":"2026-11-20T21:31:51.000Z","content":[{"text":"second"}]}`,
			`{"id":"a","type":"gemini","content":"I will look.","model":"gemini-2.5-pro"}`,
			`{"id":"a","type":"gemini","content":"I will look.","toolCalls":[{"id":"t1","name":"Bash","args":{"command":"ls"},"status":"success","resultDisplay":"main.go"}]}`,
			`{"type":"user","content":[{"functionResponse":{"id":"t1","response":{"output":"main.go"}}}]}`,
			`{"timestamp":"2026-11-20T21:31:55.000Z","type":"gemini","content":[{"text":"All done."}],"tokens":{"total":1552},"model":"gemini-2.5-pro"}`,
		},
	},
	"qwen": {
		path:    ".qwen/projects/-src-api/chats/cf5ffa48-651f-4d50-910c-872b1c6ffad6.jsonl",
		session: "cf5ffa48-651f-4d50-910c-872b1c6ffad6", model: "mock-model", usage: transcript.Usage{Tokens: 1542},
		stop: 1, lines: []string{
			`{"type":"user","message":{"parts":[{"text":"first"}]}}`,
			`{"type":"assistant","message":{"parts":[{"text":"One."}]}}`,
			`{"type":"user","timestamp":"2026-11-20T21:31:51.000Z","message":{"parts":[{"text":"second"}]}}`,
			`{"type":"assistant","message":{"parts":[{"text":"I will look."},{"functionCall":{"id":"t1","name":"Bash","args":{"command":"ls"}}}]}}`,
			`{"type":"tool_result","toolCallResult":{"callId":"t1","status":"success","resultDisplay":"main.go"}}`,
			`{"timestamp":"2026-11-20T21:31:55.000Z","type":"assistant","model":"mock-model","message":{"parts":[{"text":"thinking","thought":true},{"text":"All done."}]},"usageMetadata":{"totalTokenCount":1542}}`,
		},
	},
	"copilot": {
		path:    ".copilot/session-state/506bb73d-6886-4013-8a77-1ff7b2a149e7/events.jsonl",
		session: "506bb73d-6886-4013-8a77-1ff7b2a149e7", model: "mock-model",
		usage: transcript.Usage{Tokens: 1542, Window: 128000}, stop: 1,
		lines: []string{
			`{"type":"session.start","data":{"sessionId":"506bb73d-6886-4013-8a77-1ff7b2a149e7","selectedModel":"mock-model","context":{"cwd":"/src/api"}}}`,
			`{"type":"user.message","timestamp":"2026-11-20T21:31:51.000Z","data":{"content":"second"}}`,
			`{"type":"assistant.message","data":{"content":"I will look.","toolRequests":[{}]}}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"t1","toolName":"Bash","arguments":{"command":"ls"}}}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"t1","success":true,"result":{"content":"main.go"}}}`,
			`{"type":"session.usage_record","data":{"usage":{"model":"mock-model","inputTokens":1500,"outputTokens":42,"maxPromptTokens":128000}}}`,
			`{"timestamp":"2026-11-20T21:31:55.000Z","type":"assistant.message","data":{"content":"All done.","toolRequests":[]}}`,
		},
	},
}

func putGeminiRoot(t *testing.T, a *at) {
	if a.Kind == "gemini" {
		a.put(t, ".gemini/tmp/api/.project_root", "/src/api")
	}
}

func TestTheLastTurnOfEveryKindIsRead(t *testing.T) {
	for kind, record := range records {
		t.Run(string(kind), func(t *testing.T) {
			a := newHome(t, kind)
			putGeminiRoot(t, a)
			path := a.put(t, record.path, record.lines...)
			want := transcript.Account{
				Identity: transcript.Identity{Path: path, Session: record.session, Certain: true},
				Model:    record.model, Usage: record.usage,
				Turn: transcript.Turn{
					Prompt: "second", Began: time.Date(2026, 11, 20, 21, 31, 51, 0, time.UTC),
					Message: "All done.", Said: []string{"I will look.", "All done."},
					At: time.Date(2026, 11, 20, 21, 31, 55, 0, time.UTC), Complete: true,
					Tools: []transcript.Tool{{
						ID: "t1", Name: "Bash", Input: `{"command":"ls"}`, Output: "main.go",
						Done: true,
					}},
				},
			}
			result := a.read(t)
			if strings.Contains(strings.Join(record.lines, ""), "One.") && result.Earlier.Message != "One." {
				t.Errorf("the turn before: %+v", result.Earlier)
			}
			result.Earlier, result.Why = transcript.Turn{}, ""
			if diff := cmp.Diff(want, result, cmpopts.IgnoreUnexported(transcript.Account{})); diff != "" {
				t.Error(diff)
			}
			if result, err := transcript.ReadPath(t.Context(), kind, path, ""); err != nil ||
				result.Turn.Message != "All done." || result.Usage != record.usage {
				t.Errorf("by its path: %+v, %v", result, err)
			}
			a.put(t, record.path, record.lines[:len(record.lines)-record.stop]...)
			if result := a.read(t); result.Turn.Complete || result.Turn.Message != "I will look." {
				t.Errorf("before its last message: %+v", result.Turn)
			}
		})
	}
}

func TestAllTurnsOfEveryKindAreRead(t *testing.T) {
	for kind, record := range records {
		t.Run(string(kind), func(t *testing.T) {
			a := newHome(t, kind)
			putGeminiRoot(t, a)
			a.put(t, record.path, record.lines...)
			result, err := transcript.ReadTurns(t.Context(), &a.Subject)
			if err != nil {
				t.Fatal(err)
			}
			turns := result.Turns()
			if n := len(turns); n == 0 || turns[n-1].Prompt != "second" || turns[n-1].Message != "All done." {
				t.Fatalf("%+v", turns)
			}
			if strings.Contains(strings.Join(record.lines, ""), "One.") &&
				(len(turns) != 2 || turns[0].Said[0] != "One.") {
				t.Errorf("%+v", turns)
			}
		})
	}
}

func TestARecordIsReadFromItsEnd(t *testing.T) {
	for kind, record := range records {
		t.Run(string(kind), func(t *testing.T) {
			a := newHome(t, kind)
			putGeminiRoot(t, a)
			filler := make([]string, 3000)
			for i := range filler {
				filler[i] = fmt.Sprintf(`{"type":"nothing","pad":%q}`, strings.Repeat("x", 400))
			}
			// The first line says where the agent works.
			lines := append(append(append([]string{record.lines[0]}, filler...), record.lines[1:]...), filler[:800]...)
			a.put(t, record.path, lines...)
			if result := a.read(t); result.Turn.Message != "All done." || result.Turn.Prompt != "second" {
				t.Errorf("%+v", result.Turn)
			}
		})
	}
}

func TestInterruptedAndFailedTurnsAreNotComplete(t *testing.T) {
	ends := map[core.Kind]struct{ interrupted, failed string }{
		"claude": {
			`{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`,
			`{"type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"it broke"}]}}`,
		},
		"codex": {
			`{"type":"event_msg","payload":{"type":"turn_aborted"}}`,
			`{"type":"event_msg","payload":{"type":"error","message":"it broke"}}`,
		},
		"gemini":  {`{"type":"info","content":"Request cancelled."}`, `{"type":"error","content":"it broke"}`},
		"copilot": {`{"type":"abort","data":{}}`, `{"type":"session.error","data":{"message":"it broke"}}`},
	}
	for kind, end := range ends {
		record := records[kind]
		a := newHome(t, kind)
		putGeminiRoot(t, a)
		lines := record.lines[:len(record.lines)-record.stop]
		a.put(t, record.path, append(lines[:len(lines):len(lines)], end.interrupted)...)
		if result := a.read(t); !result.Turn.Interrupted || result.Turn.Complete {
			t.Errorf("%s interrupted: %+v", kind, result.Turn)
		}
		a.put(t, record.path, append(lines[:len(lines):len(lines)], end.failed)...)
		if result := a.read(t); result.Turn.Failed != "it broke" || result.Turn.Complete {
			t.Errorf("%s failed: %+v", kind, result.Turn)
		}
	}
}

// TestTheEndOfWorkInTheBackgroundIsNoPrompt has Claude report to its model, after a turn, that a sub-agent has ended.
func TestTheEndOfWorkInTheBackgroundIsNoPrompt(t *testing.T) {
	record := records["claude"]
	for name, notice := range map[string]string{
		"by its source": `{"type":"user","promptSource":"system","message":{"role":"user","content":"It has ended."}}`,
		"by its words":  `{"type":"user","message":{"role":"user","content":"<task-notification>\nended"}}`,
	} {
		a := newHome(t, "claude")
		a.put(t, record.path, append(record.lines[:len(record.lines):len(record.lines)], notice)...)
		result := a.read(t)
		if result.Turn.Prompt != "second" || result.Turn.Complete || len(result.Turn.Tools) != 1 {
			t.Errorf("%s: %+v", name, result.Turn)
		}
		a.put(t, record.path, append(record.lines[:len(record.lines):len(record.lines)], notice,
			`{"type":"assistant","message":{"id":"m4","content":[{"type":"text","text":"So it is."}],"stop_reason":"end_turn"}}`)...)
		result = a.read(t)
		if result.Turn.Prompt != "second" || !result.Turn.Complete || result.Turn.Message != "So it is." {
			t.Errorf("%s, answered: %+v", name, result.Turn)
		}
	}
}

func TestTheRecordOfTheAgentsOwnSessionIsTaken(t *testing.T) {
	a := newHome(t, "claude")
	mine := a.put(t, ".claude/projects/-src-api/aaaaaaaa-0000-4000-8000-000000000001.jsonl", records["claude"].lines...)
	other := a.put(t, ".claude/projects/-src-api/bbbbbbbb-0000-4000-8000-000000000002.jsonl",
		records["claude"].lines...)
	now := time.Now()
	for path, age := range map[string]time.Duration{mine: time.Minute, other: time.Second} {
		if err := os.Chtimes(path, now, now.Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	if result := a.read(t); result.Path != other || result.Certain {
		t.Errorf("the last one written: %+v", result)
	}
	a.Started = now.Add(-30 * time.Second)
	if result := a.read(t); result.Path != other || !result.Certain {
		t.Errorf("the only one written since: %+v", result)
	}
	a.Started = now.Add(-time.Hour)
	if result := a.read(t); result.Certain {
		t.Errorf("one of two written since: %+v", result)
	}
	a.Session = "aaaaaaaa-0000-4000-8000-000000000001"
	if result := a.read(t); result.Path != mine || !result.Certain || result.Session != a.Session {
		t.Errorf("the session's: %+v", result)
	}
	a.Session = "cccccccc-0000-4000-8000-000000000003"
	if result, err := transcript.Read(t.Context(), &a.Subject); err == nil {
		t.Errorf("another session's: %+v", result)
	}
}

func TestTheRolloutThatIsOpenIsTaken(t *testing.T) {
	a := newHome(t, "codex")
	a.put(t, strings.Replace(records["codex"].path, "21-28", "22-28", 1), records["codex"].lines...)
	a.Open = []string{a.put(t, records["codex"].path, records["codex"].lines...)}
	if result := a.read(t); result.Path != a.Open[0] || !result.Certain {
		t.Errorf("%+v", result)
	}
}

func TestNothingToReadIsSaidSo(t *testing.T) {
	for _, kind := range []core.Kind{"claude", "codex", "gemini", "qwen", "copilot", "opencode", "command", ""} {
		if result, err := transcript.Read(t.Context(),
			&newHome(t, kind).Subject); err != transcript.ErrNone { //nolint:errorlint // it is promised as it is
			t.Errorf("%s: %+v, %v", kind, result, err)
		}
	}
}

func TestOpenCodesDatabaseIsRead(t *testing.T) {
	a := newHome(t, "opencode")
	path := a.put(t, ".local/share/opencode/opencode.db")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	fill(t, path,
		`create table session (id text, directory text, parent_id text, time_updated integer)`,
		`create table message (id text, session_id text, time_created integer, time_updated integer, data text)`,
		`create table part (id text, message_id text, session_id text, data text)`,
		`insert into session values ('ses_1','/src/api',null,1000), ('ses_2','/src/api','ses_1',3000), ('ses_0','/src/web',null,4000)`,
		`insert into message values ('m1','ses_1',1000,0,'{"role":"user"}'), ('m2','ses_1',2000,0,'{"role":"assistant","modelID":"mock","finish":"tool-calls"}'),
		 ('m3','ses_1',3000,0,'{"role":"assistant","modelID":"mock","finish":"stop","tokens":{"input":1400,"output":42,"reasoning":0,"cache":{"read":100,"write":0}}}')`,
		`insert into part values ('p1','m1','ses_1','{"type":"text","text":"second"}'), ('p2','m2','ses_1','{"type":"text","text":"I will look."}'),
		 ('p3','m2','ses_1','{"type":"tool","tool":"bash","callID":"t1","state":{"status":"completed","input":{"command":"ls"},"output":"main.go"}}'),
		 ('p4','m3','ses_1','{"type":"text","text":"All done."}')`)
	result := a.read(t)
	if result.Session != "ses_1" || result.Model != "mock" || result.Usage.Tokens != 1542 ||
		result.Turn.Prompt != "second" || !result.Turn.Complete || result.Turn.Message != "All done." {
		t.Errorf("%+v", result)
	}
	want := []transcript.Tool{{ID: "t1", Name: "bash", Input: `{"command":"ls"}`, Output: "main.go", Done: true}}
	if diff := cmp.Diff(want, result.Turn.Tools, cmpopts.IgnoreUnexported(transcript.Account{})); diff != "" {
		t.Error(diff)
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("reading left %v, %v", entries, err)
	}
	fill(t, path, `insert into message values ('m4','ses_1',4000,0,'{"role":"user"}'), ('m6','ses_1',5500,0,'{"role":"user"}'),
		 ('m5','ses_1',5000,0,'{"role":"assistant","finish":"tool-calls","time":{"completed":6000}}')`,
		`insert into part values ('p5','m4','ses_1','{"type":"text","text":"third"}'), ('p7','m6','ses_1','{"type":"text","text":"queued"}'),
		 ('p6','m5','ses_1','{"type":"tool","tool":"bash","callID":"t2","state":{"status":"error","error":"The user rejected permission to use this specific tool call."}}')`)
	if result := a.read(t); result.Turn.Prompt != "queued" || !result.Turn.Interrupted {
		t.Errorf("a prompt that a rejection stranded: %+v", result.Turn)
	}
	fill(t, path, `update message set time_created = 6500 where id = 'm6'`)
	if result := a.read(t); result.Turn.Prompt != "queued" || result.Turn.Ended() {
		t.Errorf("a prompt after a rejection: %+v", result.Turn)
	}
}

// fill runs statements on a database.
func fill(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestUsageSamplesOfRealAgentsAreRead(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	for kind, record := range records {
		sample, err := os.ReadFile(filepath.Join(folder, "transcripts", string(kind), "usage_samples.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(sample), "/home/dev/work/copilot-main", "/src/api")
		a := newHome(t, kind)
		putGeminiRoot(t, a)
		if kind == "codex" {
			text = record.lines[0] + "\n" + text
		}
		a.put(t, record.path, text)
		if result := a.read(t); result.Usage.Tokens == 0 || kind != "codex" && result.Model == "" {
			t.Errorf("%s: %+v", kind, result)
		}
	}
}

func FuzzRead(f *testing.F) {
	for kind, record := range records {
		f.Add(string(kind), strings.Join(record.lines, "\n"))
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		record, ok := records[core.Kind(kind)]
		if !ok {
			return
		}
		a := newHome(t, core.Kind(kind))
		putGeminiRoot(t, a)
		a.Open = []string{a.put(t, record.path, text)}
		result, err := transcript.Read(t.Context(), &a.Subject)
		if err == nil && result.Path != a.Open[0] {
			t.Errorf("%+v", result)
		}
	})
}

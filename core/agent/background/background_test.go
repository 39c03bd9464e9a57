package background

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/system/shell/shelltest"
)

const list = `[
{"pid": 11, "id": "aa", "cwd": "/p/./q", "kind": "background", "startedAt": 1700000000000, "sessionId": "s-1",
 "name": "fix   it", "status": "busy", "state": "working"},
{"pid": 12, "id": "bb", "cwd": "relative", "kind": "background", "status": "waiting",
 "waitingFor": "permission prompt", "state": "blocked"},
{"id": "cc", "kind": "background", "state": "blocked"},
{"id": "dd", "kind": "background", "state": "stopped"},
{"id": "ee", "kind": "background", "status": "shell", "state": "working"},
{"id": "ff", "kind": "background", "status": "dreaming", "state": "nonsense"},
{"pid": 13, "id": "gg", "kind": "interactive", "status": "idle"},
{"id": "--help", "kind": "background", "status": "idle"},
{"kind": "background", "status": "idle"}
]`

func TestAListSaysWhatEachSessionDoes(t *testing.T) {
	sessions, err := parse("claude", []byte(list))
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		id     string
		state  core.State
		reason core.Reason
	}{
		{"aa", core.Working, ""},
		{"bb", core.Waiting, core.ReasonApproval},
		{"cc", core.Waiting, ""},
		{"dd", core.Exited, core.ReasonFinished},
		{"ee", core.Idle, ""},
		{"ff", core.Unknown, ""},
	}
	if len(sessions) != len(want) {
		t.Fatalf("%d sessions, want %d: %+v", len(sessions), len(want), sessions)
	}
	for i, w := range want {
		if s := &sessions[i]; s.ID != w.id || s.Status.State != w.state || s.Status.Reason != w.reason {
			t.Errorf("%s is %+v, want %+v", s.ID, s.Status, w)
		}
	}
	if none, err := parse("claude", []byte(" \n")); err != nil || none != nil {
		t.Errorf("of nothing: %+v, %v", none, err)
	}
	first, second := sessions[0], sessions[1]
	if first.Dir != "/p/q" || first.Conversation != "s-1" || first.PID != 11 ||
		!first.Started.Equal(time.UnixMilli(1700000000000)) || first.Name != "fix it" {
		t.Errorf("%+v", first)
	}
	if second.Dir != "" || !second.Started.IsZero() {
		t.Errorf("%+v", second)
	}
}

func TestAProgramIsAskedForItsListAndItsAttach(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+":/usr/bin:/bin")
	kind := &agent.Kind{
		ID: "claude", Name: "Claude Code", Launch: agent.Launch{Command: []string{"claude"}},
		Background: agent.Background{List: []string{"agents", "--json"}, Attach: []string{"attach", "{session}"}},
	}
	if sessions, err := List(t.Context(), kind, os.Environ()); err != nil || sessions != nil {
		t.Errorf("without the program: %+v, %v", sessions, err)
	}
	program := filepath.Join(dir, "claude")
	script := "#!/bin/sh\n[ \"$*\" = 'agents --json' ] || exit 3\ncat <<'END'\n" + list + "\nEND\n"
	if err := shelltest.WriteProgram(program, []byte(script)); err != nil {
		t.Fatal(err)
	}
	if sessions, err := List(t.Context(), kind, os.Environ()); err != nil || len(sessions) != 6 {
		t.Errorf("%+v, %v", sessions, err)
	}
	if argv, ok := Attach(kind, "aa"); !ok || strings.Join(argv, " ") != program+" attach aa" {
		t.Errorf("%q, %v", argv, ok)
	}
	kind.Background.List = []string{"agents"}
	if _, err := List(t.Context(), kind, os.Environ()); !core.AsError(err).HasCode(core.BackendFailed) {
		t.Errorf("of a program that fails: %v", err)
	}
	kind.Background = agent.Background{}
	if sessions, err := List(t.Context(), kind, os.Environ()); err != nil || sessions != nil {
		t.Errorf("of a kind without: %+v, %v", sessions, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(list))
	f.Add([]byte(`[{"kind":"background","id":"x","startedAt":-1}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		sessions, err := parse("claude", text)
		if err != nil && sessions != nil {
			t.Errorf("%+v beside %v", sessions, err)
		}
		for i := range sessions {
			if s := &sessions[i]; s.ID == "" || s.ID[0] == '-' || s.Status.State == "" || s.PID < 0 {
				t.Errorf("%+v", s)
			}
		}
	})
}

func TestSessionsRunWhileTheirProcessesDo(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".claude", "sessions")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	own := strconv.Itoa(os.Getpid())
	for name, text := range map[string]string{
		"1": `{"pid": ` + own + `, "kind": "bg", "jobId": "bb", "status": "busy", "statusUpdatedAt": 1700000000000}`,
		"2": `{"pid": ` + own + `, "kind": "bg", "jobId": "aa"}`,
		"3": `{"pid": ` + own + `, "kind": "bg", "jobId": "an earlier process", "procStart": "1"}`,
		"4": `{"pid": ` + own + `, "kind": "interactive", "status": "busy"}`,
		"5": `{"pid": 0, "kind": "bg", "jobId": "no process"}`,
		"6": `{"pid": ` + own + `, "kind": "bg"}`,
		"7": `no object`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name+".json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := func(name string) string { return map[string]string{"HOME": home}[name] }
	got := Running("claude", env)
	if len(got) != 2 || got[0].ID != "aa" || got[0].Status.State != core.Starting || got[1].ID != "bb" ||
		got[1].Status.State != core.Working || !got[1].Status.Since.Equal(time.UnixMilli(1700000000000)) {
		t.Errorf("%+v", got)
	}
	if others := Running("codex", env); others != nil {
		t.Errorf("of a kind without such files: %+v", others)
	}
}

package demo_test

import (
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/record/store"
)

// demoAnswer is the document of the demo for programs.
type demoAnswer struct {
	Success  bool      `json:"success"`
	Code     core.Code `json:"error_code"`
	Socket   string    `json:"socket"`
	Export   string    `json:"export"`
	Stop     string    `json:"stop"`
	Started  bool      `json:"started"`
	Sessions []string  `json:"sessions"`
	Agents   int       `json:"agents"`
	Stopped  []string  `json:"stopped"`
	Meta     struct {
		Command string `json:"command"`
	} `json:"_meta"`
}

// ask runs the program and decodes its document.
func (m *machine) ask(want int, args ...string) demoAnswer {
	m.t.Helper()
	out, complaints, status := m.cupola(args...)
	var answer demoAnswer
	if err := json.Unmarshal([]byte(out), &answer); err != nil || strings.Count(out, "\n") != 1 || complaints != "" ||
		status != want {
		m.t.Fatalf("%q: status %d, %v in %q, and %q", args, status, err, out, complaints)
	}
	if answer.Meta.Command != "demo" {
		m.t.Errorf("%q: the command is %q", args, answer.Meta.Command)
	}
	return answer
}

func TestAKeptDemoIsReachedUntilItIsStopped(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	first := m.ask(0, "demo", "--robot")
	if !first.Success || !first.Started || first.Agents != 9 || strings.Join(first.Sessions, " ") != "api docs web" ||
		first.Socket != m.socket() {
		t.Errorf("it answers %+v", first)
	}
	if second := m.ask(0, "demo", "--keep"); second.Started || second.Socket != first.Socket || second.Agents != 9 {
		t.Errorf("asked again, it answers %+v", second)
	}
	if again, _, _ := m.cupola("demo", "--keep", "--human"); !strings.Contains(again, "A demo is up already") ||
		!strings.Contains(again, first.Export) {
		t.Errorf("people see %q", again)
	}
	reach := exec.Command("/bin/sh", "-c", first.Export+` && exec "$0" --robot-terse`, m.self)
	reach.Env = m.environ
	if out, complaints, status := m.run(reach); status != 0 ||
		!strings.HasPrefix(out, "cupola/1 sessions=3 agents=9 ") {
		t.Errorf("reached by %s, status is %d, %s%s", first.Export, status, out, complaints)
	}
	if got := m.ask(0, strings.Fields(first.Stop)[1:]...); len(got.Stopped) != 1 || got.Stopped[0] != first.Socket {
		t.Errorf("stopped: %+v", got)
	}
	m.mustBeClean()
	if got := m.ask(0, "demo", "--stop"); !got.Success || got.Stopped == nil || len(got.Stopped) != 0 {
		t.Errorf("stopped again: %+v", got)
	}
}

func TestAKeptDemoHasRecordsOfItsOwn(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	file := filepath.Join(m.home, ".local", "share", "cupola", "cupola.db")
	users, err := store.Open(t.Context(), file, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer users.Close()
	mine := core.NewPrompt(core.OriginSend, "mine", core.PaneRef{Session: "api"})
	mine.ID, mine.At = "p", time.Now()
	if err := store.PromptsIn(users).Save(t.Context(), *mine); err != nil {
		t.Fatal(err)
	}
	socket := m.ask(0, "demo", "--keep").Socket
	there := func(args ...string) string {
		cmd := m.command(args...)
		cmd.Env = append(cmd.Env, "CUPOLA_ENGINE_SOCKET="+socket)
		out, complaints, status := m.run(cmd)
		if status != 0 {
			t.Errorf("%q: status %d, %s%s", args, status, out, complaints)
		}
		return out
	}
	if got := there("history", "--jq=[.prompts[].text]"); strings.Contains(got, "mine") ||
		!strings.Contains(got, "Prepare the release") {
		t.Errorf("the demo's history is %s", got)
	}
	there("send", "api.0", "--all", "--msg=echo theirs")
	there("watch", "--timeout=300ms")
	if got := there("history", "--jq=.prompts[0].text"); got != "echo theirs\n" && got != "\"echo theirs\"\n" {
		t.Errorf("the demo's history is %s", got)
	}
	m.ask(0, "demo", "--stop")
	page, err := store.PromptsIn(users).Find(t.Context(), store.PromptQuery{})
	if err != nil || page.Total != 1 || page.Prompts[0].Text != "mine" {
		t.Errorf("the user's history is %+v, %v", page, err)
	}
	if names, err := store.SessionsIn(users).All(t.Context(), store.SessionQuery{}); err != nil ||
		!slices.Equal(names, []string{"api"}) {
		t.Errorf("the user's records name %q, %v", names, err)
	}
}

func TestWatchedDemoLeavesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	late := filepath.Join(m.temp, "cupola-demo-1", "data")
	if err := os.MkdirAll(late, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(late, "cupola.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m.ask(0, "demo", "--stop")
	if got := m.folders(); len(got) != 0 {
		t.Errorf("left are %q", got)
	}
}

func TestKeptDemoWithoutServerIsReplaced(t *testing.T) {
	enginetest.NeedsTmux(t)
	t.Parallel()
	m := newMachine(t)
	first := m.ask(0, "demo", "--keep")
	if out, err := exec.Command("tmux", "-S", first.Socket, "kill-server").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	enginetest.Eventually(t, testTimeout, func() bool {
		conn, err := net.Dial("unix", first.Socket)
		if err == nil {
			conn.Close()
		}
		return err != nil
	}, nil)
	if second := m.ask(0, "demo", "--keep"); !second.Started || second.Socket == first.Socket ||
		second.Socket != m.socket() {
		t.Errorf("after %s: %+v", first.Socket, second)
	}
	m.ask(0, "demo", "--stop")
}

func TestTheUsersTmuxSettingsAreNotRead(t *testing.T) {
	enginetest.NeedsTmux(t)
	t.Parallel()
	m := newMachine(t)
	if err := os.WriteFile(filepath.Join(m.home, ".tmux.conf"), []byte("set-option -g prefix C-a\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	answer := m.ask(0, "demo", "--robot")
	out, err := exec.Command("tmux", "-S", answer.Socket, "show-options", "-gv", "prefix").Output()
	if err != nil || string(out) != "C-b\n" {
		t.Errorf("the prefix is %q, %v", out, err)
	}
	m.ask(0, "demo", "--stop")
}

func TestUnreportedDemoIsEnded(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	if got := m.ask(1, "demo", "--robot", "--fields=socket"); got.Code != core.InvalidFlag {
		t.Errorf("%+v", got)
	}
	m.mustBeClean()
}

func TestMistakesOfTheDemoFollowTheConventions(t *testing.T) {
	enginetest.NeedsTmux(t)
	t.Parallel()
	m := newMachine(t)
	for _, test := range []struct {
		args []string
		code core.Code
	}{
		{[]string{"demo", "--robot", "--kep"}, core.UnknownFlag},
		{[]string{"demo", "--lines=5"}, core.InvalidFlag},
		{[]string{"demo", "--keep", "--stop"}, core.InvalidFlag},
		{[]string{"--robot", "demo", "api"}, core.TooManyValues},
		{[]string{"demo", "--robot-format=ndjson"}, core.InvalidFlag},
	} {
		if got := m.ask(1, test.args...); got.Success || got.Code != test.code {
			t.Errorf("%q: %+v, want %s", test.args, got, test.code)
		}
		m.mustBeClean()
	}
	m.environ = append(m.environ, "PATH=/nowhere", "CUPOLA_ENGINE_KIND=tmux")
	if got := m.ask(2, "demo"); got.Code != core.EngineUnavailable {
		t.Errorf("without tmux: %+v", got)
	}
	m.environ = append(m.environ, "TMPDIR="+filepath.Join(m.temp, strings.Repeat("x", 100)))
	if err := os.Mkdir(m.environ[len(m.environ)-1][len("TMPDIR="):], 0o700); err != nil {
		t.Fatal(err)
	}
	if got := m.ask(1, "demo"); got.Code != core.IOError {
		t.Errorf("in a folder too deep for a socket: %+v", got)
	}
}

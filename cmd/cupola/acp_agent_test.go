package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/agent/acp"
	"cupola/core/engine/enginetest"
)

// editor is an editor that speaks the Agent Client Protocol, and records what the fleet says.
type editor struct {
	t      *testing.T
	client *acp.Client
	events chan acp.Event
	// answers is the kind of the option with which requests are answered; empty leaves them open.
	answers string
	asked   []string
}

// edits starts an editor on a machine.
func (m *machine) edits(t *testing.T, args ...string) *editor {
	t.Helper()
	program, err := exec.LookPath("cupola")
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, events: make(chan acp.Event, 10_000)}
	e.client, err = acp.Open(t.Context(), acp.Options{
		Program: program, Args: append([]string{"acp-agent"}, args...), Dir: m.tmux.Dir, Env: m.environ(),
	}, func(event acp.Event) { e.events <- event })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.client.Close()
		<-e.client.Done()
	})
	return e
}

// turn holds the answer to a prompt.
type turn struct {
	said string
	stop acp.Stop
	plan []string
}

// prompt sends a prompt and waits for the end of its turn.
func (e *editor) prompt(text string) turn {
	e.t.Helper()
	if _, _, err := e.client.Prompt(text); err != nil {
		e.t.Fatal(err)
	}
	return e.ends(text)
}

// ends waits for the end of a turn.
func (e *editor) ends(text string) (seen turn) {
	e.t.Helper()
	deadline := time.After(testTimeout)
	for {
		select {
		case event := <-e.events:
			switch event.Type {
			case acp.Said:
				seen.said += event.Text
			case acp.Planned:
				for _, step := range event.Plan {
					seen.plan = append(seen.plan, step.Text)
				}
			case acp.Permission:
				e.asked = append(e.asked, event.Ask.Call.Title)
				i := slices.IndexFunc(event.Ask.Options, func(o acp.Option) bool { return o.Kind == e.answers })
				if e.answers != "" && (i < 0 || !e.client.Answer(event.Ask.Key, event.Ask.Options[i].ID)) {
					e.t.Fatalf("no %s among %+v", e.answers, event.Ask.Options)
				}
			case acp.Ended:
				seen.stop = event.Stop
				return seen
			case acp.Gone:
				e.t.Fatalf("%s: it ended: %v", text, event.Err)
			}
		case <-deadline:
			e.t.Fatalf("%s: no end of the turn; said %q, asked %q", text, seen.said, e.asked)
		}
	}
}

// to addresses prompts.
func (e *editor) to(mode string) {
	e.t.Helper()
	if err := e.client.Set(e.t.Context(), acp.ModeSetting, mode); err != nil {
		e.t.Fatal(err)
	}
}

func TestAnEditorTalksToTheFleetAsToOneAgent(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must("kind", "new", "talker", "--acp=cupola scripted --acp")
	m.must("spawn", "api", "--agents=talker=1,scripted=1", "--wait-ready")
	e := m.edits(t)

	routed := e.prompt("say routed")
	if !strings.Contains(routed.said, "→ api.") || !strings.Contains(routed.said, "routed") ||
		routed.stop != acp.EndTurn || len(routed.plan) == 0 {
		t.Errorf("routed: %+v", routed)
	}
	for _, address := range []string{"api.1", "api.2"} {
		e.to(address)
		if said := e.prompt("say pong").said; !strings.HasPrefix(said, "pong") {
			t.Errorf("%s said %q", address, said)
		}
		e.asked = nil
		e.answers = "allow_once"
		if got := e.prompt("approve tool make test, say built"); !strings.Contains(got.said, "built") {
			t.Errorf("%s with a yes: %+v", address, got)
		}
		e.answers = "reject_once"
		e.prompt("approve tool make deploy")
		if len(e.asked) != 2 || !strings.HasPrefix(e.asked[0], address+" ") ||
			!strings.Contains(e.asked[0], "make test") || !strings.Contains(e.asked[1], "make deploy") {
			t.Errorf("%s asked %q", address, e.asked)
		}
	}

	e.to("api")
	all := e.prompt("say both")
	if strings.Count(all.said, "both") != 2 || !strings.Contains(all.said, "**api.1") {
		t.Errorf("all said %q", all.said)
	}
	e.to("api.1")
	if said := e.prompt("/status api").said; !strings.Contains(said, "talker") {
		t.Errorf("a verb: %q", said)
	}
	e.answers, e.asked = "reject_once", nil
	if said := e.prompt("/kill api").said; !strings.Contains(said, "did not allow") ||
		len(e.asked) != 1 || !strings.HasPrefix(e.asked[0], "cupola kill api") {
		t.Errorf("a verb that destroys: %q, asked %q", said, e.asked)
	}

	if _, _, err := e.client.Prompt("slow 60"); err != nil {
		t.Fatal(err)
	}
	m.must("wait", "api.1", "--for=working", "--timeout=1m")
	if !e.client.Cancel() {
		t.Fatal("nothing runs")
	}
	if got := e.ends("slow 60"); got.stop != acp.Cancelled {
		t.Errorf("cancelled: %+v", got)
	}
	if said := e.prompt("say after").said; said != "after" {
		t.Errorf("after a cancel: %q", said)
	}
	if said := e.prompt("bye").said; !strings.Contains(said, "(talker): error") {
		t.Errorf("an agent that ended: %q", said)
	}
}

func TestAnEditorMayDoNoMoreThanItsLevel(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must("spawn", "api", "--agents=scripted=1", "--wait-ready")
	m.must("spawn", "web", "--agents=scripted=1", "--wait-ready")
	reads := m.edits(t, "--allow=reads", "--session=api", "--to=api.1")
	const refused = "this server allows reads"
	for prompt, want := range map[string]string{
		"say no": refused, "/kill api": refused, "/interrupt api.1": refused, "/status": "| api |",
	} {
		if got := reads.prompt(prompt); !strings.Contains(got.said, want) || strings.Contains(got.said, "web") {
			t.Errorf("%s: %q", prompt, got.said)
		}
	}
	if got := m.callJSON("status", "api.1"); strings.Contains(got, "say no") {
		t.Error("the prompt arrived")
	}
	if err := reads.client.Set(t.Context(), acp.ModeSetting, "web.1"); err == nil {
		t.Error("another session can be addressed")
	}
}

// callJSON returns the answer of a verb as JSON.
func (m *machine) callJSON(args ...string) string {
	return m.call(append([]string{"--robot-format=json"}, args...)...).stdout
}

// TestAnEditorThatBreaksTheProtocolIsAnswered sends what no editor should, and then an ordinary request.
func TestAnEditorThatBreaksTheProtocolIsAnswered(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	cmd := m.command("cupola", "acp-agent")
	ctx, stop := context.WithTimeout(t.Context(), testTimeout)
	defer stop()
	in, out := must(cmd.StdinPipe())(t), must(cmd.StdoutPipe())(t)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })()
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 32<<20)
	// answer returns the error code of the answer to a request, 0 for a result.
	answer := func(id string) int {
		for lines.Scan() {
			var m struct {
				ID     json.RawMessage
				Method string
				Error  struct{ Code int }
			}
			if json.Unmarshal(lines.Bytes(), &m) == nil && m.Method == "" && string(m.ID) == id {
				return m.Error.Code
			}
		}
		t.Fatalf("no answer to %s", id)
		return 0
	}
	write := func(text string) {
		if _, err := in.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, line, id string
		code           int
	}{
		{"no JSON", "hello", "null", -32700},
		{"half a message", `{"jsonrpc":"2.0","id":1,"method":"ini`, "null", -32700},
		{"a list", "[1,2]", "null", -32700},
		{"too early", `{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/tmp"}}`, "2", -32600},
		{"a later version", `{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":9}}`, "3", 0},
		{"unknown", `{"jsonrpc":"2.0","id":"x","method":"fs/read_text_file","params":{}}`, `"x"`, -32601},
		{"no folder", `{"jsonrpc":"2.0","id":4,"method":"session/new","params":{"cwd":"here"}}`, "4", -32602},
		{"wrong types", `{"jsonrpc":"2.0","id":5,"method":"session/new","params":[7]}`, "5", -32602},
		{"no session", `{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"?"}}`, "6", -32602},
		{"a strange session", `{"jsonrpc":"2.0","id":7,"method":"session/resume","params":{"sessionId":"../x"}}`, "7", -32602},
		{"load", `{"jsonrpc":"2.0","id":8,"method":"session/load","params":{"sessionId":"x","cwd":"/"}}`, "8", -32601},
		{
			"too long", `{"jsonrpc":"2.0","id":9,"method":"` + strings.Repeat("x", 17<<20) + `"}` + "\n" +
				`{"jsonrpc":"2.0","id":10,"method":"session/list","params":{}}`, "10", 0,
		},
		{
			"stray answer", `{"jsonrpc":"2.0","id":77,"result":{}}` + "\n" +
				`{"jsonrpc":"2.0","id":11,"method":"session/list","params":{}}`, "11", 0,
		},
		{"an empty fleet", `{"jsonrpc":"2.0","id":12,"method":"session/new","params":{"cwd":"/tmp"}}`, "12", 0},
		{"an empty prompt", `{"jsonrpc":"2.0","id":13,"method":"session/prompt","params":{"sessionId":"fleet-1"}}`, "13", -32602},
		{
			"a prompt for no agent", `{"jsonrpc":"2.0","id":14,"method":"session/prompt","params":{"sessionId":"fleet-1",` +
				`"prompt":[{"type":"text","text":"hello"}]}}`, "14", 0,
		},
		{
			"a mode of no agent", `{"jsonrpc":"2.0","id":15,"method":"session/set_mode","params":{` +
				`"sessionId":"fleet-1","modeId":"api.1"}}`, "15", -32602,
		},
	} {
		write(test.line + "\n")
		if code := answer(test.id); code != test.code {
			t.Errorf("%s: code %d, want %d", test.name, code, test.code)
		}
	}
	write(strings.Repeat(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"fleet-1"}}`+"\n", 20_000))
	write(`{"jsonrpc":"2.0","id":16,"method":"session/close","params":{"sessionId":"fleet-1"}}` + "\n")
	if code := answer("16"); code != 0 {
		t.Errorf("after a flood: code %d", code)
	}
	write(`{"jsonrpc":"2.0","id":17,"meth`)
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("with its input closed: %v", err)
	}
}

// must returns a value, or ends the test.
func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

// talkingProgram is a member of a crew that writes to the other one until the user says a word, which it answers to.
const talkingProgram = `#!/bin/sh
in=$(cat)
me=${in#*You are }
me=${me%%,*}
case $in in *pineapple*) echo "@user: $me has heard of the pineapple"; exit;; esac
sleep 0.3
case $me in a.one) echo "@b.two: next";; *) echo "@a.one: next";; esac
`

// TestAnEditorTalksToACrew addresses a crew that works: the prompt goes to it, and its messages come until one is for
// the user.
func TestAnEditorTalksToACrew(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.crewBackend("talk", talkingProgram)
	m.must("crew", "run", "--agents=a.one:talk,b.two:talk", "--prompt=Talk", "--max-turns=500", "--background")
	id, _ := m.crewState()
	t.Cleanup(func() { m.cupola("crew", "stop", id) })
	e := m.edits(t)
	if err := e.client.Set(t.Context(), acp.ModeSetting, "crew:none"); err == nil {
		t.Error("a crew that there is not can be addressed")
	}
	e.to("crew:" + id)
	said := e.prompt("what about the pineapple?")
	if said.stop != acp.EndTurn || !strings.Contains(said.said, "→ user**") ||
		!strings.Contains(said.said, "has heard of the pineapple") {
		t.Errorf("the crew said %+v", said)
	}
	enginetest.Eventually(t, testTimeout, func() bool { _, state := m.crewState(); return state == "completed" }, nil)
	said = e.prompt("and now?")
	if !strings.Contains(said.said, id+" has ended") || strings.Contains(said.said, "pineapple") {
		t.Errorf("a crew that has ended: %+v", said)
	}
}

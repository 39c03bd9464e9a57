package conversation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/system/process"
	"cupola/core/system/shell/shelltest"
)

// taken is a journal with what agents took.
type taken struct {
	fleettest.Journal
	prompts []core.TakenPrompt
}

func (j *taken) Asked(context.Context, core.PaneRef, time.Time) ([]core.TakenPrompt, error) {
	return j.prompts, nil
}

const parser, printer = "11111111-aaaa-4000-8000-000000000001", "22222222-bbbb-4000-8000-000000000002"

// writing is one agent without hooks whose sessions are put on record.
type writing struct {
	*fleet.Fleet
	t       *testing.T
	engine  *fleettest.Engine
	journal *taken
	home    string
	began   time.Time
	lines   map[string]string
}

// write starts an agent of Qwen's, which has said nothing.
func write(t *testing.T) *writing { return writeAs(t, "qwen") }

// writeAs starts an agent of a kind that records what Qwen records, with tags of its pane.
func writeAs(t *testing.T, kind string, tags ...string) *writing {
	t.Helper()
	pid, home := worker(t)
	w := &writing{
		t: t, journal: &taken{}, home: home, began: time.Now().Add(-time.Hour).Truncate(time.Second),
		lines: map[string]string{},
	}
	programs := t.TempDir()
	if err := shelltest.WriteProgram(filepath.Join(programs, "qwen"), []byte("#!/bin/sh\n")); err != nil {
		t.Fatal(err)
	}
	pane := fleettest.Row("$1", "%1", "qwen", append(tags, engine.TagKind, kind, engine.TagName, "qw_1",
		engine.TagOrdinal, "1", engine.TagRole, "agent", engine.TagStarted, fmt.Sprint(w.began.UnixMilli()))...)
	pane.Process.PID, pane.Process.Dir = pid, "/src/api"
	rule := strings.Repeat("─", 40)
	w.engine = &fleettest.Engine{
		Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}},
		Screens: map[core.PaneID][]string{"%1": {rule, ">   Type your message or @path/to/file", rule, "  work"}},
	}
	w.Fleet = fleet.Open(fleet.Options{
		Engine: w.engine, Kinds: fleettest.BuiltinKinds(t), Journal: w.journal, Self: "/bin/sh",
		Environ: []string{"PATH=" + programs + ":/usr/bin:/bin", "SHELL=/bin/sh"},
	})
	return w
}

// send is a prompt that the agent took, some minutes after it was started.
func (w *writing) send(minutes int, prompt string) {
	at := w.began.Add(time.Duration(minutes) * time.Minute)
	w.journal.prompts = append([]core.TakenPrompt{{Text: prompt, Sent: at, At: at}}, w.journal.prompts...)
}

// say records a prompt and its answer in a session; tokens are then used.
func (w *writing) say(session string, minutes int, prompt string, tokens int) {
	w.t.Helper()
	at := w.began.Add(time.Duration(minutes) * time.Minute)
	const format = `{"type":"user","timestamp":"%[1]s","message":{"parts":[{"text":"%[2]s"}]}}
{"type":"assistant","timestamp":"%[1]s","message":{"parts":[{"text":"Yes."}]},"usageMetadata":{"totalTokenCount":%[3]d}}
`
	w.lines[session] += fmt.Sprintf(format, at.UTC().Format(time.RFC3339), prompt, tokens)
	path := filepath.Join(w.home, ".qwen", "projects", "-src-api", "chats", session+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(w.lines[session]), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(path, at, at); err != nil {
		w.t.Fatal(err)
	}
}

// said holds the results of all readers of a conversation.
type said struct {
	// Prompt, Complete and Certain are of the reply, Tokens of the context.
	Prompt            string
	Complete, Certain bool
	Tokens            int
	// Resumes is the session that a restart resumes, or the code of its error; Kept is the session of a checkpoint.
	Resumes, Kept string
	// Owns are the sessions whose usage is the agent's, the present one first.
	Owns string
	// Turns is how many turns of the conversation are listed.
	Turns int
}

// ask asks all that read a conversation.
func (w *writing) ask() (got said) {
	w.t.Helper()
	target := resolve.Target{Session: "api.1"}
	replies, err := w.Conversations.Replies(w.t.Context(), target)
	if err != nil || len(replies) != 1 {
		w.t.Fatalf("%+v, %v", replies, err)
	}
	got.Prompt, got.Complete, got.Certain = replies[0].Prompt, replies[0].Complete, replies[0].Certain
	uses, err := w.Conversations.ContextUsed(w.t.Context(), target)
	if err != nil || uses[0].Certain != got.Certain {
		w.t.Fatalf("%+v, %v", uses, err)
	}
	got.Tokens = uses[0].Tokens
	switch restarted, err := w.Launcher.Restart(w.t.Context(),
		lifecycle.RestartRequest{Target: target, DryRun: true}); {
	case err != nil:
		got.Resumes = string(core.AsError(err).Code)
	default:
		got.Resumes = restarted[0].Session
	}
	shape, err := w.Launcher.Shape(w.t.Context(), "api")
	if err != nil {
		w.t.Fatal(err)
	}
	got.Kept = shape.Recipe[0].Resume
	writers, err := w.Conversations.Writers(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	got.Owns = writers[0].Own
	for _, session := range writers[0].Earlier {
		if session != got.Owns {
			got.Owns += " " + session
		}
	}
	if turns, err := w.Conversations.Transcript(w.t.Context(), target); err == nil {
		got.Turns = len(turns.Turns)
	}
	return got
}

func TestAllThatReadAConversationReadTheSame(t *testing.T) {
	for name, c := range map[string]struct {
		when func(*writing)
		want said
	}{
		"asked": {func(w *writing) {
			w.send(1, "the parser")
			w.say(parser, 1, "the parser", 300)
		}, said{"the parser", true, true, 300, parser, parser, parser, 1}},
		"asked in a new one": {func(w *writing) {
			w.send(1, "the parser")
			w.say(parser, 1, "the parser", 300)
			w.send(2, "/clear")
			w.send(3, "the printer")
			w.say(printer, 3, "the printer", 400)
		}, said{"the printer", true, true, 400, printer, printer, printer + " " + parser, 1}},
		"a new one of which nothing is on record": {func(w *writing) {
			w.send(1, "the parser")
			w.say(parser, 1, "the parser", 300)
			w.send(2, "/clear")
		}, said{"", false, true, 0, "", "", "", 0}},
		"the last prompt is not on record": {func(w *writing) {
			w.send(1, "the parser")
			w.say(parser, 1, "the parser", 300)
			w.send(2, "the printer")
		}, said{"the parser", false, true, 300, parser, parser, parser, 1}},
		"two fit": {func(w *writing) {
			w.send(1, "the parser")
			w.say(parser, 1, "the parser", 300)
			w.say(printer, 3, "typed by hand", 400)
		}, said{"the parser", false, false, 300, string(core.Conflict), "", " " + parser, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			w := write(t)
			c.when(w)
			if got := w.ask(); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// TestTheRecordOfAKilledAgentIsKnown has an agent whose home is not Cupola's take a prompt, and then kills it: from the
// moment in which its process is listed without an environment on, its tag says where its record is.
func TestByProtocolTheConversationIsTheOneThatTheAgentNames(t *testing.T) {
	w := writeAs(t, "qwen-acp", engine.TagSession, printer)
	w.say(printer, 1, "fix the printer", 1000)
	w.say(parser, 2, "fix the parser", 2000)
	got := w.ask()
	if got.Tokens != 1000 || got.Owns != printer || got.Kept != printer || got.Turns != 1 || got.Resumes != printer ||
		!got.Certain || got.Prompt != "fix the printer" {
		t.Errorf("it is %+v", got)
	}
	began := writeAs(t, "qwen-acp")
	began.say(parser, 2, "fix the parser", 2000)
	if got := began.ask(); got.Tokens != 0 || got.Owns != "" || got.Resumes != "" || got.Turns != 0 {
		t.Errorf("without a turn it is %+v", got)
	}
	writers, err := w.Conversations.Writers(t.Context())
	if err != nil || len(writers) != 1 || writers[0].Kind != "qwen" || writers[0].Record == "" {
		t.Errorf("its usage is counted of %+v, %v", writers, err)
	}
}

func TestTheRecordOfAKilledAgentIsKnown(t *testing.T) {
	w := write(t)
	w.send(1, "the parser")
	w.say(parser, 1, "the parser", 300)
	want := w.ask()
	snapshot, err := w.Overview.Snapshot(t.Context(), observe.View{Dirs: true})
	if err != nil {
		t.Fatal(err)
	}
	w.Announcer.StoreTurn(t.Context(), snapshot.Panes()[0], core.Delivered, w.began)
	pane := &w.engine.Listing.Panes[0]
	for _, tag := range w.engine.Tags {
		if tag.Name == engine.TagHome {
			pane.Tags[tag.Name] = tag.Value
		}
	}
	if err := syscall.Kill(pane.Process.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, time.Minute, func() bool { return process.Environ(pane.Process.PID) == nil },
		func() string { return "the process still has an environment" })
	if want.Resumes != parser {
		t.Errorf("alive: %+v", want)
	}
	for _, c := range []struct {
		name string
		dies func()
	}{
		{"killed", func() {}},
		{"a shell is in its place", func() {
			shell := exec.Command("sh", "-c", "read line")
			input, err := shell.StdinPipe()
			if err == nil {
				err = shell.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { input.Close(); shell.Wait() })
			pane.Process.PID, pane.Process.Command = shell.Process.Pid, "sh"
		}},
		{"its pane is dead", func() { pane.Process.Dead, pane.Process.PID = true, 0 }},
	} {
		c.dies()
		if got := w.ask(); got != want {
			t.Errorf("%s: %+v, want %+v", c.name, got, want)
		}
	}
}

func TestARestartTakesUpOneOfSeveralSessionsOnlyIfItIsNamed(t *testing.T) {
	w := write(t)
	w.send(1, "the parser")
	w.say(parser, 1, "the parser", 300)
	w.say(printer, 3, "typed by hand", 400)
	request := lifecycle.RestartRequest{Target: resolve.Target{Session: "api.1"}, DryRun: true}
	_, err := w.Launcher.Restart(t.Context(), request)
	failed := core.AsError(err)
	unsure, is := failed.Details.(lifecycle.Unsure)
	if !is || len(unsure.Sessions) != 2 || unsure.Sessions[1].Session != printer ||
		unsure.Sessions[1].Prompt != "typed by hand" || len(failed.Subject.Conversations) != 2 {
		details, _ := json.Marshal(failed.Details)
		t.Errorf("%v: %s", err, details)
	}
	request.Session = printer
	named, err := w.Launcher.Restart(t.Context(), request)
	if err != nil || named[0].Session != printer || !strings.HasSuffix(named[0].Command, "--resume "+printer) {
		t.Errorf("%+v, %v", named, err)
	}
	request.Session, request.Smart = "", true
	skipped, err := w.Launcher.Restart(t.Context(), request)
	if err != nil || !skipped[0].Skipped || skipped[0].Why != "session_unknown" {
		t.Errorf("%+v, %v", skipped, err)
	}
}

func TestSeveralFitsAreNoCompleteReply(t *testing.T) {
	w := write(t)
	w.send(1, "the parser")
	w.say(parser, 1, "the parser", 300)
	w.say(printer, 3, "typed by hand", 400)
	reply := func() conversation.Reply {
		t.Helper()
		replies, err := w.Conversations.Replies(t.Context(), resolve.Target{Session: "api.1"})
		if err != nil || len(replies) != 1 {
			t.Fatalf("%+v, %v", replies, err)
		}
		return replies[0]
	}
	composer := w.engine.Screens["%1"]
	for name, said := range map[string][]string{
		"on a screen that says nothing": nil,
		"on its screen":                 {"  > something", "", "  ✦ Done.", ""},
	} {
		w.engine.Screens["%1"] = slices.Concat(said, composer)
		if got := reply(); got.Complete || got.Certain || len(got.Sessions) != 2 || got.Why == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
	w.engine.Screens["%1"] = slices.Concat([]string{"  > typed by hand", "", "  ✦ Yes.", ""}, composer)
	if got := reply(); !got.Complete || !got.Certain || got.SessionID != printer {
		t.Errorf("its screen shows the prompt of one: %+v", got)
	}
}

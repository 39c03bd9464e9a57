package conversation_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// worker is a process that could be an agent: its home is a folder of the test's.
func worker(t *testing.T) (pid int, home string) {
	t.Helper()
	home = t.TempDir()
	cmd := exec.Command("sleep", "600")
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Kill(); err != nil {
			t.Error(err)
		}
		cmd.Wait()
	})
	return cmd.Process.Pid, home
}

// claudes returns a fleet with two agents of Claude's: the first has a transcript, the second only
// a screen.
func claudes(t *testing.T) (*fleet.Fleet, *fleettest.Engine) { return claudesIn(t, false) }

// claudesIn is claudes with a home for each agent, or one that they share.
func claudesIn(t *testing.T, shared bool) (*fleet.Fleet, *fleettest.Engine) {
	t.Helper()
	rule := strings.Repeat("─", 40)
	p := &fleettest.Engine{
		Listing: engine.Listing{Sessions: []engine.Session{{ID: "$1", Name: "api"}}},
		Screens: map[core.PaneID][]string{
			"%1": {"● Half of", "   9% until auto-compact", rule, "❯ ", rule, "  ? for shortcuts"},
			"%2": {"❯ hello", "● Hi there.", rule, "❯ ", rule, "  ? for shortcuts"},
		},
	}
	pid, home := worker(t)
	for i, id := range []string{"%1", "%2"} {
		if i > 0 && !shared {
			pid, home = worker(t)
		}
		pane := fleettest.Row("$1", id, "claude", engine.TagKind, "claude", engine.TagName, "cc_"+id[1:],
			engine.TagOrdinal, id[1:], engine.TagRole, "agent")
		pane.Process.PID, pane.Process.Dir = pid, "/src/api"
		p.Listing.Panes = append(p.Listing.Panes, pane)
		if i > 0 {
			continue
		}
		folder := filepath.Join(home, ".claude", "projects", "-src-api")
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		lines := `{"type":"user","message":{"content":"a question"}}
{"type":"assistant","timestamp":"2026-11-20T11:00:00Z","message":{"id":"m","model":"claude-haiku-4-5","content":[{"type":"text","text":"The whole answer."}],"stop_reason":"end_turn","usage":{"input_tokens":100000}}}
`
		if err := os.WriteFile(filepath.Join(folder, "97d00d8d-7622-409d-b050-030c7f05e704.jsonl"), []byte(lines),
			0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fleet.Open(fleet.Options{
		Engine: p, Kinds: fleettest.Kinds(t, fleettest.StubKind), Now: func() time.Time { return fleettest.Noon },
		Environ: []string{"PATH=/usr/bin:/bin", "SHELL=/bin/sh"},
	}), p
}

func TestAReplyComesFromTheTranscriptOrElseTheScreen(t *testing.T) {
	f, _ := claudes(t)
	replies, err := f.Conversations.Replies(t.Context(), resolve.Target{Session: "api"})
	if err != nil || len(replies) != 2 {
		t.Fatalf("%+v, %v", replies, err)
	}
	written, shown := replies[0], replies[1]
	if written.Source != conversation.FromTranscript || written.Text != "The whole answer." || !written.Complete ||
		written.Why != "" || written.Prompt != "a question" || written.At.IsZero() ||
		written.SessionID != "97d00d8d-7622-409d-b050-030c7f05e704" {
		t.Errorf("%+v", written)
	}
	if shown.Source != conversation.FromScreen || shown.Text != "❯ hello\n● Hi there." || shown.Complete ||
		shown.Why == "" {
		t.Errorf("%+v", shown)
	}
}

func TestWhatAnotherMayHaveWrittenIsNoReply(t *testing.T) {
	f, _ := claudesIn(t, true)
	replies, err := f.Conversations.Replies(t.Context(), resolve.Target{Session: "api"})
	if err != nil || len(replies) != 2 {
		t.Fatalf("%+v, %v", replies, err)
	}
	for _, reply := range replies {
		const why = "another agent in its folder may have written the transcript"
		if reply.Source != conversation.FromScreen || reply.Complete || !strings.HasPrefix(reply.Why, why) {
			t.Errorf("%+v", reply)
		}
	}
	shape, err := f.Launcher.Shape(t.Context(), "api")
	if err != nil {
		t.Fatal(err)
	}
	for _, pane := range shape.Recipe {
		if pane.Resume != "" {
			t.Errorf("it would take up a session that may be another's: %+v", pane)
		}
	}
}

func TestWhileATurnHasSaidNothingTheReplyIsThatOfTheTurnBefore(t *testing.T) {
	f, _ := claudes(t)
	reply := func() conversation.Reply {
		replies, err := f.Conversations.Replies(t.Context(), resolve.Target{Session: "api.1"})
		if err != nil || len(replies) != 1 {
			t.Fatalf("%+v, %v", replies, err)
		}
		return replies[0]
	}
	path := reply().Path
	record, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	asked := `{"type":"user","message":{"content":"another question"},"pad":"` + strings.Repeat("x", 1<<19) + "\"}\n"
	for name, test := range map[string]struct{ record, text, source, prompt, why string }{
		"after an answer": {
			string(record) + asked, "The whole answer.", conversation.FromTranscript, "a question",
			"it has said nothing in it: this is its message of the turn before",
		},
		"at first": {asked, "", "", "another question", "the turn has not ended, and it has said nothing in it"},
	} {
		if err := os.WriteFile(path, []byte(test.record), 0o600); err != nil {
			t.Fatal(err)
		}
		got := reply()
		if got.Text != test.text || got.Source != test.source || got.Prompt != test.prompt || got.Complete ||
			!strings.Contains(got.Why, test.why) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestTheContextUsedSaysWhereItComesFrom(t *testing.T) {
	f, p := claudes(t)
	uses, err := f.Conversations.ContextUsed(t.Context(), resolve.Target{Session: "api"})
	if err != nil || len(uses) != 2 {
		t.Fatalf("%+v, %v", uses, err)
	}
	use := uses[0]
	if use.Source != conversation.FromScreen || use.Percent != 91 || use.Tokens != 100000 || use.Estimated() {
		t.Errorf("shown: %+v", use)
	}
	if use := uses[1]; use.Source != "" || use.Percent != -1 || use.Evidence == "" {
		t.Errorf("unknown: %+v", use)
	}
	p.Screens["%1"] = p.Screens["%2"]
	uses, err = f.Conversations.ContextUsed(t.Context(), resolve.Target{Session: "api.1"})
	if err != nil {
		t.Fatal(err)
	}
	use = uses[0]
	if use.Source != conversation.FromEstimate || use.Window != 200000 || use.Percent != 50 || !use.Estimated() {
		t.Errorf("estimated: %+v", use)
	}
}

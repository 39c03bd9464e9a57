package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/verb/relays"
	"cupola/core/verb/runs"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	shown "cupola/tui/screen/relays"
)

// relaysListed has a relay in every state.
func relaysListed() []relay.Record {
	ago := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	return []relay.Record{
		{
			ID: "pending1", Backend: "ollama", State: relay.Pending, Started: ago(0), Dir: "/src",
			Sandbox: relay.ReadOnly, Prompt: "日本語の質問 \x1b[2J\n次の行", Result: relay.Result{Model: "llama3:70b"},
		},
		{
			ID: "running1", Backend: "codex", State: relay.Running, Started: ago(2), Dir: "/src",
			Sandbox: relay.ReadOnly, Label: "design",
			Prompt: "Look at the handler\nand say what is missing.\nBe short.\nNo code.",
		},
		{
			ID: "done1", Backend: "claude", State: relay.Done, Started: ago(30), Dir: "/src", Sandbox: relay.ReadOnly,
			Prompt: "is this migration safe?", Result: relay.Result{Model: "claude-opus-4"}, ElapsedMS: 42_300,
			CostUSD: 0.0214, CostSource: "agent", Ended: ago(29), Label: "a conversation with a long name",
		},
		{
			ID: "relayfail", Backend: "gemini", State: relay.Failed, Started: ago(200), Dir: "/src/日本",
			Sandbox: relay.WorkspaceWrite, Prompt: strings.Repeat("a long prompt ", 40), ElapsedMS: 2100,
			Ended: ago(199),
			Error: "the backend ended with status 41: no key", ErrorCode: core.AuthFailed,
		},
		{
			ID: "cancelled1", Backend: "codex", State: relay.Cancelled, Started: ago(3000), Dir: "/src", Prompt: "stop",
			ElapsedMS: 61_000, Error: "it was cancelled", ErrorCode: core.Cancelled,
		},
		{
			ID: "gone1", Backend: "codex", State: relay.Interrupted, Started: ago(20_000), Dir: "/src", Prompt: "hello",
			Error: "its process ended before the answer did", ErrorCode: core.Cancelled,
		},
	}
}

// relays opens the runs with the relays alone, selects one and delivers its answer.
func (s *harness) relays(id string) {
	s.t.Helper()
	s.openRun("r", id)
	answer[shown.Question](s, relayRead(id))
}

// relayRead is a relay as it is read.
func relayRead(id string) (read shown.Answer) {
	for _, record := range relaysListed() {
		if record.ID == id {
			read.Record = record
		}
	}
	switch id {
	case "running1":
		read.Text = "I have read it.\n\n1. No limit \x1b[31mof size\x1b[0m.\n\tsize int\n"
		read.Doing = "Read handler.go"
	case "done1":
		for i := range 60 {
			read.Text += fmt.Sprintf("%d. 日本語で: the migration is safe, as long as no row is written meanwhile.\n", i+1)
		}
	case "relayfail":
		read.Record.Hint = "Sign in with the program itself, then ask again."
	}
	return read
}

func TestARelayIsReadWhileItRunsAndIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.openRun("r", "pending1")
	first := wasAsked[shown.Question](s.recorder)
	s.openRun("r", "running1")
	second := wasAsked[shown.Question](s.recorder)
	if second.Question != (shown.Question{ID: "running1"}) || second.Known || second.N == first.N {
		t.Fatalf("got %+v", second)
	}
	records := relaysListed()
	s.model.Update(effect.Answered{Read: *first, Answer: shown.Answer{Record: records[0], Text: "too late"}, Now: noon})
	s.hides("too late")
	s.model.Update(effect.Answered{
		Read: *second, Answer: shown.Answer{Record: records[1], Text: "as far as it came"}, Now: noon,
	})
	s.shows("as far as it came")
	more := wasAsked[shown.Question](s.recorder)
	if more.Question != second.Question || !more.Known || more.N == second.N {
		t.Fatalf("got %+v", more)
	}
	ended := records[1]
	ended.State = relay.Done
	s.model.Update(effect.Answered{Read: *more, Answer: shown.Answer{Record: ended, Text: "all of it"}, Now: noon})
	s.shows("all of it")
	s.shows("Done.")
	s.press("esc")
	if got := open[shown.Question](s); got != nil {
		t.Errorf("read while the screen is closed: %+v", got)
	}
}

func TestAPanelShowsItsAnswersAndTheirRanks(t *testing.T) {
	s := newHarness(t, theme.None, 100, 24)
	s.openRun("r", "done1")
	s.press("enter")
	record := relaysListed()[2]
	record.Warnings = []string{"the ranking of gemini is left out: its ranking cannot be read"}
	record.Rounds = &relay.Rounds{
		Answers: []relay.Record{
			{Backend: "claude", State: relay.Done, Result: relay.Result{Text: "It is\nsafe."}},
			{Backend: "codex", State: relay.Failed, Error: "codex timed out"},
		},
		Ranking: &relay.Ranking{Standings: []relay.Standing{
			{Backend: "claude", Rank: 1, Tied: true, MeanRank: 1.5, Rankings: 2},
		}},
	}
	answer[shown.Question](s, shown.Answer{Record: record, Text: "All agree."})
	s.shows("All agree.")
	s.shows("the ranking of gemini is left out: its ranking cannot be read")
	s.shows("done  claude  rank 1 (tied), mean 1.50 of 2  It is safe.")
	s.shows("failed  codex  codex timed out")
}

func TestTheEndOfAnAnswerIsShownUntilTheUserScrolls(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.openRun("r", "running1")
	s.press("enter")
	read := func(lines int, state relay.State) {
		record := relaysListed()[1]
		record.State = state
		text := &strings.Builder{}
		for i := range lines {
			fmt.Fprintf(text, "line %d.\n", i+1)
		}
		answer[shown.Question](s, shown.Answer{Record: record, Text: text.String()})
	}
	read(100, relay.Running)
	s.shows("line 100.")
	read(200, relay.Running)
	s.shows("line 200.")
	s.press("home")
	read(300, relay.Running)
	s.shows("line 1.")
	s.hides("line 300.")
	s.press("esc", "enter")
	read(400, relay.Done)
	s.shows("line 400.")
}

func TestKeysOfRelaysAreAboutTheSelectedOne(t *testing.T) {
	for _, test := range []struct {
		name, id, keys string
		want           intent.Intent
		shows          string
	}{
		{
			"cancel", "running1", "x y", onIts(runs.CancelIn{OfRun: runs.OfRun{Run: "running1"}}, "running1"),
			"cancelling running1",
		},
		{"no cancel", "running1", "x n", nil, "running1"},
		{"ended", "done1", "x", nil, "it has ended"},
		{"copy", "running1", "y", intent.CopyText{
			Text: "I have read it.\n\n1. No limit \x1b[31mof size\x1b[0m.\n\tsize int\n",
		}, ""},
		{"session", "running1", "o", nil, "and say what is missing."},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newHarness(t, theme.None, 80, 24)
			s.relays(test.id)
			s.recorder.did = nil
			s.press(strings.Fields(test.keys)...)
			if diff := differ(test.want, s.recorder.exactly()); diff != "" {
				t.Error(diff)
			}
			s.shows(test.shows)
		})
	}
}

func TestASessionBeginsWithThePromptOfARelay(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.relays("running1")
	s.press("o")
	s.write("web2")
	s.press("ctrl+s")
	spawn, is := inputOf[sessions.SpawnIn](s.recorder.last())
	if want := relaysListed()[1].Prompt; !is || spawn.Prompt != want || spawn.Dir != "/src" ||
		len(spawn.Agents) != 1 || spawn.Agents[0] != "codex" || spawn.Session != "web2" {
		t.Errorf("got %+v", spawn)
	}
}

func TestARelayIsAskedAndSelected(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.openRun("r", "running1")
	s.recorder.last()
	s.press("n")
	if got := s.recorder.last(); got != (intent.Backends{}) {
		t.Fatalf("got %#v", got)
	}
	found := effect.BackendsFound{Names: []string{"claude", "ollama"}, Usual: "codex"}
	s.model.Update(found)
	s.shows("Backends: claude, ollama")
	s.write("what is this?\nand that?")
	s.press("tab")
	s.write("nonsense")
	s.press("ctrl+s")
	s.shows("A sandbox is one of")
	s.press("ctrl+u")
	s.press("tab")
	s.write("talk")
	s.press("ctrl+s")
	want := onIts(relays.RelayIn{
		To: []string{"claude"}, Prompt: "what is this?\nand that?", Label: "talk", Background: true,
	}, "claude")
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Fatal(diff)
	}
	s.model.Update(effect.Done{Intent: want, Err: errors.New("no such backend")})
	s.shows("┃ no such backend")
	s.shows("and that?")
	s.press("ctrl+s")
	s.recorder.last()
	s.press("k") // the user is on another screen by then
	s.model.Update(effect.Done{Intent: want, Err: errors.New("no such backend")})
	s.shows("no such backend (the form has it again)")
	s.press("n")
	s.model.Update(found)
	s.shows("and that?")
	s.press("ctrl+s")
	began := answerOf[relays.RelayOut](t, `{"results":[{"id":"done1"}],"background":true}`)
	s.model.Update(effect.Done{Intent: want, Said: "claude was asked: done1", Answer: began})
	if got := about[shown.Question](s).ID; got != "done1" {
		t.Errorf("%s is selected", got)
	}
	s.press("n")
	s.model.Update(found)
	s.hides("and that?")
}

func BenchmarkLongAnswer(b *testing.B) {
	s := newHarness(b, theme.None, 140, 40)
	s.openRun("r", "running1")
	s.press("enter")
	record := relaysListed()[1]
	text := strings.Repeat("one of many lines of an answer, which goes on for a while\n", 5000)
	for b.Loop() {
		text += "more\n"
		answer[shown.Question](s, shown.Answer{Record: record, Text: text})
	}
}

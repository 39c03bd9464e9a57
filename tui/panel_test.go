package tui

import (
	"fmt"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/core/verb/overview"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/explain"
	"cupola/tui/screen/history"
)

func TestAlertOpensItsSubject(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("!")
	s.shows("gmi_1 failed")
	s.press("enter")
	s.chose("$1", "%3")
	s.press("!", "end", "enter")
	s.chose("$2", "")
	s.press("!", "home", "j")
	gone := fixture()
	gone.Sessions = gone.Sessions[1:]
	s.show(gone)
	s.press("enter")
	s.shows("what it is about is gone")
	s.press("D")
	want := onIts(overview.DismissIn{Alert: "waiting_approval:api.2"}, "api.2")
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.show(fixture())
	s.press("esc")
	s.shows("1/4 working")
}

func TestSelectedAlertStaysSelected(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("!", "j")
	more := fixture()
	more.Alerts = append(more.Alerts,
		core.Alert{
			ID: "new", Severity: core.SeverityCritical, Subject: "engine", Message: "the server is gone",
			FirstSeen: noon,
		})
	s.show(more)
	s.press("D")
	want := onIts(overview.DismissIn{Alert: "waiting_approval:api.2"}, "api.2")
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestExplainOncePerPaneAndSnapshot(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "e")
	if got := wasAsked[explain.Question](s.recorder); got == nil || got.Question != (explain.Question{Pane: "%2"}) {
		t.Fatalf("got %#v", got)
	}
	answer[explain.Question](s, explained())
	s.show(fixture())
	if got := wasAsked[explain.Question](s.recorder); got != nil {
		t.Errorf("asked again: %#v", got)
	}
	later := fixture()
	later.Revision++
	s.show(later)
	if got := wasAsked[explain.Question](s.recorder); got == nil || got.Question != (explain.Question{Pane: "%2"}) {
		t.Errorf("got %#v", got)
	}
	answer[explain.Question](s, explained())
	s.shows("Would you like to run")
	s.press("w")
	if got := wasAsked[explain.Question](s.recorder); got == nil || got.Question != (explain.Question{Pane: "%3"}) {
		t.Errorf("got %#v", got)
	}
	s.press("esc")
	later.Revision++
	s.show(later)
	if got := wasAsked[explain.Question](s.recorder); got != nil {
		t.Errorf("asked while the screen is closed: %#v", got)
	}
}

func TestQuestionFormAnswers(t *testing.T) {
	base := agents.AnswerIn{Expect: string(core.ReasonApproval), Showing: "$ go test ./... \x1b[2J"}
	for keys, want := range map[string]agents.AnswerIn{
		"y": {Approve: true}, "n": {Deny: true}, "3": {Choose: 3}, "enter": {Choose: 1},
	} {
		s := newHarness(t, theme.None, 80, 24)
		s.press("w", "d")
		if got := s.recorder.last(); got != (intent.Question{Target: paneTwo}) {
			t.Fatalf("asked %#v", got)
		}
		s.model.Update(openQuestion("%2"))
		s.shows("› 1. Yes, proceed (y)")
		s.press("7")
		s.shows("There is no option 7.")
		s.press(keys)
		want.Expect, want.Showing = base.Expect, base.Showing
		if diff := differ(act(want, paneTwo), s.recorder.last()); diff != "" {
			t.Errorf("%s: %s", keys, diff)
		}
	}
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "d")
	s.model.Update(openQuestion("%2"))
	s.press("t")
	s.write("use pytest\n")
	want := base
	want.Text = "use pytest"
	if diff := differ(act(want, paneTwo), s.recorder.last()); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionMustBeReadBeforeApproval(t *testing.T) {
	long := openQuestion("%2")
	long.Asked = []string{"rm -rf /beginning \\"}
	for i := range 40 {
		long.Asked = append(long.Asked, fmt.Sprintf("line%02d \\", i))
	}
	long.Asked = append(long.Asked, "&& rm -rf /end")
	s := newHarness(t, theme.None, 80, 20)
	s.press("w", "d")
	s.recorder.last()
	s.model.Update(long)
	s.shows("rm -rf /beginning")
	s.shows("of 42; PgUp, PgDn")
	s.shows("1. Yes, proceed (y)")
	s.shows("3. No, and tell Codex")
	for _, key := range []string{"y", "1", "enter"} {
		s.press(key)
		s.shows("There is more of it: PgDn shows the rest.")
		s.shows("rm -rf /beginning")
		if got := s.recorder.last(); got != nil {
			t.Errorf("%s answered %#v", key, got)
		}
	}
	s.press("pgdown", "pgdown", "pgdown", "pgdown")
	s.shows("&& rm -rf /end")
	s.shows("3. No, and tell Codex")
	s.press("pgup", "y")
	if got, is := inputOf[agents.AnswerIn](s.recorder.last()); !is || !got.Approve {
		t.Errorf("got %#v", got)
	}
	s.press("d")
	s.recorder.last()
	s.model.Update(long)
	s.press("n")
	if got, is := inputOf[agents.AnswerIn](s.recorder.last()); !is || !got.Deny {
		t.Errorf("got %#v", got)
	}
}

func TestQuestionFormClosesWithItsDialog(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("d")
	s.shows("waits for nothing")
	s.press("w", "d", "k")
	s.model.Update(openQuestion("%2"))
	if s.model.form != nil {
		t.Error("a question of another pane opened")
	}
	s.press("j", "d")
	s.model.Update(openQuestion("%2"))
	s.shows("Yes, proceed")
	calm := fixture()
	calm.Pane("%2").Status = core.Status{State: core.Working}
	s.show(calm)
	s.shows("it waits no longer")
	if s.model.form != nil {
		t.Error("the question stays")
	}
}

func TestHistoryListsAndSendsAgain(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("H")
	to := intent.Target{Session: "api", Pane: "%1", Address: "api.1"}
	first := wasAsked[history.Question](s.recorder)
	if first == nil || about[history.Question](s).About.Address != to.Address {
		t.Fatalf("asked %#v", first)
	}
	s.shows("looking")
	first.N--
	s.model.Update(effect.Answered{Read: *first, Answer: recalled()})
	s.shows("looking")
	answer[history.Question](s, recalled())
	s.shows("run the tests")
	s.press("j", "enter")
	s.shows("api.2 refused: a dialog is open")
	s.press("esc")
	s.shows("4 prompts")
	s.press("r")
	s.shows("Send to api.1")
	s.press("ctrl+s")
	did := s.recorder.last()
	got, sent := inputOf[agents.SendIn](did)
	if !sent || did.(intent.Act).At[0] != to || !strings.HasPrefix(got.Msg, "rename the handler\nand ") {
		t.Errorf("got %#v", got)
	}
}

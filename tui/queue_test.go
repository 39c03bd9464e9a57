package tui

import (
	"reflect"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/verb/agents"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/screen/queue"
)

// queue opens the list of the prompts that wait for the second agent.
func (s *harness) queue() {
	s.t.Helper()
	s.press("w", "Q")
	pane := s.model.choice.Shown(s.model.world.Snapshot)
	minutes := func(n int) time.Time { return noon.Add(-time.Duration(n) * time.Minute) }
	answer[queue.Question](s, agents.QueueOut{Queue: []agents.QueueRow{
		{QueuedPrompt: core.QueuedPrompt{
			ID: "q1", PaneRef: pane.Ref(), Position: 1, At: minutes(9), Text: "run the tests and fix what fails",
			Outcome: core.Unconfirmed, Evidence: []string{"the text was not seen to leave the composer"},
		}},
		{QueuedPrompt: core.QueuedPrompt{
			ID: "q2", PaneRef: pane.Ref(), Position: 2, At: minutes(3),
			Text: "then write the changelog:\n- what is new\n- 日本語",
		}},
		{QueuedPrompt: core.QueuedPrompt{
			ID: "q3", PaneRef: pane.Ref(), Position: 3, At: minutes(1), Text: "commit \x1b[31mit",
		}},
	}})
}

// changes shows the snapshot with the selected agent changed.
func (s *harness) changes(change func(*core.Agent)) {
	s.t.Helper()
	snapshot := fixture()
	change(&snapshot.Pane(s.model.choice.Shown(s.model.world.Snapshot).ID).Agent)
	s.show(snapshot)
}

func TestQueuedPromptsAreListedAndActedOn(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.queue()
	at := s.model.choice.Shown(s.model.world.Snapshot)
	s.shows("Queue of " + at.Address())
	s.shows("it may have arrived")
	s.shows("3 prompts")
	s.press("K")
	s.shows("it is the next one already")
	for _, step := range []struct {
		keys []string
		want agents.QueueIn
	}{
		{[]string{"J"}, agents.QueueIn{Move: "q1", At: 2}},
		{[]string{"j", "K"}, agents.QueueIn{Move: "q2", At: 1}},
		{[]string{"x"}, agents.QueueIn{Drop: "q2"}},
	} {
		s.press(step.keys...)
		act, is := s.recorder.last().(intent.Act)
		if !is || !reflect.DeepEqual(act.Input, step.want) || len(act.At) != 1 || act.At[0].Pane != at.ID {
			t.Errorf("%q: %+v", step.keys, act)
		}
	}
	s.press("j", "J")
	s.shows("it is the last one already")
	s.press("enter", "home")
	s.write("please ")
	s.press("ctrl+s")
	act, _ := s.recorder.last().(intent.Act)
	if in, is := act.Input.(agents.QueueIn); !is || in.Edit != "q3" || in.Msg == "" {
		t.Errorf("%+v", act)
	}
	s.press("n")
	s.write("one more")
	s.press("ctrl+s")
	act, _ = s.recorder.last().(intent.Act)
	if in, is := act.Input.(agents.QueueIn); !is || in.Msg != "one more" || len(act.At) != 1 {
		t.Errorf("%+v", act)
	}
}

func TestARowSaysHowManyPromptsWait(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("w")
	s.changes(func(a *core.Agent) { a.Queued = 2 })
	s.shows("[2 queued]")
}

// ruled gives the selected agent two rules, and opens their list.
func (s *harness) ruled() {
	s.t.Helper()
	s.press("w")
	s.changes(func(a *core.Agent) {
		a.Rules = []core.Rule{
			{
				ID: "r1", Allow: "go test *", Until: noon.Add(40 * time.Minute), Most: 20, Uses: 3,
				UsedAt: noon.Add(-2 * time.Minute), Ran: "go test ./core",
			},
			{ID: "r2", Allow: "git status", Until: noon.Add(15 * time.Minute), Most: 5},
		}
	})
	s.press("p")
}

func TestRulesAreListedMadeAndEnded(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.ruled()
	s.shows("3 of 20, until")
	s.shows("go test ./core")
	s.press("j", "x")
	act, _ := s.recorder.last().(intent.Act)
	if in, is := act.Input.(agents.AnswerIn); !is || in.Revoke != "r2" || len(act.At) != 1 {
		t.Errorf("%+v", act)
	}
	s.press("n")
	s.write("go vet ./...; rm -rf /\n")
	s.shows("must not hold")
	s.press("ctrl+u")
	s.write("go vet ./...")
	s.press("tab", "right", "tab", "right", "ctrl+s")
	act, _ = s.recorder.last().(intent.Act)
	in, is := act.Input.(agents.AnswerIn)
	if !is || in.Allow != "go vet ./..." || in.For != 15*time.Minute || in.Times != 1 {
		t.Errorf("%+v", act)
	}
}

func TestAnOpenDialogOffersTheRulesForItsCommand(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "d")
	asked := openQuestion("%2")
	asked.Runs = "go test ./core -run X"
	s.model.Update(asked)
	s.recorder.last()
	s.press("p")
	s.shows("go test ./core -run X")
	s.press("right", "ctrl+s")
	act, _ := s.recorder.last().(intent.Act)
	if in, is := act.Input.(agents.AnswerIn); !is || in.Allow != "go test ./core -run *" || in.Times != 20 {
		t.Errorf("%+v", act)
	}
}

func TestACommandThatNoRuleApprovesIsSaid(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.press("w", "d")
	asked := openQuestion("%2")
	asked.Runs = "make; rm -rf x"
	s.model.Update(asked)
	s.press("p")
	s.shows("more than a rule may approve")
}

package tui

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/verb/crews"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	shown "cupola/tui/screen/crews"
)

// crewsListed has a crew in every state.
func crewsListed() []crew.Crew {
	members := func(names ...string) []crew.Member {
		all := make([]crew.Member, len(names))
		for i, name := range names {
			all[i] = crew.Member{Name: name, Backend: "codex", Status: crew.Idle, Turns: 2, Messages: 3, CostUSD: 0.03}
		}
		return all
	}
	ago := func(s int) time.Time { return noon.Add(-time.Duration(s) * time.Second) }
	limits := crew.DefaultLimits()
	listed := []crew.Crew{
		{
			ID: "running", State: crew.Running, Turn: 3, Limits: limits, Started: ago(20), Dir: "/src",
			Sandbox: "read-only", Stage: crew.Headless, Prompt: "Review auth and the tests",
			Members: members("ada.reviewer", "bo.critic", "cleo.judge"),
		},
		{
			ID: "crewpaus", State: crew.Paused, Turn: 1, Limits: limits, Started: ago(100), Dir: "/src",
			Stage: crew.Panes, Session: "api", Prompt: "日本語の質問 \x1b[2J\n次の行", Members: members("ada.one", "bo.two"),
		},
		{
			ID: "crewdone", State: crew.Completed, Reason: crew.Converged, Turn: 2, Limits: limits, Started: ago(300),
			ElapsedMS: 42_000, Dir: "/src", Prompt: "is this migration safe?", Members: members("ada.reviewer",
				"bo.critic"),
		},
		{
			ID: "crewfail", State: crew.Failed, Reason: crew.AllDead, Limits: limits, Started: ago(4000),
			Dir:    "/src/日本",
			Prompt: strings.Repeat("a long task ", 40), Error: "ada.one: 429", Members: members("ada.one"),
		},
		{ID: "stopped", State: crew.Stopped, Reason: crew.StoppedBy, Limits: limits, Members: members("a.b")},
		{ID: "crewgone", State: crew.Interrupted, Limits: limits, Members: members("a.b")},
	}
	for i := range listed {
		if listed[i].State.Ended() && !listed[i].Started.IsZero() {
			listed[i].Ended = listed[i].Started.Add(time.Minute)
		}
	}
	listed[0].Members[0].Status = crew.Active
	listed[3].Members[0].Status, listed[3].Members[0].Error = crew.Dead, "429 too many requests"
	return listed
}

// said are the events of a crew.
func said() []crew.Event {
	all := []crew.Event{
		{Type: crew.Task, From: crew.User, To: crew.All, Text: "Review auth and the tests"},
		{Type: crew.Start, Text: "ada.reviewer (codex), bo.critic (codex), cleo.judge (codex)"},
		{Type: crew.StatusChanged, From: "ada.reviewer", Status: crew.Active},
		{Type: crew.Message, From: "ada.reviewer", To: "bo.critic", Text: "Is the lock held in store.go?\n\tline two"},
		{Type: crew.Note, From: "ada.reviewer", Text: "I read the two files."},
		{Type: crew.Message, From: "cleo.judge", To: crew.All, Text: "I wait for both of you. 日本語"},
		{Type: crew.TurnComplete, Pending: 2},
		{Type: crew.Guardrail, Turn: 1, Reason: crew.MessageSize, Text: "a message of 60000 bytes was cut to 50000"},
		{Type: crew.Failure, Turn: 1, From: "cleo.judge", Text: "429 too many requests"},
		{Type: crew.Message, Turn: 1, From: "bo.critic", To: "ada.reviewer", Text: "It is, since line 40."},
		{Type: crew.Message, Turn: 2, From: "ada.reviewer", To: crew.User, Text: "It is \x1b[31msafe."},
		{Type: crew.Pause, Turn: 2},
		{Type: crew.Resume, Turn: 2},
		{Type: crew.End, Turn: 2, Reason: crew.Converged},
	}
	for i := range all {
		all[i].Seq, all[i].At = int64(i+1), noon.Add(time.Duration(i-len(all))*time.Second)
	}
	return all
}

// crews opens the runs with the crews alone, selects one and delivers what was said in it.
func (s *harness) crews(id string) {
	s.t.Helper()
	s.openRun("c", id)
	answer[shown.Question](s, s.talk(id))
	s.recorder.last()
}

// talk is a crew as it is read.
func (s *harness) talk(id string) shown.Talk {
	read := shown.Talk{Events: said()}
	listed := crewsListed()
	for i := range listed {
		if listed[i].ID == id {
			read.Crew = listed[i]
		}
	}
	if read.Crew.State == crew.Running {
		read.Events = read.Events[:10]
		read.Saying = []screen.Saying{
			{Agent: "ada.reviewer", Text: "The lock is\nheld"},
			{Agent: "bo.critic", Doing: "Read store.go"},
			{Agent: "cleo.judge"},
		}
	}
	return read
}

func TestACrewIsReadWhileItWorksAndIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.crews("running")
	first := wasAsked[shown.Question](s.recorder)
	if !first.Known {
		t.Errorf("it is not read again: %+v", first)
	}
	first.N--
	s.model.Update(effect.Answered{Read: *first, Answer: shown.Talk{Crew: s.talk("running").Crew}, Now: noon})
	if !strings.Contains(s.model.View(), "Read store.go") {
		t.Error("a late answer replaced a newer one")
	}
	ended := s.talk("running")
	ended.Crew.State = crew.Completed
	before := open[shown.Question](s).n
	answer[shown.Question](s, ended)
	if open[shown.Question](s).n == before {
		t.Error("one that ended, though the list says that it works, is not read again")
	}
	s.press("esc")
	if open[shown.Question](s) != nil {
		t.Error("it is read though it is not shown")
	}
}

func TestWhatKeysMeanInACrew(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.crews("running")
	s.press("y")
	if got := s.recorder.last(); got != (intent.CopyText{}) {
		t.Errorf("got %v", got)
	}
	running := crews.OfCrew{Crew: "running"}
	s.press("s")
	s.write("@bo.critic: hello")
	s.press("ctrl+s")
	said := onIts(crews.CrewSayIn{OfCrew: running, Text: "@bo.critic: hello"}, "running")
	if diff := differ(said, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.press("n")
	s.write("review\t\t")
	s.press("ctrl+s")
	started := onIts(crews.CrewRunIn{Recipe: "review", Background: true}, "review")
	if diff := differ(started, s.recorder.last()); diff != "" {
		t.Error(diff)
	}
	s.press("j")
	s.model.Update(effect.Done{Intent: started, Err: core.Errorf(core.NotFound, "no recipe")})
	s.press("n")
	if !strings.Contains(s.model.View(), "review") {
		t.Error("what was not started is forgotten")
	}
}

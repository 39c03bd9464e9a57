package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/verb/crews"
	"cupola/theme"
	"cupola/tui/effect"
	shown "cupola/tui/screen/crews"
	"cupola/tui/screen/runs"
)

// reread reports whether the crew on the display is asked for again, and answers with one in a state.
func (s *harness) reread(before int, change func(*shown.Talk)) bool {
	s.t.Helper()
	if open[shown.Question](s).n == before {
		return false
	}
	read := s.talk(about[shown.Question](s).ID)
	change(&read)
	answer[shown.Question](s, read)
	return true
}

func TestACrewThatEndedIsReadAgainOnceTheListDiffers(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.crews("crewgone")
	asked := open[shown.Question](s).n
	answer[runs.ListQuestion](s, runsListed())
	if open[shown.Question](s).n != asked {
		t.Error("it is read again though it is the same")
	}
	listed := runsListed()
	at := slices.IndexFunc(listed.Runs, func(h run.Head) bool { return h.ID == "crewgone" && h.Kind == run.Crew })
	listed.Runs[at].State = run.Failed
	answer[runs.ListQuestion](s, listed)
	if !s.reread(asked, func(read *shown.Talk) { read.Crew.State, read.Crew.Reason = crew.Failed, crew.AllDead }) {
		t.Fatal("it is not read though the list says that it failed")
	}
	s.shows("It failed: all_dead")
	asked = open[shown.Question](s).n
	answer[runs.ListQuestion](s, listed)
	if open[shown.Question](s).n != asked {
		t.Error("it is read again and again")
	}
}

func TestWhatIsSaidToACrewThatEndedIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 40)
	s.crews("crewdone")
	s.press("enter")
	asked := open[shown.Question](s).n
	s.model.Update(effect.Done{Intent: onIts(crews.CrewSayIn{Text: "and now?"}, "crewdone"), Said: "it is heard"})
	if !s.reread(asked, func(read *shown.Talk) {
		read.Events = append(read.Events, crew.Event{
			Seq: 99, Type: crew.Message, From: crew.User, To: crew.All, Text: "and now?", At: noon,
		})
	}) {
		t.Fatal("it is not read again")
	}
	s.press("end")
	s.shows("and now?")
}

func TestTheKeyOfAPaneGoesToThatOfTheAgentThatIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.crews("running")
	s.press("o")
	s.shows("it has no pane")
	s.press("c")
	s.crews("crewpaus")
	read := s.talk("crewpaus")
	read.Crew.Members[0].Session, read.Crew.Members[1].Session = "api.1", "api.3"
	answer[shown.Question](s, read)
	s.press("a", "a", "o")
	if pane := s.model.choice.Shown(s.model.world.Snapshot); pane == nil || pane.Address() != "api.3" {
		t.Errorf("%+v is selected", pane)
	}
	if _, open := s.model.onTop().(*runs.Screen); open {
		t.Error("the crews are still open")
	}
}

func TestAPaneThatIsGoneLeadsToItsSession(t *testing.T) {
	s := bare(t, theme.None, 100, 30)
	dotted := fixture()
	dotted.Sessions[2].Name = "web.v2"
	s.show(dotted)
	s.crews("crewpaus")
	read := s.talk("crewpaus")
	read.Crew.Members[0].Session = "web.v2.9"
	answer[shown.Question](s, read)
	s.press("o")
	session, _ := s.model.choice.Chosen(s.model.world.Snapshot)
	if session == nil || session.Name != "web.v2" {
		t.Errorf("%+v is selected", session)
	}
}

func TestNoPaneIsFoundBeforeThereIsASnapshot(t *testing.T) {
	s := bare(t, theme.None, 100, 30)
	s.crews("crewpaus")
	s.press("o")
	s.shows("what it is about is gone")
}

func TestWhatOneAgentWasToldIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 120, 60)
	s.crews("crewdone")
	s.press("enter", "a")
	for _, text := range []string{
		"ada.reviewer → bo.critic", "cleo.judge → all", "bo.critic → ada.reviewer", "I read the two files.",
	} {
		s.shows(text)
	}
	s.press("a")
	s.shows("only bo.critic")
	s.hides("I read the two files.")
	s.hides("ada.reviewer → user")
	s.press("a")
	s.shows("only ada.reviewer and bo.critic")
	s.shows("It is, since line 40.")
	s.hides("turn 0 is complete")
	s.hides("ada.reviewer → user")
	s.press("a")
	s.shows("turn 0 is complete")
}

func TestAPairStaysTheOneThatIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 120, 60)
	s.crews("running")
	read := s.talk("running")
	read.Events = append(read.Events, crew.Event{
		Seq: 50, Type: crew.Message, From: "bo.critic", To: "cleo.judge", Text: "what do you say?", At: noon,
	})
	read.Events = slices.DeleteFunc(read.Events, func(e crew.Event) bool { return e.To == crew.All })
	answer[shown.Question](s, read)
	s.press("enter", "a", "a", "a", "a", "a")
	s.shows("only bo.critic and cleo.judge")
	more := s.talk("running")
	more.Events = append(slices.Clone(read.Events), crew.Event{
		Seq: 51, Type: crew.Message, From: "ada.reviewer", To: "cleo.judge", Text: "a pair before it", At: noon,
	})
	answer[shown.Question](s, more)
	s.shows("only bo.critic and cleo.judge")
	s.hides("a pair before it")
}

func TestAPauseIsNoTimeOfACrew(t *testing.T) {
	s := newHarness(t, theme.None, 120, 30)
	s.crews("running")
	ago := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	for _, test := range []struct {
		events []crew.Event
		want   string
	}{
		{[]crew.Event{{Type: crew.Start, At: ago(3)}}, "4m"},
		{[]crew.Event{{Type: crew.Start, At: ago(90)}, {Type: crew.Start, At: ago(3)}}, "4m"},
		{[]crew.Event{
			{Type: crew.Start, At: ago(30)}, {Type: crew.Pause, At: ago(28)}, {Type: crew.Resume, At: ago(5)},
		}, "8m"},
		{[]crew.Event{{Type: crew.Start, At: ago(30)}, {Type: crew.Pause, At: ago(28)}}, "3m"},
	} {
		read := s.talk("running")
		read.Crew.ElapsedMS = time.Minute.Milliseconds()
		read.Events = test.events
		answer[shown.Question](s, read)
		s.shows("  " + test.want + "  read-only")
	}
}

func TestOfALongTextTheBeginningIsShown(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.crews("crewdone")
	read := s.talk("crewdone")
	read.Events = []crew.Event{{
		Seq: 1, Type: crew.Message, From: "ada.reviewer", To: crew.User, Text: strings.Repeat("é", 500_000), At: noon,
	}}
	answer[shown.Question](s, read)
	s.press("j")
	s.press("k")
	answer[shown.Question](s, read)
	answer[shown.Question](s, read)
	s.press("enter", "end")
	s.shows("(and 980000 bytes more, on record)")
}

func TestAnAlertLeadsToItsCrew(t *testing.T) {
	s := bare(t, theme.None, 100, 30)
	alarmed := fixture()
	alarmed.Alerts = []core.Alert{{
		ID: "crew_failed:crew/crewfail", Type: core.AlertCrew, Severity: core.SeverityError, Subject: "crew/crewfail",
		Message: "the crew crewfail failed", FirstSeen: noon, LastSeen: noon, Count: 1,
	}}
	s.show(alarmed)
	answer[runs.ListQuestion](s, runsListed())
	s.press("!", "enter")
	if got := about[shown.Question](s).ID; got != "crewfail" {
		t.Errorf("%q is selected", got)
	}
	s.press("esc")
	s.shows("Alerts")
}

func BenchmarkLongTalk(b *testing.B) {
	s := newHarness(b, theme.None, 140, 40)
	s.crews("running")
	s.press("enter")
	read := s.talk("running")
	names := read.Crew.Names()
	for i := range 5000 {
		read.Events = append(read.Events, crew.Event{
			Seq: int64(100 + i), Type: crew.Message, From: names[i%3], To: names[(i+1)%3], At: noon,
			Text: "one of many messages, which goes on for a while",
		})
	}
	for b.Loop() {
		answer[shown.Question](s, read)
	}
}

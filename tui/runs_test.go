package tui

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/pipeline"
	verbs "cupola/core/verb/runs"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen/crews"
	"cupola/tui/screen/pipelines"
	"cupola/tui/screen/relays"
	"cupola/tui/screen/runs"
	"cupola/tui/screen/stories"
)

// runsListed has runs of all kinds in all their states.
func runsListed() runs.List {
	var all []run.Head
	for _, one := range relaysListed() {
		all = append(all, one.Head())
	}
	for _, one := range crewsListed() {
		all = append(all, one.Head())
	}
	for _, one := range storyRuns() {
		all = append(all, one.Head())
	}
	for _, one := range pipelinesListed() {
		all = append(all, one.Head())
	}
	return runs.List{Runs: all, Total: len(all)}
}

// pipelinesListed has runs of pipelines in their states.
func pipelinesListed() []pipeline.Run {
	at := func(minutes int) time.Time { return noon.Add(-time.Duration(minutes) * time.Minute) }
	made := func(id string, state pipeline.State, steps ...pipeline.State) pipeline.Run {
		r := pipeline.Run{
			ID: id, Name: "release", File: "/src/release.toml", Session: "api", Dir: "/src", State: state,
			Started: at(50),
		}
		for i, step := range steps {
			s := pipeline.StepRun{
				Name: []string{"build", "test-日本", "ask", "ship"}[i], Verb: []string{"run", "run", "send", "wait"}[i],
				State: step, Attempts: 1 + i%2, Started: at(50 - 10*i), Ended: at(45 - 10*i),
			}
			switch step {
			case pipeline.Running:
				s.Ended = time.Time{}
			case pipeline.Failed:
				s.Error = "pane api.1 did not take the prompt \x1b[2J: a dialog is open"
			case pipeline.Skipped:
				s.Why = "its condition is false"
			case pipeline.Interrupted:
				s.Why = "it was cut off"
			case pipeline.Pending:
				s.Started, s.Ended, s.Attempts = time.Time{}, time.Time{}, 0
			}
			r.Steps = append(r.Steps, s)
		}
		if state.Ended() {
			r.Ended = at(5)
		}
		return r
	}
	return []pipeline.Run{
		made("release-1", pipeline.Running, pipeline.Succeeded, pipeline.Succeeded, pipeline.Running, pipeline.Pending),
		made("release-2", pipeline.Succeeded, pipeline.Succeeded, pipeline.Skipped, pipeline.Succeeded),
		made("release-3", pipeline.Failed, pipeline.Succeeded, pipeline.Failed, pipeline.Skipped),
		made("release-4", pipeline.Interrupted, pipeline.Succeeded, pipeline.Interrupted, pipeline.Pending),
		made("release-5", pipeline.Cancelled, pipeline.Succeeded, pipeline.Interrupted, pipeline.Pending),
	}
}

// selectedRun is the id of the run that is asked for; empty if none is.
func (s *harness) selectedRun() string {
	for _, id := range []string{
		about[relays.Question](s).ID, about[crews.Question](s).ID, about[stories.RunQuestion](s).ID,
		about[pipelines.Question](s).ID,
	} {
		if id != "" {
			return id
		}
	}
	return ""
}

// openRun opens the runs by a key and selects one.
func (s *harness) openRun(key, id string) {
	s.t.Helper()
	s.press(key)
	answer[runs.ListQuestion](s, runsListed())
	for range runsListed().Runs {
		if s.selectedRun() == id {
			return
		}
		s.press("j")
	}
	s.t.Fatalf("no run %s:\n%s", id, s.model.View())
}

// readRun delivers the selected run.
func (s *harness) readRun() {
	switch id := s.selectedRun(); {
	case about[relays.Question](s).ID != "":
		answer[relays.Question](s, relayRead(id))
	case about[crews.Question](s).ID != "":
		answer[crews.Question](s, s.talk(id))
	case about[stories.RunQuestion](s).ID != "":
		answer[stories.RunQuestion](s, s.run())
	case about[pipelines.Question](s).ID != "":
		for _, one := range pipelinesListed() {
			if one.ID == id {
				answer[pipelines.Question](s, one)
			}
		}
	}
}

// runs opens the runs of all kinds, selects one and delivers it.
func (s *harness) runs(id string) {
	s.t.Helper()
	s.openRun("8", id)
	s.readRun()
	s.recorder.last()
}

func TestEveryRunHasItsDetailAndKeys(t *testing.T) {
	seen := map[run.Kind]map[run.State]bool{}
	for _, listed := range runsListed().Runs {
		s := newHarness(t, theme.None, 100, 40)
		s.openRun("8", listed.ID)
		s.shows("reading")
		s.readRun()
		s.hides("reading")
		s.exact()
		if seen[listed.Kind] == nil {
			seen[listed.Kind] = map[run.State]bool{}
		}
		seen[listed.Kind][listed.State] = true
		if listed.State != run.Running {
			s.shows(map[run.State]string{
				run.Pending: "It has not started.", run.Paused: "It is paused.", run.NeedsYou: "It needs you: ",
				run.Done: "Done", run.Failed: "It failed: ", run.Cancelled: "It was cancelled.",
				run.Interrupted: "It was interrupted",
			}[listed.State])
		}
		for _, name := range s.model.top().Scope().Footer {
			if b := s.model.top().Scope().Find(name); b == nil || b.Label == "" {
				t.Errorf("%s %s: %q has no label", listed.Kind, listed.State, name)
			}
		}
		s.press("enter")
		s.exact()
		s.hides("reading")
		s.press("esc", "esc")
		s.shows("cc_1")
	}
	for _, kind := range run.Kinds() {
		if of := seen[kind]; !of[run.Running] || !of[run.Done] || !of[run.Failed] && !of[run.NeedsYou] {
			t.Errorf("of %s these were tried: %v", kind, of)
		}
	}
}

func TestRunsAreControlledByOneSetOfKeys(t *testing.T) {
	for _, listed := range runsListed().Runs {
		of := verbs.OfRun{Run: listed.ID}
		var pause, cancel, del any
		switch listed.State {
		case run.Pending, run.Running:
			pause, cancel = verbs.PauseIn{OfRun: of}, verbs.CancelIn{OfRun: of}
		case run.Paused:
			pause, cancel = verbs.ResumeIn{OfRun: of}, verbs.CancelIn{OfRun: of}
		default:
			pause, del = verbs.ResumeIn{OfRun: of}, verbs.DeleteIn{Runs: []string{listed.ID}, Consent: agreed}
		}
		for _, test := range []struct {
			keys []string
			want any
		}{{[]string{"p"}, pause}, {[]string{"x", "y"}, cancel}, {[]string{"D", "Y"}, del}} {
			s := newHarness(t, theme.None, 100, 40)
			s.runs(listed.ID)
			if test.want == nil {
				s.press(test.keys[0])
				if got := s.recorder.last(); got != nil {
					t.Errorf("%s %s %v: %v", listed.Kind, listed.State, test.keys, got)
				}
				continue
			}
			s.press(test.keys...)
			if diff := differ(onIts(test.want, listed.ID), s.recorder.last()); diff != "" {
				t.Errorf("%s %s %v: %s", listed.Kind, listed.State, test.keys, diff)
			}
		}
	}
}

func TestWhatFailedAndWhatNeedsTheUserComesFirst(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("8")
	answer[runs.ListQuestion](s, runs.List{Total: 5, Runs: []run.Head{
		{ID: "new", Kind: run.Relay, Name: "new", State: run.Done, Started: noon, Ended: noon},
		{ID: "works", Kind: run.Crew, Name: "works", State: run.Running, Started: noon.Add(-time.Hour)},
		{
			ID: "needs", Kind: run.Story, Name: "needs", State: run.NeedsYou, Needs: "more time",
			Started: noon.Add(-2 * time.Hour), Ended: noon.Add(-time.Hour),
		},
		{
			ID: "failed", Kind: run.Pipeline, Name: "failed", State: run.Failed, Error: "no tool",
			Started: noon.Add(-3 * time.Hour), Ended: noon.Add(-2 * time.Hour),
		},
		{
			ID: "old", Kind: run.Relay, Name: "old", State: run.Failed, Error: "no key",
			Started: noon.Add(-30 * time.Hour), Ended: noon.Add(-29 * time.Hour),
		},
	}})
	last := 0
	for _, text := range []string{"more time", "no tool", "works", "new", "no key"} {
		row := s.row(text)
		if row <= last {
			t.Errorf("%q is in line %d, after %d:\n%s", text, row, last, s.model.View())
		}
		last = row
	}
	s.shows("2 need you, 1 running, 5 in all")
}

func TestRunsAreFilteredByKindProjectAndText(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.runs("done1")
	for _, kind := range run.Kinds() {
		s.press("]")
		s.shows("] " + string(kind))
		s.readRun()
		for _, other := range run.Kinds() {
			if at := s.row("  " + string(other) + "  "); other != kind && at >= 0 {
				t.Errorf("of %ss a %s is shown", kind, other)
			}
		}
	}
	s.press("]")
	s.shows("all kinds")
	s.press("[", "[")
	s.shows("] story")
	s.press("]", "]", "P")
	s.shows("P /src")
	s.press("P")
	s.shows("P /src/日本")
	s.press("P")
	s.shows("all projects")
	s.press("/")
	s.write("MIGRATION\n")
	s.shows("2 of ")
	s.press("esc")
	s.shows("in all")
}

func TestTheNamesOfTheScreensOfOneKindOpenTheRuns(t *testing.T) {
	for name, kind := range map[intent.Screen]run.Kind{
		"runs": "all kinds", "relays": run.Relay, "crews": run.Crew, "stories": run.Story,
	} {
		s := newHarness(t, theme.None, 100, 30)
		s.model.dispatch(intent.Open{Screen: name})
		answer[runs.ListQuestion](s, runsListed())
		s.resize(101, 30)
		s.shows("] " + string(kind))
	}
}

func TestRunsThatAreNotListedAreReadForAFilter(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.press("8")
	all := runsListed()
	all.Total = 5000
	answer[runs.ListQuestion](s, all)
	if open[runs.SomeQuestion](s) != nil {
		t.Error("some are asked for without a filter")
	}
	s.press("]")
	if asked := about[runs.SomeQuestion](s); asked.Kind != run.Relay {
		t.Fatalf("asked %+v", asked)
	}
	old := run.Head{ID: "old", Kind: run.Relay, Name: "very-old", State: run.Done, Started: noon.AddDate(0, -2, 0)}
	answer[runs.SomeQuestion](s, runs.List{Runs: []run.Head{old}, Total: 1})
	s.shows("very-old")
	n := open[runs.SomeQuestion](s).n
	answer[runs.ListQuestion](s, all)
	if open[runs.SomeQuestion](s).n == n {
		t.Error("they are not asked for again once the list is another")
	}
}

func TestARunIsStartedByItsKind(t *testing.T) {
	for i, test := range []struct {
		want  intent.Intent
		shows string
	}{
		{intent.Backends{}, ""}, {nil, "New crew"}, {nil, "To do"}, {nil, "pipeline-run"},
	} {
		s := newHarness(t, theme.None, 100, 30)
		s.runs("done1")
		s.press("n")
		s.shows("New run")
		s.press(slices.Repeat([]string{"right"}, i)...)
		s.press("enter")
		if diff := differ(test.want, s.recorder.last()); diff != "" {
			t.Error(diff)
		}
		s.shows(test.shows)
		s = newHarness(t, theme.None, 100, 30)
		s.runs("done1")
		s.press(slices.Repeat([]string{"]"}, i+1)...)
		s.press("n")
		s.hides("New run")
		s.shows(test.shows)
	}
}

func TestARunThatEndsShowsWhatItCameToAndWhatIsNext(t *testing.T) {
	for id, texts := range map[string][]string{
		"done123":   {"Done: 5 of 5 stories.", "M merge   d diff   K keep   S squash"},
		"failed1":   {"It needs you: a look at the story that failed, or more tries.", "p resume   d diff   M merge"},
		"release-3": {"It failed: test-日本", "p resume   y copy   o open"},
		"release-4": {"It needs you: whether the step test-日本 was done.", "--interrupted done", "--interrupted repeat"},
	} {
		s := newHarness(t, theme.None, 100, 40)
		key := "t"
		if id[0] == 'r' {
			key = "8"
		}
		s.openRun(key, id)
		s.readRun()
		for _, text := range texts {
			s.shows(text)
		}
	}
}

func TestTheListOfRunsIsWatched(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	answer[runs.ListQuestion](s, runsListed())
	s.shows("run")
	if got := wasAsked[runs.ListQuestion](s.recorder); got == nil || !got.Known {
		t.Errorf("got %#v", got)
	}
	if id := s.selectedRun(); id != "" {
		t.Fatalf("%s is read before the screen is open", id)
	}
	fail[runs.ListQuestion](s, errors.New("the disk is gone"))
	s.press("8")
	s.shows("the disk is gone")
	answer[runs.ListQuestion](s, runs.List{})
	s.shows("Nothing was run yet.")
	s.press("p")
	s.shows("there is no run")
}

func TestRunsNeedNoSession(t *testing.T) {
	s := bare(t, theme.None, 80, 24)
	s.show(&core.Snapshot{Taken: noon})
	s.press("r")
	answer[runs.ListQuestion](s, runsListed())
	s.shows("a conversation wi…")
	s.press("esc")
	s.shows("No agents yet.")
}

func TestASelectedRunStaysSelected(t *testing.T) {
	s := newHarness(t, theme.None, 80, 24)
	s.runs("done1")
	more := runsListed()
	more.Runs = append([]run.Head{{ID: "new1", Kind: run.Relay, State: run.Running, Started: noon}}, more.Runs...)
	answer[runs.ListQuestion](s, more)
	if got := s.selectedRun(); got != "done1" {
		t.Errorf("%s is selected", got)
	}
}

func TestARunThatIsRefusedSaysWhy(t *testing.T) {
	s := newHarness(t, theme.None, 100, 30)
	s.runs("done1")
	for keys, says := range map[string]string{
		"m": "that is for a crew; this is a relay", "L": "that is for a story; this is a relay",
		"x": "it has ended; x cancels one that runs",
	} {
		s.press(keys)
		s.shows(says)
	}
	act := onIts(verbs.PauseIn{OfRun: verbs.OfRun{Run: "running1"}}, "running1")
	s.model.Update(effect.Done{Intent: act, Err: core.Errorf(core.Conflict, "a relay cannot be paused")})
	s.shows("a relay cannot be paused")
	s.runs("running1")
	s.press("D")
	s.shows("it has not ended")
}

func BenchmarkManyRuns(b *testing.B) {
	s := newHarness(b, theme.None, 140, 40)
	s.press("8")
	list := runs.List{Total: 500}
	for i := range 500 {
		list.Runs = append(list.Runs, run.Head{
			ID: fmt.Sprint(i), Kind: run.Kinds()[i%4], State: run.States()[i%8],
			Started: noon.Add(-time.Duration(i) * time.Minute),
		})
	}
	for b.Loop() {
		answer[runs.ListQuestion](s, list)
	}
}

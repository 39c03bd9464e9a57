package fleet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// ask makes the agent ask, and waits for its dialog.
func (s *loggedFleet) ask(t *testing.T, prompt string) {
	t.Helper()
	s.must(t, core.Delivered, deliver.Request{Text: prompt})
	s.shows(t, "api.1", "enter to confirm")
}

// reply answers the agent and wants no error.
func (s *loggedFleet) reply(t *testing.T, request deliver.AnswerRequest) deliver.Answered {
	t.Helper()
	request.Target.Session = "api.1"
	answers, err := s.Sender.Answer(t.Context(), request)
	if err != nil || len(answers) != 1 {
		t.Fatalf("%+v, %v\n%s", answers, err, s.screen(t, "api.1"))
	}
	return answers[0]
}

// refused wants an error and no key.
func (s *loggedFleet) refused(t *testing.T, code core.Code, request deliver.AnswerRequest) {
	t.Helper()
	request.Target.Session = "api.1"
	answers, err := s.Sender.Answer(t.Context(), request)
	if failed := core.AsError(err); !failed.HasCode(code) {
		t.Errorf("%+v: %v, want %s", request, err, code)
	}
	for _, a := range answers {
		if len(a.Keys) > 0 || a.Resolved {
			t.Errorf("%+v: %+v", request, a)
		}
	}
}

func (s *loggedFleet) answered(t *testing.T, want string) {
	t.Helper()
	if got := s.events(t, "answer"); len(got) == 0 || got[len(got)-1].Text != want {
		t.Errorf("the agent was answered %+v, want %q", got, want)
	}
}

func TestAnAnswerTakesTheOptionThatIsMeant(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prompt string
		answer deliver.AnswerRequest
		want   string
	}{
		"approve": {
			"approve tool true",
			deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonApproval},
			"Yes",
		},
		"deny": {"approve tool true", deliver.AnswerRequest{Act: core.ActDeny}, "No"},
		"approve a plan": {
			"plan",
			deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonPlan},
			"Yes, go ahead",
		},
		"choose": {
			"ask",
			deliver.AnswerRequest{Act: core.ActChoose, N: 2, Showing: "BOTH tables could"},
			"Change the query",
		},
		"leave a question":  {"ask", deliver.AnswerRequest{Act: core.ActDeny}, "cancel"},
		"choose what is so": {"ask", deliver.AnswerRequest{Act: core.ActChoose, N: 1}, "Add a migration"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, 1, "--speed", "0")
			s.ask(t, test.prompt)
			got := s.reply(t, test.answer)
			if !got.Resolved || got.Before.State != core.Waiting || got.After.State == core.Waiting ||
				len(got.Keys) != 1 || len(got.Evidence) == 0 {
				t.Errorf("%+v", got)
			}
			s.answered(t, test.want)
		})
	}
}

func TestNothingIsPressedThatWasNotExpected(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.refused(t, core.NotReady, deliver.AnswerRequest{Act: core.ActApprove})
	s.ask(t, "approve tool true")
	s.refused(t, core.Conflict, deliver.AnswerRequest{Act: core.ActApprove, Expect: core.ReasonPlan})
	s.refused(t, core.Conflict, deliver.AnswerRequest{Act: core.ActApprove, Showing: "rm -rf"})
	s.refused(t, core.Conflict, deliver.AnswerRequest{Act: core.ActChoose, N: 3})
	s.refused(t, core.InvalidInput, deliver.AnswerRequest{Act: core.ActChoose})
	s.refused(t, core.InvalidInput, deliver.AnswerRequest{Act: "maybe"})
	dry := s.reply(t, deliver.AnswerRequest{Act: core.ActDeny, DryRun: true})
	if !slices.Equal(dry.Keys, []string{"2"}) || dry.Chosen != "No" || dry.Resolved {
		t.Errorf("%+v", dry)
	}
	if got := s.events(t, "answer"); len(got) > 0 {
		t.Errorf("the agent was answered %+v", got)
	}
	s.stillAsks(t)
}

// stillAsks sees that the dialog is still the one it was.
func (s *loggedFleet) stillAsks(t *testing.T) {
	t.Helper()
	if screen := s.screen(t, "api.1"); !strings.Contains(screen, "Allow this command?") {
		t.Errorf("the dialog is gone\n%s", screen)
	}
}

func TestAnAnswerIsOnRecordOnceKeysWerePressed(t *testing.T) {
	t.Parallel()
	s, d := play(t, 1, "--speed", "0.2"), &fleettest.Journal{}
	s.reopen(func(o *fleet.Options) {
		o.Journal, o.Environ = d, []string{"CUPOLA_SESSION=boss", "CUPOLA_PANE_NAME=cc_1"}
	})
	s.ask(t, "approve ask")
	s.refused(t, core.Conflict, deliver.AnswerRequest{Act: core.ActApprove, Showing: "another"})
	if seen := s.reply(t, deliver.AnswerRequest{Act: core.ActLook}); seen.Asks != "make deploy" ||
		len(seen.Options) != 2 || seen.Options[0].Means != agent.Approves || len(seen.Keys) > 0 {
		t.Errorf("%+v", seen)
	}
	s.reply(t, deliver.AnswerRequest{Act: core.ActDeny, DryRun: true})
	if len(d.Decisions) > 0 {
		t.Fatalf("%+v", d.Decisions)
	}
	s.reply(t, deliver.AnswerRequest{Act: core.ActApprove, Origin: "dashboard"})
	if len(d.Decisions) != 1 {
		t.Fatalf("%+v", d.Decisions)
	}
	got := d.Decisions[0]
	if got.Agent != "scr_1" || got.Origin != "dashboard" || got.By != "boss/cc_1" ||
		got.Reason != core.ReasonApproval || got.Asks != "make deploy" ||
		got.Act != core.ActApprove || got.Chosen != "Yes" ||
		got.Outcome != core.Resolved && got.Outcome != core.AskedAgain || got.At.IsZero() {
		t.Errorf("%+v", got)
	}
}

func TestWordsThatADialogDoesNotTakeAreSentAfterIt(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.ask(t, "approve tool true")
	got := s.reply(t, deliver.AnswerRequest{Act: core.ActSay, Text: "slow 1 something else"})
	if !got.Resolved || got.Delivery == nil || got.Delivery.Outcome != core.Delivered {
		t.Errorf("%+v", got)
	}
	s.answered(t, "No")
	s.onlyPrompts(t, "approve tool true", "slow 1 something else")
}

func TestAnswerToSeveralAgentsRequiresEvery(t *testing.T) {
	t.Parallel()
	s := play(t, 3, "--speed", "0")
	for _, address := range []string{"api.1", "api.3"} {
		s.must(t, core.Delivered, deliver.Request{Target: resolve.Target{Session: address}, Text: "approve tool true"})
		s.shows(t, address, "enter to confirm")
	}
	_, err := s.Sender.Answer(t.Context(),
		deliver.AnswerRequest{Target: resolve.Target{Session: "api"}, Act: core.ActApprove})
	if failed := core.AsError(err); !failed.HasCode(core.Ambiguous) ||
		!slices.Equal(failed.Suggestions, []string{"api.1", "api.3"}) ||
		!slices.Equal(failed.Subject.Panes, failed.Suggestions) ||
		!slices.Contains(failed.Remedies, core.RemedyShowDialog) {
		t.Fatalf("%+v", failed)
	} else if needs := fmt.Sprintf("%+v", failed.Details); strings.Count(needs, "Asks:true Reason") > 0 ||
		strings.Count(needs, "Reason:approval Asks:true") != 2 {
		t.Errorf("what they ask is %+v", needs)
	}
	answers, err := s.Sender.Answer(t.Context(),
		deliver.AnswerRequest{Target: resolve.Target{Session: "api"}, Act: core.ActApprove, Every: true})
	if err != nil || len(answers) != 2 || !answers[0].Resolved || !answers[1].Resolved {
		t.Errorf("%+v, %v", answers, err)
	}
}

func TestADialogThatComesNextIsReportedAndNotAnswered(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.ask(t, "ask approve tool true")
	got := s.reply(t, deliver.AnswerRequest{Act: core.ActChoose, N: 3})
	if !got.Resolved && got.Next == nil {
		t.Fatalf("%+v", got)
	}
	s.shows(t, "api.1", "Allow this command?")
	if answers := s.events(t, "answer"); len(answers) != 1 || answers[0].Text != "Leave it as it is" {
		t.Errorf("%+v", answers)
	}
}

func TestADialogThatIsAnnouncedIsAwaited(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	m := mimes(t, th, "claude")
	m.shows(t, "working")
	th.until(t, func(snapshot *core.Snapshot) bool {
		return snapshot.Session("mime").Panes[0].Status.State == core.Working
	})
	hook := hookEdge(core.Waiting)
	hook.Reason, hook.At = core.ReasonApproval, time.Now()
	if err := th.options.Engine.Tag(t.Context(),
		engine.Tag{Pane: m.pane, Name: engine.TagHook, Value: panetag.EncodeHook(hook)}); err != nil {
		t.Fatal(err)
	}
	box, captures := fleettest.Drawing(t, "claude", "waiting_permission"), 0
	before := func() {
		// The snapshot and the first look at the dialog find none yet.
		captures++
		if captures == 3 {
			if _, err := m.tty.WriteString(box); err != nil {
				t.Error(err)
			}
		}
	}
	th.reopen(func(o *fleet.Options) { o.Engine = &observedEngine{o.Engine, before} })
	answers, err := th.Sender.Answer(t.Context(),
		deliver.AnswerRequest{Target: resolve.Target{Session: "mime"}, Act: core.ActLook})
	if err != nil || len(answers) != 1 || answers[0].Before.State != core.Waiting || len(answers[0].Options) == 0 {
		t.Errorf("%+v, %v", answers, err)
	}
	if captures < 3 {
		t.Errorf("it looked %d times", captures)
	}
}

// observedEngine is an engine that calls before ahead of each capture.
type observedEngine struct {
	engine.Engine
	before func()
}

func (l *observedEngine) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	l.before()
	return l.Engine.Capture(ctx, asks...)
}

func TestAKeyIsNotPressedAgainOnceItsDialogIsSeenToGo(t *testing.T) {
	for name, gone := range map[string]func(*fleettest.ScriptedEngine){
		"the dialog closes": func(a *fleettest.ScriptedEngine) { a.Dialog = false },
		"another one opens": func(a *fleettest.ScriptedEngine) { a.Command = "rm -rf /" },
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.Dialog = true
			a.OnPress = func(string) {
				if len(a.Pressed) == 1 {
					a.Later(2*time.Second, func() { gone(a) })
				}
			}
			synctest.Test(t, func(t *testing.T) {
				f := fleet.Open(fleet.Options{Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
				answers, err := f.Sender.Answer(t.Context(),
					deliver.AnswerRequest{Target: resolve.Target{Session: "api"}, Act: core.ActApprove})
				if err != nil || len(answers) != 1 || !slices.Equal(a.Pressed, []string{"1"}) ||
					answers[0].Resolved == a.Dialog {
					t.Errorf("pressed were %q: %+v, %v", a.Pressed, answers, err)
				}
			})
		})
	}
}

func TestAnOptionIsSeenToBeSelectedBeforeItIsConfirmed(t *testing.T) {
	for name, test := range map[string]struct {
		press   func(a *fleettest.ScriptedEngine, key string)
		pressed []string
		err     string
	}{
		"digits have no effect": {func(a *fleettest.ScriptedEngine, key string) {
			switch key {
			case "Down":
				a.Second = true
			case "Enter":
				a.Dialog = false
			}
		}, []string{"2", "Down", "Enter"}, ""},
		"a digit only marks": {func(a *fleettest.ScriptedEngine, key string) {
			a.Second = a.Second || key == "2"
			a.Dialog = key != "Enter"
		}, []string{"2", "Enter"}, ""},
		"nothing moves the selection": {
			func(*fleettest.ScriptedEngine, string) {},
			[]string{"2", "Down"},
			`does not move to option 2 "No"; it is on 1 "Yes", and nothing was confirmed`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.Dialog = true
			a.OnPress = func(key string) { test.press(a, key) }
			synctest.Test(t, func(t *testing.T) {
				f := fleet.Open(fleet.Options{Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
				answers, err := f.Sender.Answer(t.Context(),
					deliver.AnswerRequest{Target: resolve.Target{Session: "api"}, Act: core.ActDeny})
				if !slices.Equal(a.Pressed, test.pressed) || len(answers) != 1 ||
					answers[0].Resolved != (test.err == "") {
					t.Errorf("pressed were %q: %+v, %v", a.Pressed, answers, err)
				}
				if test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

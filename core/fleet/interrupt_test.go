package fleet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// stop interrupts one pane and wants no error.
func (s *loggedFleet) stop(t *testing.T, request deliver.InterruptRequest) deliver.Interrupted {
	t.Helper()
	if request.Target.Session == "" {
		request.Target.Session = "api.1"
	}
	answer, err := s.Sender.Interrupt(t.Context(), request)
	if err != nil || len(answer) != 1 {
		t.Fatalf("%+v, %v\n%s", answer, err, s.screen(t, "api.1"))
	}
	return answer[0]
}

func TestInterruptEndsTheTurn(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	planned := s.stop(t, deliver.InterruptRequest{DryRun: true})
	if !slices.Equal(planned.Keys, []string{"Escape"}) || len(s.events(t, "interrupt")) > 0 {
		t.Errorf("dry run: %+v", planned)
	}
	got := s.stop(t, deliver.InterruptRequest{})
	if got.Before.State != core.Working || got.After.State != core.Idle || !got.Changed ||
		!slices.Equal(got.Keys, []string{"Escape"}) {
		t.Errorf("%+v", got)
	}
	if n := len(s.events(t, "interrupt")); n != 1 {
		t.Errorf("%d interrupts", n)
	}
}

func TestTheStateReachedIsTheOneThatASnapshotShows(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	got := s.stop(t, deliver.InterruptRequest{})
	snapshot, err := s.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	if shown := snapshot.Pane(got.Pane).Status; got.After.State != shown.State ||
		!slices.Equal(got.After.Notes, shown.Notes) || !slices.Equal(got.After.Evidence, shown.Evidence) {
		t.Errorf("reached %+v, shown %+v", got.After, shown)
	}
}

func TestWithoutWaitingNoStateIsClaimed(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	got := s.stop(t, deliver.InterruptRequest{NoWait: true})
	if got.Before.State != core.Working || got.After.State != "" || got.Changed ||
		!slices.Equal(got.Keys, []string{"Escape"}) {
		t.Errorf("%+v", got)
	}
}

func TestInterruptSendsItsTextAfterwards(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	got := s.stop(t, deliver.InterruptRequest{Text: "slow 1 other"})
	if got.Delivery == nil || got.Delivery.Outcome != core.Delivered {
		t.Errorf("%+v", got.Delivery)
	}
	s.onlyPrompts(t, "slow 600", "slow 1 other")
}

func TestAnIdleAgentIsNotInterruptedUnlessForced(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.must(t, core.Typed, deliver.Request{Text: "a draft", NoEnter: true})
	got := s.stop(t, deliver.InterruptRequest{})
	if got.Keys != nil || got.Changed || got.After.State != core.Idle ||
		!strings.Contains(got.After.Evidence[0], "no turn seems to run") {
		t.Errorf("%+v", got)
	}
	if got := s.stop(t, deliver.InterruptRequest{Force: true}); !slices.Equal(got.Keys, []string{"Escape"}) {
		t.Errorf("forced: %+v", got)
	}
}

func TestADialogIsNotRejectedUnlessForced(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0")
	s.must(t, core.Delivered, deliver.Request{Text: "approve"})
	s.shows(t, "api.1", "enter to confirm")
	got := s.stop(t, deliver.InterruptRequest{})
	if got.Keys != nil || got.After.State != core.Waiting || got.After.Reason != core.ReasonApproval ||
		len(s.events(t, "answer")) > 0 {
		t.Errorf("%+v", got)
	}
	got = s.stop(t, deliver.InterruptRequest{Force: true})
	if answers := s.events(t, "answer"); len(answers) != 1 || answers[0].Text != "cancel" ||
		got.After.State != core.Idle {
		t.Errorf("forced: %+v, %v", got, answers)
	}
}

func TestCommandsAreInterruptedAndShellsAreNot(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.spawn(t, "raw", lifecycle.LaunchRequest{Commands: []string{`trap 'echo caught' INT; echo up; while :; do sleep 0.1; done`}})
	s.shows(t, "raw.1", "up")
	answer, err := s.Sender.Interrupt(t.Context(),
		deliver.InterruptRequest{Target: resolve.Target{Session: "raw", All: true}})
	if err != nil || len(answer) != 2 {
		t.Fatalf("%+v, %v", answer, err)
	}
	if answer[0].Keys != nil || answer[0].After.State != core.Idle {
		t.Errorf("shell: %+v", answer[0])
	}
	if !slices.Equal(answer[1].Keys, []string{"C-c"}) {
		t.Errorf("command: %+v", answer[1])
	}
	s.shows(t, "raw.1", "caught")
}

func TestATurnThatGoesOnIsATimeout(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	// Its queued prompt begins a new turn.
	s.must(t, core.Queued, deliver.Request{Text: "slow 600 again"})
	answer, err := s.Sender.Interrupt(t.Context(),
		deliver.InterruptRequest{
			Target: resolve.Target{Session: "api"}, Text: "say no",
			Timeout: 300 * time.Millisecond,
		})
	fleettest.WantError(t, err, core.Timeout, "")
	if len(answer) != 1 || answer[0].After.State != core.Working || answer[0].Delivery != nil {
		t.Errorf("%+v", answer)
	}
}

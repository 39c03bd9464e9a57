package fleet_test

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// api1 is the first agent that play starts.
var api1 = resolve.Target{Session: "api.1"}

// waited calls Wait with a limit that a failing test would reach.
func (s *loggedFleet) waited(t *testing.T, request await.Request) (*await.Result, error) {
	t.Helper()
	if request.Target.Session == "" {
		request.Target = resolve.Target{Session: "api"}
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*testTimeout)
	defer stop()
	return s.Waiter.Wait(ctx, request)
}

func TestAWaitForIdleEndsWithTheTurnAndNotBetweenItsTools(t *testing.T) {
	t.Parallel()
	for name, poll := range map[string]time.Duration{"following": 0, "polling": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, 1, "--speed", "0.25")
			s.must(t, core.Delivered, deliver.Request{Text: "slow 2 tool ls; tool pwd; slow 2"})
			result, err := s.waited(t, await.Request{Poll: poll})
			if err != nil || len(result.Reached) != 1 || len(result.Pending) != 0 ||
				result.Reached[0].Status.State != core.Idle {
				t.Fatalf("%+v, %v", result, err)
			}
			tails, err := s.Output.Tail(t.Context(), output.Request{Target: api1})
			if err != nil || !strings.Contains(strings.Join(tails[0].Lines, "\n"), "done in") {
				t.Errorf("the turn runs on: %+v, %v", tails, err)
			}
		})
	}
}

func TestAWaitThatEndsAtItsFirstLookLeavesSinceWhen(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.1")
	s.must(t, core.Delivered, deliver.Request{Text: "approve tool ls"})
	s.until(t, func(shown *core.Snapshot) bool {
		return shown.Session("api").Panes[1].Status.State == core.Waiting
	})
	began := time.Now().Truncate(time.Millisecond)
	if result, err := s.waited(t, await.Request{For: []core.State{core.Waiting}}); err != nil ||
		len(result.Reached) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	since := time.Time{}
	for range 2 {
		snapshot, err := s.Overview.Snapshot(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		status := snapshot.Session("api").Panes[1].Status
		if status.Since.Before(began) || len(snapshot.Alerts) != 1 ||
			!snapshot.Alerts[0].FirstSeen.Equal(status.Since) || !since.IsZero() && !since.Equal(status.Since) {
			t.Errorf("%+v since %v, %+v", status, since, snapshot.Alerts)
		}
		since = status.Since
	}
}

func TestWaitEndsEarlyWhenAgentNeedsUser(t *testing.T) {
	t.Parallel()
	s := play(t, 2, "--speed", "0.1")
	if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "slow 5 approve tool ls"}); err != nil {
		t.Fatal(err)
	}
	result, err := s.waited(t, await.Request{})
	known := fleettest.WantError(t, err, core.NotReady, "")
	var details struct {
		Needs []struct {
			Reason  core.Reason
			Ordinal int
		}
	}
	text, err := json.Marshal(known.Details)
	if err != nil || json.Unmarshal(text, &details) != nil {
		t.Fatalf("%s, %v", text, err)
	}
	if len(details.Needs) != 1 || details.Needs[0].Reason != core.ReasonApproval || details.Needs[0].Ordinal != 1 {
		t.Errorf("details: %s", text)
	}
	if len(result.Pending) == 0 || result.Pending[0].Ordinal != 1 {
		t.Errorf("result: %+v", result)
	}
	_, err = s.waited(t, await.Request{Target: api1, KeepWaiting: true, Timeout: 300 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message, "api.1 is waiting") {
		t.Errorf("%s", known.Message)
	}
	if result, err := s.waited(t, await.Request{Any: true}); err != nil || len(result.Reached) != 1 ||
		result.Reached[0].Ordinal != 2 {
		t.Errorf("any: %+v, %v", result, err)
	}
	if result, err := s.waited(t, await.Request{Target: api1, For: []core.State{core.Waiting}}); err != nil ||
		len(result.Reached) != 1 {
		t.Errorf("for waiting: %+v, %v", result, err)
	}
}

func TestAWaitForAStateAnewWaitsUntilItWasLeft(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.2")
	_, err := s.waited(t, await.Request{Transition: true, Timeout: 900 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message,
		"api.1 is still idle") {
		t.Errorf("%s", known.Message)
	}
	seen, turns := make(chan struct{}), make(chan error, 1)
	go func() { turns <- s.turnsUntil(t, seen) }()
	result, err := s.waited(t, await.Request{Transition: true})
	if err != nil || len(result.Reached) != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	close(seen)
	if err := <-turns; err != nil {
		t.Error(err)
	}
}

// turnsUntil has the agent do one turn after another until one was seen.
func (s *loggedFleet) turnsUntil(t *testing.T, seen <-chan struct{}) error {
	for {
		if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "slow 5"}); err != nil {
			return err
		}
		if _, err := s.Waiter.Wait(t.Context(), await.Request{Target: api1}); err != nil {
			return err
		}
		select {
		case <-seen:
			return nil
		default:
		}
	}
}

func TestAWaitForATextEndsWithTheLineThatShowsIt(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.2")
	if _, err := s.Sender.Send(t.Context(),
		deliver.Request{Target: api1, Text: "slow 3 say the answer is 42 sheep"}); err != nil {
		t.Fatal(err)
	}
	result, err := s.waited(t, await.Request{Match: regexp.MustCompile(`(?m)^the answer is \d+`)})
	if err != nil || len(result.Reached) != 1 || !strings.Contains(result.Reached[0].Line, "42 sheep") {
		t.Errorf("%+v, %v", result, err)
	}
	_, err = s.waited(t, await.Request{Match: regexp.MustCompile("no such line"), Timeout: 100 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message,
		" and shows no match") {
		t.Errorf("%s", known.Message)
	}
}

func TestWaitReportsClosedPane(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	killed := make(chan error, 1)
	kill := sync.OnceFunc(func() {
		go func() {
			_, err := s.Launcher.Kill(t.Context(), lifecycle.KillRequest{Target: api1})
			killed <- err
		}()
	})
	result, err := s.waited(t, await.Request{Target: api1, Progress: func(core.Progress) { kill() }})
	if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message, "gone") &&
		!strings.Contains(known.Message, "ended") {
		t.Errorf("%s", known.Message)
	}
	if result == nil || len(result.Pending) != 1 {
		t.Errorf("%+v", result)
	}
	if err := <-killed; err != nil {
		t.Error(err)
	}
}

func TestAWaitCanEndWithTheFirstError(t *testing.T) {
	t.Parallel()
	th := open(t, tmux.Auto)
	m := mimes(t, th, "claude")
	m.shows(t, "error_auth")
	s := &loggedFleet{tmuxFleet: th}
	_, err := s.waited(t, await.Request{
		Target: resolve.Target{Session: "mime"}, For: []core.State{core.Exited},
		ExitOnError: true, Timeout: testTimeout,
	})
	if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message, "error") {
		t.Errorf("%s", known.Message)
	}
}

package fleet_test

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
)

// comesTo waits until the agent is in a state, and returns since when snapshots
// without a keeper say so.
func (s *loggedFleet) comesTo(t *testing.T, state core.State) time.Time {
	t.Helper()
	var since time.Time
	s.until(t, func(snapshot *core.Snapshot) bool {
		status := snapshot.Session("api").Panes[1].Status
		since = status.Since
		return status.State == state
	})
	return since
}

// rests leaves on the agent's pane since when it rests, as a wait does.
func (s *loggedFleet) rests(t *testing.T) time.Time {
	t.Helper()
	s.comesTo(t, core.Idle)
	if _, err := s.waited(t, await.Request{}); err != nil {
		t.Fatal(err)
	}
	since := s.comesTo(t, core.Idle)
	if since.IsZero() {
		t.Fatal("it is not known since when it is idle")
	}
	return since
}

// typeDirectly types a prompt in the agent's pane, past Cupola.
func (s *loggedFleet) typeDirectly(t *testing.T, prompt string) {
	t.Helper()
	if err := s.options.Engine.Paste(t.Context(), core.PaneID(s.paneID(t, "api.1")), []byte(prompt)); err != nil {
		t.Fatal(err)
	}
	s.shows(t, "api.1", prompt)
	s.userPresses(t, "Enter")
}

func (s *loggedFleet) userPresses(t *testing.T, key string) {
	t.Helper()
	if err := s.options.Engine.Press(t.Context(), core.PaneID(s.paneID(t, "api.1")), key); err != nil {
		t.Fatal(err)
	}
}

// press presses keys in a pane, through Cupola.
func (s *loggedFleet) press(t *testing.T, pane string, keys ...string) {
	t.Helper()
	if _, err := s.Sender.Keys(t.Context(),
		deliver.KeysRequest{Target: resolve.Target{Session: pane}, Keys: keys}); err != nil {
		t.Fatal(err)
	}
}

func TestAStateFromBeforeAnActIsNotTakenForTheOneAfterIt(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(*testing.T, *loggedFleet){
		"a prompt": func(t *testing.T, s *loggedFleet) {
			s.must(t, core.Delivered,
				deliver.Request{Text: "tool ls"})
		},
		"an answer":    func(t *testing.T, s *loggedFleet) { s.reply(t, deliver.AnswerRequest{Act: core.ActApprove}) },
		"an interrupt": func(t *testing.T, s *loggedFleet) { s.stop(t, deliver.InterruptRequest{}) },
		"keys":         func(t *testing.T, s *loggedFleet) { s.press(t, "api.1", "Enter") },
		"a prompt into a turn": func(t *testing.T, s *loggedFleet) {
			s.must(t, core.Queued, deliver.Request{Text: "tool ls"})
			s.userPresses(t, "Escape")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := play(t, 1, "--speed", "0.2")
			s.rests(t)
			began := time.Now().Truncate(time.Millisecond)
			switch name {
			case "an answer", "keys":
				s.typeDirectly(t, "approve tool ls")
				s.comesTo(t, core.Waiting)
			case "an interrupt", "a prompt into a turn":
				s.typeDirectly(t, "slow 600")
				s.comesTo(t, core.Working)
			}
			act(t, s)
			if since := s.comesTo(t, core.Idle); !since.IsZero() && since.Before(began) {
				t.Errorf("idle since %v, and was not so after %v", since, began)
			}
		})
	}
}

func TestATurnBeginsWithItsPrompt(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.2")
	rested := s.rests(t)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	since := s.comesTo(t, core.Working)
	if !since.After(rested) {
		t.Fatalf("working since %v, idle since %v", since, rested)
	}
	s.must(t, core.Queued, deliver.Request{Text: "ls"})
	if again := s.comesTo(t, core.Working); !again.Equal(since) {
		t.Errorf("the turn began %v, and %v with a prompt in its queue", since, again)
	}
}

func TestAnAnsweredAgentWorksSinceThen(t *testing.T) {
	t.Parallel()
	s := play(t, 1, "--speed", "0.2")
	s.ask(t, "approve slow 600")
	began := time.Now().Truncate(time.Millisecond)
	got := s.reply(t, deliver.AnswerRequest{Act: core.ActApprove})
	if since := s.comesTo(t, core.Working); got.After.State == core.Working && since.Before(began) {
		t.Errorf("working since %v, answered %v: %+v", since, began, got)
	}
}

package fleet_test

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
)

// try probes one pane, and watches one that may rightly be at rest only for a short while.
func (s *loggedFleet) try(t *testing.T, address string, method deliver.ProbeMethod) deliver.Probed {
	t.Helper()
	within := testTimeout
	if method == deliver.ProbeAuto {
		within = 300 * time.Millisecond
	}
	answer, err := s.Sender.Probe(t.Context(),
		deliver.ProbeRequest{Target: resolve.Target{Session: address, All: true}, Method: method, Timeout: within})
	if err != nil || len(answer) != 1 || len(answer[0].Evidence) == 0 {
		t.Fatalf("%+v, %v", answer, err)
	}
	return answer[0]
}

func TestAProbeSaysWhatItSaw(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	if got := s.try(t, "api.1", deliver.ProbeAuto); got.Verdict != deliver.Unproven || got.Unread != 0 || !got.Alive ||
		got.Moved {
		t.Errorf("quiet: %+v", got)
	}
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	answer, err := s.Sender.Probe(t.Context(),
		deliver.ProbeRequest{Target: resolve.Target{Session: "api.1"}, Timeout: testTimeout})
	if err != nil || answer[0].Verdict != deliver.Responsive || !answer[0].Moved {
		t.Errorf("working: %+v, %v", answer, err)
	}
	if got := s.try(t, "api.1", deliver.ProbeProcess); got.Verdict != deliver.Unproven || got.Watched != 0 {
		t.Errorf("process alone: %+v", got)
	}
	if _, err := s.Sender.Probe(t.Context(),
		deliver.ProbeRequest{
			Target: resolve.Target{Session: "api.1"},
			Method: deliver.ProbeEcho,
		}); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("a key for an agent: %v", err)
	}
	s.onlyPrompts(t, "slow 600")
}

func TestAProbeFindsWhatDoesNotRead(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	s.spawn(t, "raw", lifecycle.LaunchRequest{Commands: []string{"stty -icanon -echo; echo up; exec sleep 600"}})
	s.shows(t, "raw.1", "up")
	if err := s.options.Engine.Press(t.Context(), s.paneOf(t, "raw.1").ID, "a", "b"); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, enginetest.Timeout,
		func() bool { return s.try(t, "raw.1", deliver.ProbeProcess).Unread == 2 },
		func() string { return strings.Join(s.try(t, "raw.1", deliver.ProbeProcess).Evidence, "\n") })
	if got := s.try(t, "raw.1", deliver.ProbeAuto); got.Verdict != deliver.Unresponsive ||
		!strings.Contains(strings.Join(got.Evidence, "\n"), "2 bytes") {
		t.Errorf("%+v", got)
	}
}

func TestAShellEchoesAndKeepsItsLine(t *testing.T) {
	t.Parallel()
	s := play(t, 1)
	enginetest.Eventually(t, enginetest.Timeout, func() bool { return strings.TrimSpace(s.screen(t, "api.0")) != "" },
		nil)
	before := s.screen(t, "api.0")
	if got := s.try(t, "api.0", deliver.ProbeEcho); got.Verdict != deliver.Responsive || !got.Moved {
		t.Errorf("%+v", got)
	}
	if after := s.screen(t, "api.0"); after != before {
		t.Errorf("%q, was %q", after, before)
	}
}

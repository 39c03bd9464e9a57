package fleet_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// loggedFleet is a tmuxFleet whose scripted agents log what was submitted to them.
type loggedFleet struct {
	*tmuxFleet
	log string
}

// logged is a line of the scripted agent's log.
type logged struct {
	Event, Text, How string
}

// play starts count scripted agents in the session "api" and waits until they
// are ready. They all write to one log.
func play(t *testing.T, count int, flags ...string) *loggedFleet {
	t.Helper()
	log := filepath.Join(t.TempDir(), "log")
	s := &loggedFleet{open(t, tmux.Auto, append([]string{"--log", log}, flags...)...), log}
	s.spawn(t, "api", lifecycle.LaunchRequest{
		Agents:    []lifecycle.AgentCount{{Kind: "scripted", Count: count}},
		WaitReady: true,
	})
	return s
}

// steering is the scripted kind as one that steers.
func steering(log string) fstest.MapFS {
	return fstest.MapFS{"scripted.toml": {Data: fmt.Appendf(nil, `
id = "scripted"
[launch]
command = ["{self}", "scripted", "--steer", "--log", %q]
[typing]
busy = "steers"
`, log)}}
}

// events returns the agents' logged events of one kind so far.
func (s *loggedFleet) events(t *testing.T, event string) []logged {
	t.Helper()
	data, err := os.ReadFile(s.log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var found []logged
	for text := range bytes.Lines(data) {
		var line logged
		if err := json.Unmarshal(text, &line); err != nil {
			t.Fatal(err)
		}
		if line.Event == event {
			found = append(found, line)
		}
	}
	return found
}

// prompts are the texts that were submitted so far.
func (s *loggedFleet) prompts(t *testing.T) []string {
	t.Helper()
	texts := []string{}
	for _, line := range s.events(t, "prompt") {
		texts = append(texts, line.Text)
	}
	return texts
}

// send sends to one pane.
func (s *loggedFleet) send(t *testing.T, request deliver.Request) (core.Delivery, error) {
	t.Helper()
	if request.Target.Session == "" {
		request.Target.Session = "api.1"
	}
	sent, err := s.Sender.Send(t.Context(), request)
	if len(sent.Deliveries) != 1 {
		t.Fatalf("sent %+v, %v", sent, err)
	}
	return sent.Deliveries[0], err
}

// must sends to one pane and wants an outcome.
func (s *loggedFleet) must(t *testing.T, want core.Outcome, request deliver.Request) core.Delivery {
	t.Helper()
	d, err := s.send(t, request)
	if d.Outcome != want || err != nil != want.Failed() {
		t.Fatalf("%+v, %v; want %s\n%s", d, err, want, s.screen(t, "api.1"))
	}
	if want.Failed() {
		fleettest.WantError(t, err, core.DeliveryFailed, "")
	}
	return d
}

func (s *loggedFleet) screen(t *testing.T, address string) string {
	t.Helper()
	tails, err := s.Output.Tail(t.Context(), output.Request{Target: resolve.Target{Session: address}})
	if err != nil {
		return err.Error()
	}
	return strings.Join(tails[0].Lines, "\n")
}

// idle waits until no turn runs in a pane.
func (s *loggedFleet) idle(t *testing.T, address string) {
	t.Helper()
	enginetest.Eventually(t, testTimeout, func() bool {
		return strings.Contains(s.screen(t, address), "  ? for help")
	}, func() string { return s.screen(t, address) })
}

// onlyPrompts wants the log to hold these prompts and no other.
func (s *loggedFleet) onlyPrompts(t *testing.T, want ...string) {
	t.Helper()
	got := s.prompts(t)
	if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
		t.Errorf("the agents got %.2000q\nwant %.2000q", got, want)
	}
}

func TestEveryPromptIsJournaled(t *testing.T) {
	t.Parallel()
	d := &fleettest.Journal{}
	s := play(t, 1, "--speed", "0")
	s.reopen(func(o *fleet.Options) { o.Journal = d })
	s.spawn(t, "web", lifecycle.LaunchRequest{
		Agents: []lifecycle.AgentCount{{Kind: "scripted", Count: 2}}, WaitReady: true, Prompt: "slow 600",
	})
	_, err := s.Sender.Interrupt(t.Context(), deliver.InterruptRequest{
		Target: resolve.Target{Session: "web"}, Text: "approve tool true",
	})
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		s.shows(t, fmt.Sprintf("web.%d", n), "enter to confirm")
	}
	answer := deliver.AnswerRequest{Target: resolve.Target{Session: "web.1"}, Act: core.ActSay, Text: "say no"}
	if _, err := s.Sender.Answer(t.Context(), answer); err != nil {
		t.Fatal(err)
	}
	d.Holds(t,
		"first-prompt slow 600 delivered delivered", "interrupt approve tool true delivered delivered",
		"answer say no delivered",
	)
}

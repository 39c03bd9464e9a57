package fleet_test

import (
	"fmt"
	"testing"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
)

func TestEveryWayToPromptIsWrittenDown(t *testing.T) {
	d := &fleettest.Journal{}
	s := play(t, 1, "--speed", "0")
	s.reopen(func(o *fleet.Options) { o.Journal = d })
	s.spawn(t, "web", lifecycle.LaunchRequest{
		Wishes: []lifecycle.Wish{{Kind: "scripted", Count: 2}}, WaitReady: true, Prompt: "slow 600",
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

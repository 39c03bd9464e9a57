//go:build agents

package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// mixed are prompts of the sizes that people send, each with a token.
var mixed = []string{
	"hello TOKEN and nothing else",
	"hello TOKEN\nsecond line\nthird line",
	"hello TOKEN\n" + strings.Repeat("a line of a longer prompt, as people write them\n", 58) + "the end",
	"hello TOKEN " + strings.Repeat("0123456789 ", 1800) + "the end",
	"hello TOKEN naïve café — 日本語 🎉",
	"--flags TOKEN -X 'quotes' \"$HOME\" `id` #{pane_id}",
}

// TestRealAgentsInPairsTakeEveryPromptOnce sends 50 prompts to each of two agents
// of a kind at the same time, and 20 more while both ask for approval. CUPOLA_TRIES
// sets another number than 50.
func TestRealAgentsInPairsTakeEveryPromptOnce(t *testing.T) {
	rounds := 50
	if os.Getenv(triesVariable) != "" {
		rounds = tries()
	}
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			p := pair{hire(t, kind)}
			p.start(t)
			started, total := time.Now(), 0
			for round := range rounds {
				p.both(func(address string) { p.sent(t, address, mixed[round%len(mixed)]) })
				total += 2
			}
			t.Logf("%s took %d prompts of two agents in %v", kind, total, time.Since(started).Round(time.Second))
			p.both(func(address string) { p.refuses(t, address, 10) })
		})
	}
}

// pair are two agents of one kind in one session.
type pair struct{ *hired }

func (p pair) start(t *testing.T) {
	t.Helper()
	first := fleettest.Token()
	_, err := p.Launcher.Spawn(t.Context(), lifecycle.SpawnRequest{Session: "real", Launch: lifecycle.LaunchRequest{
		Dir: p.dir, Agents: []lifecycle.AgentCount{{Kind: p.kind, Count: 2}}, Prompt: "hello " + first,
	}})
	if err != nil {
		t.Fatalf("%v (%+v)\n%s", err, core.AsError(err).Details, p.screen(t))
	}
	p.received(t, "real", first, 2)
}

// both does something to the two agents at once.
func (p pair) both(act func(address string)) {
	var wait sync.WaitGroup
	for _, address := range []string{"real.1", "real.2"} {
		wait.Go(func() { act(address) })
	}
	wait.Wait()
}

// sent wants a prompt to arrive once, and the turn to end.
func (p pair) sent(t *testing.T, address, text string) {
	mark := address[len("real."):] + fleettest.Token()
	text = strings.ReplaceAll(text, "TOKEN", mark)
	sent, err := p.Sender.Send(t.Context(), deliver.Request{Target: resolve.Target{Session: address}, Text: text})
	if err != nil {
		t.Errorf("%s: %+v, %v\n%s", address, sent.Deliveries, err, p.shows(t, address))
		return
	}
	p.received(t, address, mark, 1)
	if got := p.harness.Received(t, mark); len(got) != 1 || got[0] != strings.TrimSpace(text) {
		t.Errorf("%s: the model got %d times %.200q, want %.200q once", address, len(got), got, text)
	}
}

// received waits until the model has a prompt, and the agents at an address rest.
func (p pair) received(t *testing.T, address, mark string, times int) {
	enginetest.Eventually(t, time.Minute, func() bool { return len(p.harness.Received(t, mark)) >= times },
		func() string {
			return fmt.Sprintf("%s: never received\n%s", address, p.shows(t, address))
		})
	p.until(t, address, core.Idle)
}

// until waits for a state of every agent at an address.
func (p pair) until(t *testing.T, address string, state core.State) {
	enginetest.Eventually(t, time.Minute, func() bool {
		answers, err := p.Sender.Interrupt(t.Context(),
			deliver.InterruptRequest{Target: resolve.Target{Session: address}, DryRun: true})
		for _, a := range answers {
			if a.Before.State != state {
				return false
			}
		}
		return err == nil
	}, func() string { return fmt.Sprintf("%s: never %s\n%s", address, state, p.shows(t, address)) })
}

// refuses lets an agent ask for approval, and sends at it: nothing may be typed.
func (p pair) refuses(t *testing.T, address string, attempts int) {
	mark := fleettest.Token()
	made := filepath.Join(p.dir, address+mark)
	target := resolve.Target{Session: address}
	if _, err := p.Sender.Send(t.Context(),
		deliver.Request{Target: target, Text: "tool-bash `touch " + made + "`"}); err != nil {
		t.Errorf("%v\n%s", err, p.shows(t, address))
		return
	}
	p.until(t, address, core.Waiting)
	for range attempts {
		sent, err := p.Sender.Send(t.Context(),
			deliver.Request{Target: target, Text: "hello " + mark, ReplaceDraft: true, Now: true})
		if err == nil || sent.Deliveries[0].Outcome != core.Refused || sent.Deliveries[0].Enters > 0 {
			t.Errorf("%s at a dialog: %+v, %v\n%s", address, sent.Deliveries, err, p.shows(t, address))
		}
	}
	p.until(t, address, core.Waiting)
	if _, err := os.Stat(made); err == nil || len(p.harness.Received(t, mark)) > 1 {
		t.Errorf("%s: something was approved or said: %v, %q", address, err, p.harness.Received(t, mark))
	}
}

func (p pair) shows(t *testing.T, address string) string {
	tails, err := p.Output.Tail(t.Context(), output.Request{Target: resolve.Target{Session: address}})
	if err != nil || len(tails) == 0 {
		return fmt.Sprint(err)
	}
	return strings.Join(tails[0].Lines, "\n")
}

//go:build agents

package fleet_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
)

// TestRealAgentsAreWaitedFor waits for turns of real agents that think, stream, use tools and sub-agents and are
// rejected by the model's service: a wait must not end before the turn does, and an agent that then rests must stay at
// rest.
func TestRealAgentsAreWaitedFor(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			r := duty{hire(t, kind)}
			defer func() { t.Logf("\n%s", strings.Join(r.tally, "\n")) }()
			r.start(t)
			agents := 6 * time.Second
			if kind == "codex" { // its sub-agent is done at once
				agents = 0
			}
			for _, c := range []struct {
				prompt string
				least  time.Duration
			}{
				{"hello", 0},
				{"slow 4", 4 * time.Second},
				{"think 3", 3 * time.Second},
				{"stall 3", 3 * time.Second},
				{"long", 0},
				{"err500x2", time.Second},
				{"tool-agent", agents},
			} {
				r.waited(t, c.prompt, c.least)
			}
			r.waitedThroughTool(t)
			r.waitedTooShortly(t)
		})
	}
}

// waited sends a prompt and waits for its turn to end.
func (r duty) waited(t *testing.T, prompt string, least time.Duration) {
	t.Helper()
	began := time.Now()
	if sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: one, Text: prompt + " " + fleettest.Token()}); err != nil {
		t.Errorf("%s: %+v, %v\n%s", prompt, sent.Deliveries, err, r.screen(t))
		return
	}
	for approvals := 0; ; approvals++ {
		_, err := r.Waiter.Wait(t.Context(), await.Request{Target: one, Timeout: time.Minute})
		if core.AsError(err).HasCode(core.NotReady) && approvals < 3 && r.state(t).State == core.Waiting {
			r.answer(t, "while waiting", deliver.AnswerRequest{Act: core.ActApprove})
			continue
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", prompt, err, r.screen(t))
		}
		break
	}
	r.ended(t, prompt, time.Since(began), least)
}

// ended wants a turn to have lasted long enough, and the agent to rest for good.
func (r duty) ended(t *testing.T, prompt string, took, least time.Duration) {
	t.Helper()
	r.tally = append(r.tally, fmt.Sprintf("%-9s %-12s idle after %v", r.kind, prompt, took.Round(10*time.Millisecond)))
	if took < least {
		t.Errorf("%s: the wait ended after %v\n%s", prompt, took, r.screen(t))
	}
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		if status := r.state(t); status.State != core.Idle {
			t.Errorf("%s: after the wait it is %s %s (%v)\n%s", prompt, status.State, status.Reason, status.Evidence,
				r.screen(t))
			r.settle(t)
			return
		}
	}
}

// waitedThroughTool waits for a turn that asks first, then runs a tool and
// streams.
func (r duty) waitedThroughTool(t *testing.T) {
	t.Helper()
	mark, nap := fleettest.Token(), 3
	if r.kind == "qwen" { // it runs no longer sleep
		nap = 1
	}
	if _, err := r.Sender.Send(t.Context(),
		deliver.Request{
			Target: one,
			Text:   fmt.Sprintf("tool-bash `sleep %d && touch %s` after-slow 2 %[2]s", nap, mark),
		}); err != nil {
		t.Errorf("%v\n%s", err, r.screen(t))
		return
	}
	result, err := r.Waiter.Wait(t.Context(), await.Request{Target: one, Timeout: 30 * time.Second})
	if !core.AsError(err).HasCode(core.NotReady) || result.Pending[0].Status.Reason != core.ReasonApproval {
		t.Errorf("at a dialog: %+v, %v\n%s", result, err, r.screen(t))
	}
	began := time.Now()
	r.answer(t, "approve", deliver.AnswerRequest{Act: core.ActApprove})
	if result, err := r.Waiter.Wait(t.Context(), await.Request{Target: one, Timeout: time.Minute}); err != nil {
		t.Errorf("%+v, %v\n%s", result, err, r.screen(t))
	}
	r.ended(t, "tool-bash", time.Since(began), time.Duration(nap+2)*time.Second)
}

// waitedTooShortly gives up before the turn ends.
func (r duty) waitedTooShortly(t *testing.T) {
	t.Helper()
	if _, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: one, Text: "slow 6 " + fleettest.Token()}); err != nil {
		t.Errorf("%v\n%s", err, r.screen(t))
		return
	}
	began := time.Now()
	result, err := r.Waiter.Wait(t.Context(), await.Request{Target: one, Timeout: 2 * time.Second})
	if took := time.Since(began); !core.AsError(err).HasCode(core.Timeout) || len(result.Pending) != 1 ||
		took < 2*time.Second || took > 4*time.Second {
		t.Errorf("after %v: %+v, %v\n%s", took, result, err, r.screen(t))
	}
	r.settle(t)
}

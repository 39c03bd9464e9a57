package deliver_test

import (
	"context"
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

func TestEveryWayInAsksWhatMayBeSpent(t *testing.T) {
	over := core.Errorf(core.BudgetExceeded, "too much")
	at := resolve.Target{Session: "api.1"}
	launch := func(override bool) lifecycle.LaunchRequest {
		return lifecycle.LaunchRequest{
			Agents: []lifecycle.AgentCount{{Kind: "stub", Count: 1}}, Prompt: "say x", OverrideBudget: override,
		}
	}
	ways := map[string]func(context.Context, *fleet.Fleet, bool) error{
		"send": func(ctx context.Context, f *fleet.Fleet, override bool) error {
			_, err := f.Sender.Send(ctx, deliver.Request{Target: at, Text: "say x", OverrideBudget: override})
			return err
		},
		"interrupt": func(ctx context.Context, f *fleet.Fleet, override bool) error {
			request := deliver.InterruptRequest{Target: at, Force: true, Text: "say x", OverrideBudget: override}
			_, err := f.Sender.Interrupt(ctx, request)
			return err
		},
		"answer": func(ctx context.Context, f *fleet.Fleet, override bool) error {
			request := deliver.AnswerRequest{Target: at, Act: core.ActSay, Text: "say x", OverrideBudget: override}
			_, err := f.Sender.Answer(ctx, request)
			return err
		},
		"spawn": func(ctx context.Context, f *fleet.Fleet, override bool) error {
			_, err := f.Launcher.Spawn(ctx, lifecycle.SpawnRequest{Session: "web", Launch: launch(override)})
			return err
		},
		"add": func(ctx context.Context, f *fleet.Fleet, override bool) error {
			_, err := f.Launcher.Add(ctx, lifecycle.AddRequest{Session: "api", Launch: launch(override)})
			return err
		},
	}
	for name, way := range ways {
		for _, override := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				a := fleettest.NewScriptedEngine()
				a.Dialog = name == "answer"
				asked := []string{}
				f := fleet.Open(fleet.Options{
					Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind), Environ: []string{"PATH=/usr/bin:/bin"},
					Afford: func(_ context.Context, sessions []string) error {
						asked = append(asked, sessions...)
						return over
					},
				})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if override {
					stop() // it need not be carried out to see that no check runs
				}
				err := way(ctx, f, override)
				if override {
					if len(asked) > 0 {
						t.Errorf("it asked %q", asked)
					}
					return
				}
				if !core.AsError(err).HasCode(core.BudgetExceeded) || len(asked) == 0 {
					t.Errorf("%v; asked %q", err, asked)
				}
				if len(a.Pasted)+len(a.Pressed)+len(a.Launches) > 0 {
					t.Errorf("something was done: pasted %q, pressed %q, started %d", a.Pasted, a.Pressed,
						len(a.Launches))
				}
			})
		}
	}
}

func TestDeliveryWithoutApprovalChecksBudget(t *testing.T) {
	a := fleettest.NewScriptedEngine()
	f := fleet.Open(fleet.Options{
		Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind),
		Afford: func(_ context.Context, sessions []string) error {
			return core.Errorf(core.BudgetExceeded, "too much for %v", sessions)
		},
	})
	pane := &core.Pane{
		ID: "%1", Session: "api", Ordinal: 1, Agent: core.Agent{Kind: "scripted", Name: "scr_1"},
	}
	d := f.Sender.DeliverPrompt(t.Context(), pane, "", "say x", false)
	if d.Outcome != core.Refused || d.Why != terminal.WhyBudget || len(a.Pasted) > 0 ||
		slices.Contains(a.Pressed, "Enter") {
		t.Errorf("%+v; pasted %q", d, a.Pasted)
	}
}

package fleet

import (
	"context"
	"slices"
	"testing"

	"cupola/core"
)

func TestEveryWayInAsksWhatMayBeSpent(t *testing.T) {
	over := core.Errorf(core.BudgetExceeded, "too much")
	at := Target{Session: "api.1"}
	ways := map[string]func(context.Context, *Fleet, bool) error{
		"send": func(ctx context.Context, f *Fleet, override bool) error {
			_, err := f.Send(ctx, SendRequest{Target: at, Text: "say x", OverrideBudget: override})
			return err
		},
		"interrupt": func(ctx context.Context, f *Fleet, override bool) error {
			_, err := f.Interrupt(ctx, InterruptRequest{Target: at, Force: true, Text: "say x", OverrideBudget: override})
			return err
		},
		"answer": func(ctx context.Context, f *Fleet, override bool) error {
			_, err := f.Answer(ctx, AnswerRequest{Target: at, Act: Say, Text: "say x", OverrideBudget: override})
			return err
		},
		"spawn": func(ctx context.Context, f *Fleet, override bool) error {
			_, err := f.Spawn(ctx, SpawnRequest{Session: "web", Launch: LaunchRequest{Wishes: []Wish{{Kind: "stub", Count: 1}}, Prompt: "say x", OverrideBudget: override}})
			return err
		},
		"add": func(ctx context.Context, f *Fleet, override bool) error {
			_, err := f.Add(ctx, AddRequest{Session: "api", Launch: LaunchRequest{Wishes: []Wish{{Kind: "stub", Count: 1}}, Prompt: "say x", OverrideBudget: override}})
			return err
		},
	}
	for name, way := range ways {
		for _, override := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				a := newActor()
				a.dialog = name == "answer"
				asked := []string{}
				f := Open(Options{Engine: a, Kinds: kindsOf(t, stub), Environ: []string{"PATH=/usr/bin:/bin"}, Afford: func(_ context.Context, sessions []string) error {
					asked = append(asked, sessions...)
					return over
				}})
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				if override {
					stop() // it need not be carried out to see that nobody asks
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
				if len(a.pasted)+len(a.pressed)+len(a.launches) > 0 {
					t.Errorf("something was done: pasted %q, pressed %q, started %d", a.pasted, a.pressed, len(a.launches))
				}
			})
		}
	}
}

func TestADeliveryThatNobodyAskedForAsksForItself(t *testing.T) {
	a := newActor()
	f := Open(Options{Engine: a, Kinds: kindsOf(t, stub), Afford: func(_ context.Context, sessions []string) error {
		return core.Errorf(core.BudgetExceeded, "too much for %v", sessions)
	}})
	d := f.deliver(t.Context(), &core.Pane{ID: "%1", Session: "api", Ordinal: 1, Agent: core.Agent{Kind: "scripted", Name: "scr_1"}}, order{text: "say x"})
	if d.Outcome != Refused || d.Why != whyBudget || len(a.pasted) > 0 || slices.Contains(a.pressed, "Enter") {
		t.Errorf("%+v; pasted %q", d, a.pasted)
	}
}

package fleet_test

import (
	"slices"
	"testing"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
)

// An act on one pane reads the screens of no others, however many agents there
// are.
func TestActionCapturesOnlyItsPanes(t *testing.T) {
	t.Parallel()
	one := resolve.Target{Session: "api.1"}
	for name, act := range map[string]func(*fleet.Fleet) error{
		"send": func(f *fleet.Fleet) error {
			_, err := f.Sender.Send(t.Context(), deliver.Request{Target: one, Text: "hi", DryRun: true})
			return err
		},
		"answer": func(f *fleet.Fleet) error {
			_, err := f.Sender.Answer(t.Context(),
				deliver.AnswerRequest{Target: one, Act: core.ActApprove, DryRun: true})
			return err
		},
		"interrupt": func(f *fleet.Fleet) error {
			_, err := f.Sender.Interrupt(t.Context(), deliver.InterruptRequest{Target: one, DryRun: true})
			return err
		},
		"tail": func(f *fleet.Fleet) error {
			_, err := f.Output.Tail(t.Context(), output.Request{Target: one})
			return err
		},
		"inspect": func(f *fleet.Fleet) error { _, err := f.Output.Inspect(t.Context(), "api.1", 5); return err },
		"explain": func(f *fleet.Fleet) error { _, err := f.Observer.Explain(t.Context(), one); return err },
		"chosen": func(f *fleet.Fleet) error {
			_, _, err := f.Overview.Chosen(t.Context(), one, observe.View{})
			return err
		},
		"replies": func(f *fleet.Fleet) error { _, err := f.Conversations.Replies(t.Context(), one); return err },
	} {
		p := &fleettest.Engine{Listing: fleettest.TwoSessions(), Screens: map[core.PaneID][]string{}}
		for _, pane := range p.Listing.Panes {
			p.Screens[pane.ID] = []string{"nothing of it is drawn"}
		}
		f := openFake(t, p)
		snapshot, err := f.Observer.Outline(t.Context(), observe.View{})
		if err != nil || len(p.Asked) > 0 {
			t.Fatalf("an outline asked for %v, %v", p.Asked, err)
		}
		_, pane, err := resolve.Locate(snapshot.Snapshot, one.Session)
		if err != nil {
			t.Fatal(err)
		}
		err = act(f)
		if !slices.Contains(p.Asked, pane.ID) ||
			slices.ContainsFunc(p.Asked, func(id core.PaneID) bool { return id != pane.ID }) {
			t.Errorf("%s (%v) read %v, want only %s", name, err, p.Asked, pane.ID)
		}
	}
	p := &fleettest.Engine{Listing: fleettest.TwoSessions(), Screens: map[core.PaneID][]string{}}
	if _, err := openFake(t, p).Sender.Keys(t.Context(),
		deliver.KeysRequest{Target: one, Keys: []string{"Enter"}, DryRun: true}); err != nil || len(p.Asked) > 0 {
		t.Errorf("keys read %v, %v", p.Asked, err)
	}
}

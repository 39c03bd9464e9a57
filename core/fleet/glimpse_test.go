package fleet

import (
	"slices"
	"testing"

	"cupola/core"
)

// An act on one pane reads the screens of no others, however many agents there
// are.
func TestAnActReadsOnlyThePanesItIsAbout(t *testing.T) {
	one := Target{Session: "api.1"}
	for name, act := range map[string]func(*Fleet) error{
		"send": func(f *Fleet) error {
			_, err := f.Send(t.Context(), SendRequest{Target: one, Text: "hi", DryRun: true})
			return err
		},
		"answer": func(f *Fleet) error {
			_, err := f.Answer(t.Context(), AnswerRequest{Target: one, Act: Approve, DryRun: true})
			return err
		},
		"interrupt": func(f *Fleet) error {
			_, err := f.Interrupt(t.Context(), InterruptRequest{Target: one, DryRun: true})
			return err
		},
		"tail":    func(f *Fleet) error { _, err := f.Tail(t.Context(), TailRequest{Target: one}); return err },
		"inspect": func(f *Fleet) error { _, err := f.Inspect(t.Context(), "api.1", 5); return err },
		"explain": func(f *Fleet) error { _, err := f.Explain(t.Context(), one); return err },
		"chosen":  func(f *Fleet) error { _, _, err := f.Chosen(t.Context(), one, View{}); return err },
		"replies": func(f *Fleet) error { _, err := f.Replies(t.Context(), one); return err },
	} {
		p := &puppet{listing: cast(), screens: map[core.PaneID][]string{}}
		for _, pane := range p.listing.Panes {
			p.screens[pane.ID] = []string{"nothing of it is drawn"}
		}
		f := staged(t, p)
		snapshot, err := f.outline(t.Context())
		if err != nil || len(p.asked) > 0 {
			t.Fatalf("an outline asked for %v, %v", p.asked, err)
		}
		_, pane, err := place(snapshot, one.Session)
		if err != nil {
			t.Fatal(err)
		}
		err = act(f)
		if !slices.Contains(p.asked, pane.ID) || slices.ContainsFunc(p.asked, func(id core.PaneID) bool { return id != pane.ID }) {
			t.Errorf("%s (%v) read %v, want only %s", name, err, p.asked, pane.ID)
		}
	}
	p := &puppet{listing: cast(), screens: map[core.PaneID][]string{}}
	if _, err := staged(t, p).Keys(t.Context(), KeysRequest{Target: one, Keys: []string{"Enter"}, DryRun: true}); err != nil || len(p.asked) > 0 {
		t.Errorf("keys read %v, %v", p.asked, err)
	}
}

package cli

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core/fleet"
)

func TestAnAgentWasAskedWhatItTook(t *testing.T) {
	j := &journal{path: filepath.Join(t.TempDir(), "cupola.db"), server: "/s"}
	t.Cleanup(func() { _ = j.Close() })
	pane, other := fleet.PaneRef{Session: "api", Ordinal: 1, Pane: "%1"}, fleet.PaneRef{Session: "api", Ordinal: 2, Pane: "%2"}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		text    string
		pane    fleet.PaneRef
		outcome fleet.Outcome
	}{
		{"before", pane, fleet.Delivered},
		{"first", pane, fleet.Delivered},
		{"left in the composer", pane, fleet.Typed},
		{"refused", pane, fleet.Refused},
		{"perhaps", pane, fleet.Unconfirmed},
		{"another's", other, fleet.Delivered},
		{"second", pane, fleet.Queued},
	} {
		at := noon.Add(time.Duration(i) * time.Minute)
		prompt := fleet.Prompt{ID: fleet.NewPromptID(at), At: at, Origin: fleet.OriginSend, Text: c.text, Panes: []fleet.PaneRef{c.pane}}
		if err := j.Sending(t.Context(), prompt); err != nil {
			t.Fatal(err)
		}
		if err := j.Sent(t.Context(), prompt.ID, []fleet.Delivery{{PaneRef: c.pane, Outcome: c.outcome}}); err != nil {
			t.Fatal(err)
		}
	}
	if perhaps, err := j.Unconfirmed(t.Context(), pane, noon); err != nil || !slices.Equal(perhaps, []string{"perhaps"}) {
		t.Errorf("unconfirmed %q, %v", perhaps, err)
	}
	newest, err := j.Newest(t.Context(), noon.Add(time.Second))
	if err != nil || len(newest) != 2 || newest["%1"].Text != "second" || !newest["%1"].Sent.Equal(noon.Add(6*time.Minute)) || newest["%1"].At.IsZero() || newest["%2"].Text != "another's" {
		t.Errorf("newest %v, %v", newest, err)
	}
	got, err := j.Asked(t.Context(), pane, noon.Add(time.Second))
	if err != nil || !slices.Equal(got, []string{"second", "first"}) {
		t.Errorf("got %q, %v", got, err)
	}
}

package records

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core"
)

func TestJournalReturnsTakenPrompts(t *testing.T) {
	j := &Journal{File: &File{Path: filepath.Join(t.TempDir(), "cupola.db")}, Server: "/s"}
	t.Cleanup(func() { _ = j.File.Close() })
	pane, other := core.PaneRef{Session: "api", Ordinal: 1, Pane: "%1"},
		core.PaneRef{Session: "api", Ordinal: 2, Pane: "%2"}
	noon := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for i, c := range []struct {
		text    string
		pane    core.PaneRef
		outcome core.Outcome
	}{
		{"before", pane, core.Delivered},
		{"first", pane, core.Delivered},
		{"left in the composer", pane, core.Typed},
		{"refused", pane, core.Refused},
		{"gone by now", pane, core.Unconfirmed},
		{"another's", other, core.Delivered},
		{"second", pane, core.Queued},
		{"perhaps", pane, core.Unconfirmed},
	} {
		at := noon.Add(time.Duration(i) * time.Minute)
		prompt := core.NewPrompt(core.OriginSend, c.text, c.pane)
		prompt.ID, prompt.At = core.NewPromptID(at), at
		if err := j.Sending(t.Context(), *prompt); err != nil {
			t.Fatal(err)
		}
		prompt.Deliveries[0].Result = core.Result{Outcome: c.outcome, At: at}
		if err := j.Sent(t.Context(), prompt.ID, prompt.Deliveries); err != nil {
			t.Fatal(err)
		}
	}
	if perhaps, err := j.Unconfirmed(t.Context(), pane, noon); err != nil ||
		!slices.Equal(perhaps, []string{"perhaps"}) {
		t.Errorf("unconfirmed %q, %v", perhaps, err)
	}
	newest, err := j.Newest(t.Context(), noon.Add(time.Second))
	if err != nil || len(newest) != 2 || newest["%1"].Text != "second" ||
		!newest["%1"].Sent.Equal(noon.Add(6*time.Minute)) || newest["%1"].At.IsZero() ||
		newest["%2"].Text != "another's" {
		t.Errorf("newest %v, %v", newest, err)
	}
	got, err := j.Asked(t.Context(), pane, noon.Add(time.Second))
	if err != nil || len(got) != 2 || got[0].Text != "second" || got[1].Text != "first" ||
		!got[0].Sent.Equal(noon.Add(6*time.Minute)) {
		t.Errorf("got %v, %v", got, err)
	}
}

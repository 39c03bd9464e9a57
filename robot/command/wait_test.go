package command

import (
	"context"
	"maps"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/store"
)

func TestWhoTookAPromptAMomentAgoMayStillSeemIdle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cupola.db")
	records, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer records.Close()
	ago := func(pane core.PaneID, outcome fleet.Outcome, ago time.Duration) store.Delivery {
		return store.Delivery{Session: "api", Pane: pane, Outcome: string(outcome), At: noon.Add(-ago)}
	}
	for id, deliveries := range map[string][]store.Delivery{
		"first":     {ago("%1", fleet.Delivered, time.Second), ago("%2", fleet.Refused, time.Second), ago("%3", fleet.Delivered, startsWithin)},
		"elsewhere": {ago("%5", fleet.Delivered, time.Second)},
		"second":    {ago("%1", fleet.Delivered, 2*time.Second), ago("%4", fleet.Queued, time.Second)},
	} {
		server := "/s"
		if id == "elsewhere" {
			server = "/other"
		}
		if err := records.SavePrompt(t.Context(), store.Prompt{ID: id, At: noon.Add(-10 * time.Second), Server: server, Session: "api", Text: "go on", Deliveries: deliveries}); err != nil {
			t.Fatal(err)
		}
	}
	if got := givenLately(t.Context(), staged(t, &server{})); len(got) != 0 {
		t.Errorf("without records %v", got)
	}
	deps := staged(t, &server{})
	deps.OpenStore = func(ctx context.Context) (*store.Store, error) { return store.OpenReadOnly(ctx, path, store.Options{}) }
	want := map[core.PaneID]time.Time{"%1": noon.Add(startsWithin - time.Second)}
	if got := givenLately(t.Context(), deps); !maps.EqualFunc(got, want, time.Time.Equal) {
		t.Errorf("%v, not %v", got, want)
	}
}

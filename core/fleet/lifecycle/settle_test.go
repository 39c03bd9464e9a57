package lifecycle

import (
	"log/slog"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

func TestSettleTagsWhatIsShown(t *testing.T) {
	listing := fleettest.TwoSessions()
	eng, kinds, log := &fleettest.Engine{Listing: listing}, fleettest.Kinds(t, nil), slog.New(slog.DiscardHandler)
	dir, resolver := rundir.New(eng, "", "", time.Now, log), resolve.New(kinds, false)
	observer := observe.New(observe.Options{
		Engine: eng, Kinds: kinds, Resolver: resolver, Dir: dir, Now: time.Now,
		Log: log,
	})
	seen, err := observer.Outline(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	tags, next := settle(listing, seen.Snapshot.Session("api"))
	if next != 5 || len(tags) != 1 || tags[0] != (engine.Tag{Pane: "%12", Name: engine.TagOrdinal, Value: "4"}) {
		t.Errorf("api: tags %v, next %d", tags, next)
	}
	if tags, next := settle(listing, seen.Snapshot.Session("web")); next != 3 || len(tags) != 3 {
		t.Errorf("web: tags %v, next %d", tags, next)
	}
}

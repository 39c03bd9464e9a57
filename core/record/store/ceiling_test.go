package store_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

func TestACeilingTakesThePlaceOfTheOneBefore(t *testing.T) {
	path := storePath(t)
	c := store.CeilingsIn(open(t, path, store.Options{}))
	day := store.Ceiling{Scope: "day", Unit: "usd", Most: 5, SetAt: noon}
	web := store.Ceiling{
		Scope: "session", Session: "web", Unit: "tokens", Most: 100, Since: noon.Add(-time.Hour),
		SetAt: noon,
	}
	for _, one := range []store.Ceiling{web, {Scope: "day", Unit: "usd", Most: 3}, day} {
		if err := c.Set(t.Context(), one); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []store.Ceilings{c, store.CeilingsIn(reader(t, path))} {
		if all, err := c.All(t.Context()); err != nil || !slices.Equal(all, []store.Ceiling{day, web}) {
			t.Errorf("got %+v, %v", all, err)
		}
	}
	if err := c.Remove(t.Context(), store.Ceiling{Scope: "day", Unit: "usd"}); err != nil {
		t.Fatal(err)
	}
	if all, err := c.All(t.Context()); err != nil || !slices.Equal(all, []store.Ceiling{web}) {
		t.Errorf("left are %+v, %v", all, err)
	}
	for what, says := range map[store.Ceiling]string{
		{Scope: "day", Unit: "usd"}:                        "no ceiling in usd for the day",
		{Scope: "session", Unit: "usd"}:                    "no ceiling in usd for every session",
		{Scope: "session", Session: "web", Unit: "usd"}:    "no ceiling in usd for session web",
		{Scope: "session", Session: "api", Unit: "tokens"}: "no ceiling in tokens for session api",
	} {
		if e := failsWith(t, c.Remove(t.Context(), what), core.NotFound); !strings.Contains(e.Message, says) {
			t.Errorf("%+v: it says %q", what, e.Message)
		}
	}
}

func TestWhatWasPassedKeepsItsTimeUntilTheCeilingChanges(t *testing.T) {
	path := storePath(t)
	c := store.CeilingsIn(open(t, path, store.Options{}))
	first := store.Passing{Scope: "day", Unit: "usd", Period: "2026-01-31", Percent: 80, At: noon}
	later := first
	later.At = noon.Add(time.Hour)
	whole := later
	whole.Percent = 100
	other := store.Passing{Scope: "day", Unit: "tokens", Period: "2026-01-31", Percent: 80, At: later.At}
	for _, passings := range [][]store.Passing{{first}, {later, whole, other}} {
		if err := c.Pass(t.Context(), passings); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := c.Passings(t.Context()); err != nil || !slices.Equal(got, []store.Passing{first, other, whole}) {
		t.Errorf("got %+v, %v", got, err)
	}
	if err := c.Set(t.Context(), store.Ceiling{Scope: "day", Unit: "usd", Most: 1}); err != nil {
		t.Fatal(err)
	}
	if got, err := store.CeilingsIn(reader(t, path)).Passings(t.Context()); err != nil ||
		!slices.Equal(got, []store.Passing{other}) {
		t.Errorf("left are %+v, %v", got, err)
	}
}

func TestAStoreThatIsReadOrNotThereHasNoCeilingsToSet(t *testing.T) {
	c := store.CeilingsIn(reader(t, filepath.Join(t.TempDir(), "none.db")))
	if all, err := c.All(t.Context()); err != nil || all == nil || len(all) > 0 {
		t.Errorf("ceilings: %v, %v", all, err)
	}
	if all, err := c.Passings(t.Context()); err != nil || all == nil || len(all) > 0 {
		t.Errorf("passings: %v, %v", all, err)
	}
	failsWith(t, c.Set(t.Context(), store.Ceiling{Scope: "day"}), core.StoreError)
	failsWith(t, c.Pass(t.Context(), []store.Passing{{Scope: "day"}}), core.StoreError)
}

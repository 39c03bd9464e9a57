package core_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"cupola/core"
)

// drawnSnapshot is any small snapshot.
func drawnSnapshot(t *rapid.T, revision core.Revision) *core.Snapshot {
	s := &core.Snapshot{Revision: revision, EngineUp: rapid.Bool().Draw(t, "up")}
	for _, id := range rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 0, 4, rapid.ID).Draw(t, "sessions") {
		session := core.Session{
			ID: core.SessionID(fmt.Sprint("$", id)), Name: rapid.SampledFrom([]string{"api", "web"}).Draw(t, "name"),
		}
		for _, pane := range rapid.SliceOfNDistinct(rapid.IntRange(0, 4), 0, 4, rapid.ID).Draw(t, "panes") {
			session.Panes = append(session.Panes, core.Pane{
				ID:    core.PaneID(fmt.Sprint("%", id, pane)),
				Title: rapid.SampledFrom([]string{"", "x"}).Draw(t, "title"),
			})
		}
		s.Sessions = append(s.Sessions, session)
	}
	for _, id := range rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b"}), 0, 2).Draw(t, "alerts") {
		s.Alerts = append(s.Alerts, core.Alert{ID: id})
	}
	return s
}

// A delta makes the second snapshot of the first, and of no other.
func TestDeltasApplyToTheirFirstSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := drawnSnapshot(t, 5), drawnSnapshot(t, 7)
		text, err := json.Marshal(core.DeltaOf(before, after))
		if err != nil {
			t.Fatal(err)
		}
		var delta core.Delta
		if err := json.Unmarshal(text, &delta); err != nil {
			t.Fatal(err)
		}
		got, applied := delta.Apply(before)
		if diff := cmp.Diff(after, got, cmpopts.EquateEmpty()); !applied || diff != "" {
			t.Errorf("%v:\n%s", applied, diff)
		}
		if same, applied := delta.Apply(after); applied || same != after {
			t.Error("it applies to a snapshot that has it")
		}
	})
	if _, applied := (&core.Delta{}).Apply(nil); applied {
		t.Error("it applies to nothing")
	}
}

// What did not change is not in a delta.
func TestDeltasAreSmall(t *testing.T) {
	before := testSnapshot()
	after := testSnapshot()
	after.Revision = 1
	after.Sessions[1].Panes[0].Status.State = core.Working
	d := core.DeltaOf(before, after)
	if len(d.Sessions) != 1 || len(d.Sessions[0].Panes) != 1 || d.Order != nil || d.Panes != nil || d.Alerts != nil {
		t.Errorf("%+v", d)
	}
	if d := core.DeltaOf(before, before); len(d.Sessions) != 0 {
		t.Errorf("%+v", d)
	}
}

package measure

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

func TestAFileThatTwoAgentsEditIsAnAlert(t *testing.T) {
	w := fleettest.NewWorkspace(t)
	w.ClaudeHome(t)
	w.Repository(t, "api")
	w.Write(t, "api/both.go", "")
	w.Claude(t, "a", "api", "api/both.go")
	w.Claude(t, "b", "api/web", "api/both.go")
	if err := os.MkdirAll(filepath.Join(w.Dir, "api", "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	eng := &fleettest.Engine{Listing: fleettest.ListingOf(w.Snapshot)}
	observer, surveyor := open(t, eng, time.Now)
	seen, err := observer.Outline(t.Context(), observe.View{Dirs: true, Brief: true})
	if err != nil {
		t.Fatal(err)
	}
	still, roots := surveyor.Conflicts(t.Context(), seen, time.Now().Add(-conflictsFor), nil)
	if len(still) != 0 || len(roots) != 0 {
		t.Errorf("a tree without movement was surveyed: %+v in %q", still, roots)
	}
	trees, snapshot := NewTreeMonitor(observer, surveyor, time.Now), seen.Snapshot
	trees.Note(snapshot, nil)
	trees.poll(t.Context())
	if len(trees.conflicts) != 0 {
		t.Errorf("no pane moved, and it found %+v", trees.conflicts)
	}
	a := snapshot.Panes()[0]
	trees.Note(snapshot, map[core.PaneID]time.Time{a.ID: time.Now()})
	if !trees.poll(t.Context()) || len(trees.conflicts) != 1 ||
		trees.conflicts[0].Path != "both.go" || len(trees.conflicts[0].Panes) != 2 {
		t.Fatalf("%+v", trees.conflicts)
	}
	var tracker alert.Tracker
	update := func(now time.Time) []alert.Change {
		facts := alert.Facts{Now: now, Snapshot: snapshot}
		trees.Fill(&facts)
		return tracker.Update(now, alert.Rules(facts))
	}
	update(time.Now())
	raised, file := tracker.Open(), filepath.Join(w.Dir, "api", "both.go")
	if len(raised) != 1 || raised[0].ID != "file_conflict:"+file ||
		raised[0].Message != "api.1 and api.2 changed both.go" || raised[0].Pane == "" {
		t.Errorf("%+v", raised)
	}
	changes := update(time.Now().Add(2 * conflictsFor))
	if len(changes) != 1 || changes[0].Type != core.AlertResolved {
		t.Errorf("an old change still counts: %+v", changes)
	}
}

func TestFullDisksAreNamedByWhereTheyBegin(t *testing.T) {
	dir := t.TempDir()
	panes := []core.Pane{
		{Process: core.Process{Dir: filepath.Join(dir, "none")}}, {Process: core.Process{Dir: "relative"}},
	}
	snapshot := &core.Snapshot{Sessions: []core.Session{
		{Name: "api", Dir: dir, Panes: panes},
		{Name: "web", Dir: "/"},
	}}
	disks := DisksOf(FoldersOf(snapshot))
	if len(disks) == 0 || len(disks) > 2 || disks[0].Path != "/" ||
		disks[0].Total == 0 || disks[0].Free > disks[0].Total {
		t.Errorf("%+v", disks)
	}
	if none := DisksOf(nil); none != nil {
		t.Errorf("%+v", none)
	}
	if !sameDisks(disks, disks) || sameDisks(disks, nil) {
		t.Error("disks are compared wrongly")
	}
}

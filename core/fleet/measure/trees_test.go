package measure

import (
	"cupola/core"
	"cupola/core/alert"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAFileThatTwoAgentsEditIsAnAlert(t *testing.T) {
	g := worklog.newGround(t)
	t.Setenv("HOME", filepath.Join(g.dir, "home"))
	t.Setenv("CLAUDE_CONFIG_DIR", "")
	g.repository(t, "api")
	g.write(t, "api/both.go", "")
	a := g.claude(t, "a", "api", "api/both.go")
	g.claude(t, "b", "api/web", "api/both.go")
	if err := os.MkdirAll(filepath.Join(g.dir, "api", "web"), 0o700); err != nil {
		t.Fatal(err)
	}
	if still := g.Shared(t.Context(), g.picture, nil); len(still) != 0 || len(g.Trees) != 0 {
		t.Errorf("a tree in which nobody moved was looked at: %+v", still)
	}
	found := g.Shared(t.Context(), g.picture, []core.PaneID{a.ID})
	if len(found) != 1 || found[0].Path != "both.go" || len(found[0].Panes) != 2 {
		t.Fatalf("%+v", found)
	}
	w := keeper.newAlertTracker(alert.Defaults())
	w.patrol.conflicts = found
	g.picture.EngineUp = true
	w.take(nil, g.picture, nil, time.Now())
	raised := g.picture.Alerts
	file := filepath.Join(g.dir, "api", "both.go")
	if len(raised) != 1 || raised[0].ID != "file_conflict:"+file || raised[0].Message != "api.1 and api.2 changed both.go" || raised[0].Pane == "" {
		t.Errorf("%+v", raised)
	}
	if changes := w.take(nil, g.picture, nil, time.Now().Add(2*conflictsFor)); len(changes) != 1 || changes[0].Type != core.AlertResolved {
		t.Errorf("an old change still counts: %+v", changes)
	}
}

func TestFullDisksAreNamedByWhereTheyBegin(t *testing.T) {
	dir := t.TempDir()
	picture := &core.Snapshot{Sessions: []core.Session{
		{Name: "api", Dir: dir, Panes: []core.Pane{{Process: core.Process{Dir: filepath.Join(dir, "none")}}, {Process: core.Process{Dir: "relative"}}}},
		{Name: "web", Dir: "/"},
	}}
	disks := DisksOf(FoldersOf(picture))
	if len(disks) == 0 || len(disks) > 2 || disks[0].Path != "/" || disks[0].Total == 0 || disks[0].Free > disks[0].Total {
		t.Errorf("%+v", disks)
	}
	if none := DisksOf(nil); none != nil {
		t.Errorf("%+v", none)
	}
	if !sameDisks(disks, disks) || sameDisks(disks, nil) {
		t.Error("disks are compared wrongly")
	}
}

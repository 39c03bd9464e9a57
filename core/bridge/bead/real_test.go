//go:build agents

package bead_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"cupola/core"
	"cupola/core/bridge/bead"
)

// TestTheRealToolDoesWhatIsAsked runs the bd that is on the PATH on a new project.
func TestTheRealToolDoesWhatIsAsked(t *testing.T) {
	path, err := exec.LookPath("bd")
	if err != nil {
		t.Skip("bd is not on the PATH")
	}
	dir := t.TempDir()
	t.Setenv("BEADS_NO_DAEMON", "1")
	for _, argv := range [][]string{{"git", "init", "-q"}, {path, "init", "--prefix=t"}} {
		cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, out)
		}
	}
	project := bead.Project{Root: dir, Beads: filepath.Join(dir, ".beads")}
	tool, ctx := &bead.Tool{Name: "bd", Path: path, Environ: os.Environ()}, t.Context()
	first, err := tool.Create(ctx, project, &bead.Draft{
		Title: "Read the file", Type: "feature", Priority: "1", Labels: []string{"io"},
	})
	if err != nil || first.Title != "Read the file" || first.Type != "feature" || first.Priority != 1 {
		t.Fatalf("created %+v, %v", first, err)
	}
	_, err = tool.Create(ctx, project, &bead.Draft{Title: "Write the file", DependsOn: []string{first.ID}})
	if err != nil {
		t.Error(err)
	}
	claimed, err := tool.Claim(ctx, project, first.ID, "cc_1")
	if err != nil || claimed.Status != bead.InProgress || claimed.Assignee != "cc_1" {
		t.Errorf("claimed %+v, %v", claimed, err)
	}
	if _, err := tool.Claim(ctx, project, first.ID, "cc_2"); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("claimed twice: %v", err)
	}
	if err := tool.Release(ctx, project, first.ID); err != nil {
		t.Error(err)
	}
	closed, err := tool.Close(ctx, project, first.ID, "it is done")
	if err != nil || closed.Status != bead.Closed {
		t.Errorf("closed %+v, %v", closed, err)
	}
	_, unclosed := tool.Close(ctx, project, "t-nosuch", "")
	_, unclaimed := tool.Claim(ctx, project, "t-nosuch", "cc_1")
	for _, err := range []error{unclosed, unclaimed} {
		if !core.AsError(err).HasCode(core.NotFound) {
			t.Errorf("an item that is not there: %v", err)
		}
	}
	if _, err := os.Stat(filepath.Join(project.Beads, "daemon.pid")); err == nil {
		t.Error("a daemon was left running")
	}
}

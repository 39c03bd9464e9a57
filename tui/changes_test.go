package tui

import (
	"errors"
	"strings"
	"testing"

	"cupola/core/changes"
	"cupola/core/git"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
)

// treesOfFixture are the working trees of the fixture's agents.
func treesOfFixture() []changes.Tree {
	return []changes.Tree{
		{Root: "/src/api", Branch: "main", Files: []changes.File{
			{Change: git.Change{Path: "server/handler.go", Kind: git.Modified, Unstaged: true}, Lines: git.Lines{Added: 10, Deleted: 3}},
			{Change: git.Change{Path: "server/serve.go", Kind: git.Added, Staged: true}, Lines: git.Lines{Added: 90}},
			{
				Change: git.Change{Path: "go.mod", Kind: git.Modified, Staged: true, Unstaged: true},
				Lines:  git.Lines{Added: 1, Deleted: 1},
			},
			{Change: git.Change{Path: "both.go", Kind: git.Unmerged, Unstaged: true}, Lines: git.Lines{Added: 4, Deleted: 2}},
			{Change: git.Change{Path: "docs/日本語 \x1b[2J.md", Kind: git.Untracked, Unstaged: true}, Lines: git.Lines{Added: 12}},
			{Change: git.Change{Path: "logo.png", Kind: git.Untracked, Unstaged: true}, Lines: git.Lines{Added: -1, Deleted: -1}},
		}},
		{
			Root: "/src/api-worktrees/api/cc_1", Branch: "cupola/api/cc_1", Worktree: "api/cc_1", Base: "main",
			Ahead: 2, Behind: 1, Files: []changes.File{
				{Change: git.Change{Path: "server/route.go", Kind: git.Modified}, Lines: git.Lines{Added: 28}, Committed: true},
			},
		},
		{Root: "/src/web", Branch: "main"},
	}
}

const patchOfFixture = `diff --git a/server/handler.go b/server/handler.go
index 1111111..2222222 100644
--- a/server/handler.go
+++ b/server/handler.go
@@ -10,7 +10,9 @@ package server
 import "io"

-func serve(w io.Writer) error {
+// Serve writes 日本語 and \x1b[2J nothing else.
+func Serve(w io.Writer) error { // and this is a long line that goes on beyond the edge of any display of usual width, or of two
 	return nil
 }
`

// changed opens the screen of the changes, and answers what it asks.
func (s *harness) changed() {
	s.press("v")
	s.model.Update(effect.ChangesRead{Trees: treesOfFixture()})
	s.patched()
}

// patched answers the question about the patch that was asked last.
func (s *harness) patched() {
	s.model.Update(effect.PatchRead{Intent: s.model.changing.patch, Patch: patchOfFixture})
}

func TestChangesAreReadWhileTheyShow(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("v")
	if asked, is := s.recorder.last().(intent.ReadChanges); !is || asked.Again || asked.Snapshot == nil {
		t.Fatalf("asked %+v", asked)
	}
	s.shows("reading")
	s.model.Update(effect.ChangesRead{Trees: treesOfFixture()})
	asked := s.recorder.did
	if len(asked) != 2 || !asked[0].(intent.ReadChanges).Again {
		t.Fatalf("asked %+v", asked)
	}
	if patch := asked[1].(intent.ReadPatch); patch.Path != "server/handler.go" || patch.Tree.Root != "/src/api" {
		t.Errorf("asked %+v", patch)
	}
	old := s.model.changing.patch
	s.press("j")
	s.model.Update(effect.PatchRead{Intent: old, Patch: patchOfFixture})
	s.hides("func Serve")
	s.patched()
	s.shows("func Serve")
	s.recorder.did = nil
	s.press("esc")
	s.model.Update(effect.ChangesRead{Trees: treesOfFixture()})
	if asked := s.recorder.last(); asked != nil {
		t.Errorf("asked %+v although the screen is closed", asked)
	}
}

func TestChangesAreActedUpon(t *testing.T) {
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"s"}, intent.Stage{Root: "/src/api", Path: "server/handler.go"}},
		{[]string{"j", "s"}, intent.Stage{Root: "/src/api", Path: "server/serve.go", Undo: true}},
		{[]string{"j", "j", "s"}, intent.Stage{Root: "/src/api", Path: "go.mod"}},
		{[]string{"k", "s"}, intent.Stage{Root: "/src/api"}},
		{[]string{"D", "y"}, intent.Discard{Root: "/src/api", Path: "server/handler.go", Kind: git.Modified}},
		{[]string{"D", "n"}, nil},
		{[]string{"end", "k", "D"}, nil},
		{[]string{"M"}, nil},
		{[]string{"end", "k", "M", "y"}, intent.MergeTree{Root: "/src/api-worktrees/api/cc_1"}},
		{[]string{"E"}, intent.Edit{Root: "/src/api", Path: "server/handler.go"}},
		{[]string{"end", "E"}, intent.Edit{Root: "/src/web"}},
		{[]string{"y"}, intent.CopyText{Text: patchOfFixture}},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.changed()
		s.recorder.did = nil
		s.press(test.keys...)
		var got intent.Intent
		for _, did := range s.recorder.did {
			if _, reads := did.(intent.ReadPatch); !reads {
				got = did
			}
		}
		if got != test.want {
			t.Errorf("%v did %+v, want %+v", test.keys, got, test.want)
		}
	}
}

func TestACommitAsksForItsMessage(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.changed()
	s.press("C")
	s.shows("What is staged in api: 2 files.")
	s.press("ctrl+s")
	s.shows("A commit needs a message.")
	s.write("rename it")
	s.press("ctrl+s")
	want := intent.Commit{Root: "/src/api", Message: "rename it"}
	if got := s.recorder.last(); got != want {
		t.Fatalf("did %+v", got)
	}
	s.model.Update(effect.Done{Intent: want, Err: errors.New("hook: no")})
	s.shows("hook: no")
	s.shows("rename it")
}

func TestADifferenceStaysWhereItWasWhenItIsReadAgain(t *testing.T) {
	s := newHarness(t, theme.None, 100, 16)
	s.press("v")
	s.model.Update(effect.ChangesRead{Trees: treesOfFixture()})
	long := patchOfFixture + strings.Repeat(" same\n", 50) + "+the end\n"
	s.model.Update(effect.PatchRead{Intent: s.model.changing.patch, Patch: long})
	s.press("pgdown", "pgdown")
	s.hides("func Serve")
	s.model.Update(effect.ChangesRead{Trees: treesOfFixture()})
	s.model.Update(effect.PatchRead{Intent: s.model.changing.patch, Patch: long + "+more\n"})
	s.hides("func Serve")
	s.press("enter", "end")
	s.shows("+more")
}

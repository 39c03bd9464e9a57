package tui

import (
	"errors"
	"strings"
	"testing"

	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	shown "cupola/tui/screen/changes"
)

// changeOf is a file of a tree that changed.
func changeOf(path string, kind git.Kind, staged, unstaged bool, added, deleted int) changes.File {
	return changes.File{
		Change: git.Change{Path: path, Kind: kind, Staged: staged, Unstaged: unstaged},
		Lines:  git.Lines{Added: added, Deleted: deleted},
	}
}

// treesOfFixture are the working trees of the fixture's agents.
func treesOfFixture() []changes.Tree {
	committed := changeOf("server/route.go", git.Modified, false, false, 28, 0)
	committed.Committed = true
	return []changes.Tree{
		{Root: "/src/api", Branch: "main", Files: []changes.File{
			changeOf("server/handler.go", git.Modified, false, true, 10, 3),
			changeOf("server/serve.go", git.Added, true, false, 90, 0),
			changeOf("go.mod", git.Modified, true, true, 1, 1),
			changeOf("both.go", git.Unmerged, false, true, 4, 2),
			changeOf("docs/日本語 \x1b[2J.md", git.Untracked, false, true, 12, 0),
			changeOf("logo.png", git.Untracked, false, true, -1, -1),
		}},
		{
			Root: "/src/api-worktrees/api/cc_1", Branch: "cupola/api/cc_1", Worktree: "api/cc_1", Base: "main",
			Ahead: 2, Behind: 1, Files: []changes.File{committed},
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
	answer[shown.Question](s, treesOfFixture())
	s.patched()
}

// patched answers the question about the patch that was asked last.
func (s *harness) patched() {
	answer[shown.PatchQuestion](s, shown.Patch{Text: patchOfFixture})
}

func TestChangesAreReadWhileTheyShow(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.press("v")
	if got := wasAsked[shown.Question](s.recorder); got == nil || got.Known || got.Snapshot == nil {
		t.Fatalf("asked %+v", got)
	}
	s.shows("reading")
	answer[shown.Question](s, treesOfFixture())
	if again := open[shown.Question](s); !again.pending || !s.recorder.read[0].Known {
		t.Fatalf("asked %+v", s.recorder.read)
	}
	if patch := about[shown.PatchQuestion](s); patch.Path != "server/handler.go" || patch.Tree.Root != "/src/api" {
		t.Errorf("asked %+v", patch)
	}
	old := intent.Read{N: open[shown.PatchQuestion](s).n}
	s.press("j")
	s.model.Update(effect.Answered{Read: old, Answer: shown.Patch{Text: patchOfFixture}})
	s.hides("func Serve")
	s.patched()
	s.shows("func Serve")
	s.press("esc")
	if open[shown.Question](s) != nil {
		t.Error("it is read although the screen is closed")
	}
}

// onTree is an act on a tree or, with a path, on a file there.
func onTree(do sessions.TreeAct, path string) intent.Intent {
	in, what := sessions.ChangesIn{Tree: "/src/api", Do: do}, "api"
	switch {
	case path != "":
		in.Paths, what = []string{path}, path
	case do == sessions.Stage:
		what = "all of api"
	}
	in.Yes = do == sessions.Discard
	return intent.Act{Input: in, What: what}
}

func TestTheTreesAreComparedWithWhatTheUserChooses(t *testing.T) {
	s := newHarness(t, theme.None, 140, 40)
	s.changed()
	s.shows("since they left their branch")
	for _, base := range []changes.Base{changes.BaseCommit, changes.BaseLook, changes.BaseBranch} {
		s.press("b")
		if got := about[shown.Question](s); got.Base != base {
			t.Errorf("asked %+v, not since the %s", got, base)
		}
		answer[shown.Question](s, treesOfFixture())
	}
}

func TestChangesAreActedUpon(t *testing.T) {
	for _, test := range []struct {
		keys []string
		want intent.Intent
	}{
		{[]string{"s"}, onTree(sessions.Stage, "server/handler.go")},
		{[]string{"j", "s"}, onTree(sessions.Unstage, "server/serve.go")},
		{[]string{"j", "j", "s"}, onTree(sessions.Stage, "go.mod")},
		{[]string{"k", "s"}, onTree(sessions.Stage, "")},
		{[]string{"D", "y"}, onTree(sessions.Discard, "server/handler.go")},
		{[]string{"D", "n"}, nil},
		{[]string{"end", "k", "D"}, nil},
		{[]string{"M"}, nil},
		{[]string{"z"}, onTree(sessions.Look, "")},
		{[]string{"P", "ctrl+s"}, onTree(sessions.OpenPR, "")},
		{[]string{"end", "k", "M", "y"}, merging("/src/api-worktrees/api/cc_1")},
		{[]string{"E"}, intent.Edit{Root: "/src/api", Path: "server/handler.go"}},
		{[]string{"end", "E"}, intent.Edit{Root: "/src/web"}},
		{[]string{"y"}, intent.CopyText{Text: patchOfFixture}},
	} {
		s := newHarness(t, theme.None, 140, 40)
		s.changed()
		s.recorder.did = nil
		s.press(test.keys...)
		if diff := differ(test.want, s.recorder.exactly()); diff != "" {
			t.Errorf("%v: %s", test.keys, diff)
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
	in := sessions.ChangesIn{Tree: "/src/api", Do: sessions.Commit, Message: "rename it"}
	want := intent.Act{Input: in, What: "api"}
	if diff := differ(want, s.recorder.last()); diff != "" {
		t.Fatal(diff)
	}
	s.model.Update(effect.Done{Intent: want, Err: errors.New("hook: no")})
	s.shows("hook: no")
	s.shows("rename it")
}

func TestADifferenceStaysWhereItWasWhenItIsReadAgain(t *testing.T) {
	s := newHarness(t, theme.None, 100, 16)
	s.press("v")
	answer[shown.Question](s, treesOfFixture())
	long := patchOfFixture + strings.Repeat(" same\n", 50) + "+the end\n"
	answer[shown.PatchQuestion](s, shown.Patch{Text: long})
	s.press("pgdown", "pgdown")
	s.hides("func Serve")
	answer[shown.Question](s, treesOfFixture())
	answer[shown.PatchQuestion](s, shown.Patch{Text: long + "+more\n"})
	s.hides("func Serve")
	s.press("enter", "end")
	s.shows("+more")
}

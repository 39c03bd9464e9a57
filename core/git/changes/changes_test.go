package changes_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/changes"
	"cupola/core/git/gittest"
	"cupola/core/git/worktree"
)

// environ returns the environment of a user who can commit.
func environ() []string {
	return append(os.Environ(), "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_COMMITTER_NAME=Ada",
		"GIT_COMMITTER_EMAIL=ada@example.org", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}

// repository makes one with a commit of some files.
func repository(t *testing.T) string {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(top, "api")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, root, nil, "init", "--quiet", "--initial-branch=main")
	for _, name := range []string{"edited", "gone", "moved", "kept", "[a]*"} {
		write(t, root, name, name+"\none\ntwo\nthree\nfour\n")
	}
	gittest.Run(t, root, nil, "add", "--all")
	gittest.Run(t, root, nil, "commit", "--quiet", "--message=first")
	return root
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dirs ...string) []changes.Tree {
	t.Helper()
	trees, err := changes.Read(t.Context(), changes.BaseBranch, dirs, environ())
	if err != nil {
		t.Fatal(err)
	}
	return trees
}

// file finds the change of a file in the only tree.
func file(t *testing.T, root, path string) *changes.File {
	t.Helper()
	trees := read(t, root)
	for i := range trees[0].Files {
		if trees[0].Files[i].Path == path {
			return &trees[0].Files[i]
		}
	}
	return nil
}

func TestChangesOfATreeAreCounted(t *testing.T) {
	root := repository(t)
	write(t, root, "edited", "edited\none\n2\nthree\nfour\nfive\n")
	write(t, root, "new ü", "a\nb\nc")
	write(t, root, "picture", "\x00\x01")
	if err := os.Remove(filepath.Join(root, "gone")); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, root, nil, "mv", "moved", "elsewhere")
	trees := read(t, root, root, t.TempDir(), "/nowhere")
	if len(trees) != 1 || trees[0].Root != root || trees[0].Branch != "main" || trees[0].Worktree != "" {
		t.Fatalf("%+v", trees)
	}
	counts := map[string][2]int{"edited": {2, 1}, "new ü": {3, 0}, "picture": {-1, -1}, "gone": {0, 5}}
	for _, f := range trees[0].Files {
		if want, known := counts[f.Path]; known && (f.Added != want[0] || f.Deleted != want[1]) {
			t.Errorf("%s: +%d -%d, want %v", f.Path, f.Added, f.Deleted, want)
		}
		if f.Path == "elsewhere" && (f.Kind != git.Renamed || f.From != "moved" || !f.Staged) {
			t.Errorf("%+v", f)
		}
	}
	if files, staged := trees[0].Uncommitted(); files != 5 || staged != 1 {
		t.Errorf("%d files, %d staged", files, staged)
	}
	patch, cut, err := changes.Patch(t.Context(), &trees[0], "", environ())
	for _, want := range []string{"+five\n", "-gone\n", "+c\n", "rename from moved"} {
		if !strings.Contains(patch, want) || cut || err != nil {
			t.Errorf("%q is not in the patch (%v):\n%s", want, err, patch)
		}
	}
	if patch, _, err := changes.Patch(t.Context(), &trees[0], "new ü", environ()); err != nil ||
		!strings.Contains(patch, "+b\n") || strings.Contains(patch, "five") {
		t.Errorf("%v: %s", err, patch)
	}
}

func TestOnlyTheNamedFileIsStaged(t *testing.T) {
	root := repository(t)
	write(t, root, "[a]*", "other\n")
	write(t, root, "edited", "other\n")
	if _, err := changes.Stage(t.Context(), root, "[a]*", environ()); err != nil {
		t.Fatal(err)
	}
	if f := file(t, root, "[a]*"); f == nil || !f.Staged || f.Unstaged {
		t.Errorf("%+v", f)
	}
	if f := file(t, root, "edited"); f == nil || f.Staged {
		t.Errorf("%+v", f)
	}
	if _, err := changes.Unstage(t.Context(), root, &git.Change{Path: "[a]*"}, environ()); err != nil {
		t.Fatal(err)
	}
	if f := file(t, root, "[a]*"); f == nil || f.Staged || !f.Unstaged {
		t.Errorf("%+v", f)
	}
}

func TestWhatIsDiscardedCanBeBroughtBack(t *testing.T) {
	root := repository(t)
	for path, change := range map[string]func(){
		"edited": func() { write(t, root, "edited", "other\n") },
		"[a]*":   func() { write(t, root, "[a]*", "other\n"); gittest.Run(t, root, nil, "add", "--all") },
		"gone":   func() { _ = os.Remove(filepath.Join(root, "gone")) },
		"fresh":  func() { write(t, root, "fresh", "x\n") },
		"staged": func() { write(t, root, "staged", "x\n"); gittest.Run(t, root, nil, "add", "--all") },
	} {
		write(t, root, "kept", "mine\n")
		change()
		f := file(t, root, path)
		if f == nil {
			t.Fatalf("%s did not change", path)
		}
		undo, err := changes.Discard(t.Context(), root, &f.Change, environ())
		if err != nil || undo == nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if file(t, root, path) != nil || file(t, root, "kept") == nil {
			t.Errorf("%s: is still there, or another file is not", path)
		}
		if err := changes.Revert(t.Context(), undo, environ()); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if again := file(t, root, path); again == nil || !reflect.DeepEqual(again, f) {
			t.Errorf("%s came back as %+v, not %+v", path, again, f)
		}
		gittest.Run(t, root, nil, "reset", "--quiet", "--hard")
		gittest.Run(t, root, nil, "clean", "--quiet", "-fd")
	}
}

func TestCommitTakesWhatIsStagedElseAll(t *testing.T) {
	root := repository(t)
	commit := func(message string) error {
		_, _, err := changes.Commit(t.Context(), root, message, environ())
		return err
	}
	if err := commit("nothing"); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("%v", err)
	}
	if err := commit(" \n"); !core.AsError(err).HasCode(core.InvalidInput) {
		t.Errorf("%v", err)
	}
	write(t, root, "edited", "other\n")
	write(t, root, "fresh", "x\n")
	gittest.Run(t, root, nil, "add", "edited")
	if err := commit("--amend is no flag here"); err != nil {
		t.Fatal(err)
	}
	if file(t, root, "edited") != nil || file(t, root, "fresh") == nil {
		t.Error("not just what was staged is committed")
	}
	if err := commit("the rest"); err != nil {
		t.Fatal(err)
	}
	if trees := read(t, root); len(trees[0].Files) != 0 {
		t.Errorf("%+v", trees)
	}
	if got := gittest.Run(t, root, nil, "log", "--format=%s"); got != "the rest\n--amend is no flag here\nfirst" {
		t.Errorf("%q", got)
	}
}

func TestAWorktreeIsComparedWithItsBase(t *testing.T) {
	root := repository(t)
	made, err := worktree.Prepare(t.Context(), root, worktree.Options{Environ: environ()})
	if err != nil {
		t.Fatal(err)
	}
	added, err := made.Add(t.Context(), "web", "cc_1")
	if err != nil {
		t.Fatal(err)
	}
	dir := added.Dir
	if err := made.Make(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "edited", "edited\n")
	write(t, dir, "a\tnew one", "new\n")
	gittest.Run(t, dir, nil, "rm", "--quiet", "gone")
	gittest.Run(t, dir, nil, "add", "--all")
	gittest.Run(t, dir, nil, "commit", "--quiet", "--message=theirs")
	write(t, dir, "fresh", "x\n")
	if found := changes.Worktrees(t.Context(), []string{root, dir, t.TempDir()}, environ()); len(found) != 1 ||
		found[0] != dir {
		t.Errorf("the worktrees are %q", found)
	}
	trees := read(t, root, dir)
	if len(trees) != 2 {
		t.Fatalf("%+v", trees)
	}
	own := trees[slices.IndexFunc(trees, func(t changes.Tree) bool { return t.Worktree != "" })]
	if own.Worktree != "web/cc_1" || own.Base != "main" || own.Ahead != 1 || len(own.Files) != 4 {
		t.Fatalf("%+v", own)
	}
	kinds := map[string]git.Kind{
		"edited": git.Modified, "a\tnew one": git.Added, "gone": git.Deleted, "fresh": git.Untracked,
	}
	for _, f := range own.Files {
		if f.Committed != (f.Path != "fresh") || f.Kind != kinds[f.Path] {
			t.Errorf("%+v", f)
		}
	}
	gittest.Run(t, dir, nil, "mv", "moved", "elsewhere")
	for _, f := range read(t, dir)[0].Files {
		if f.Path == "moved" {
			t.Errorf("what was renamed is listed by its old name: %+v", f)
		}
	}
	if whole, _, err := changes.Patch(t.Context(), &own, "", environ()); err != nil ||
		!strings.Contains(whole, "-three\n") || !strings.Contains(whole, "+x\n") {
		t.Errorf("%v: %s", err, whole)
	}
	patch, _, err := changes.Patch(t.Context(), &own, "edited", environ())
	if err != nil || !strings.Contains(patch, "-three\n") {
		t.Errorf("%v: %s", err, patch)
	}
}

func TestReadingRunsNoProgramOfARepository(t *testing.T) {
	for _, trap := range append(slices.Clone(gittest.Traps), gittest.All) {
		t.Run(trap.Name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "api")
			sprung := trap.Lay(t, dir)
			for _, tree := range read(t, dir) {
				for _, f := range tree.Files {
					if _, _, err := changes.Patch(t.Context(), &tree, f.Path, environ()); err != nil {
						t.Log(err)
					}
				}
				_, _, _ = changes.Patch(t.Context(), &tree, "", environ())
			}
			if sprung() {
				t.Error("a program of the repository ran")
			}
		})
	}
}

// do carries out an act on a tree that can be undone.
func do(t *testing.T, undo *changes.Undo, err error) *changes.Undo {
	t.Helper()
	if err != nil || undo == nil {
		t.Fatalf("%+v, %v", undo, err)
	}
	return undo
}

func TestACommitIsUndoneWithWhatWasStaged(t *testing.T) {
	root := repository(t)
	write(t, root, "edited", "other\n")
	write(t, root, "fresh", "x\n")
	before := gittest.Run(t, root, nil, "status", "--porcelain")
	_, undo, err := changes.Commit(t.Context(), root, "all", environ())
	do(t, undo, err)
	if err := changes.Revert(t.Context(), undo, environ()); err != nil {
		t.Fatal(err)
	}
	if after := gittest.Run(t, root, nil, "status", "--porcelain"); after != before {
		t.Errorf("the tree is\n%s, not\n%s", after, before)
	}
	if kept := gittest.Run(t, root, nil, "log", "-1", "--format=%s", undo.After.Head); !strings.Contains(kept, "all") {
		t.Errorf("the commit is gone: %q", kept)
	}
	if err := changes.Revert(t.Context(), undo, environ()); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("it was undone twice: %v", err)
	}
}

func TestWhatWasChangedOrPushedSinceStays(t *testing.T) {
	root := repository(t)
	write(t, root, "edited", "other\n")
	f := file(t, root, "edited")
	undo, err := changes.Discard(t.Context(), root, &f.Change, environ())
	do(t, undo, err)
	write(t, root, "edited", "somebody else's\n")
	if err := changes.Revert(t.Context(), undo, environ()); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("a newer change was overwritten: %v", err)
	}
	staged, err := changes.Stage(t.Context(), root, "edited", environ())
	do(t, staged, err)
	write(t, root, "fresh", "x\n")
	gittest.Run(t, root, nil, "add", "fresh")
	if err := changes.Revert(t.Context(), staged, environ()); !core.AsError(err).HasCode(core.Conflict) {
		t.Errorf("more was staged since: %v", err)
	}
	_, committed, err := changes.Commit(t.Context(), root, "all", environ())
	do(t, committed, err)
	gittest.Run(t, root, nil, "update-ref", "refs/remotes/origin/main", "HEAD")
	e := core.AsError(changes.Revert(t.Context(), committed, environ()))
	if !e.HasCode(core.Conflict) || !strings.Contains(e.Message, "pushed") {
		t.Errorf("a commit that was pushed was taken back: %v", e)
	}
}

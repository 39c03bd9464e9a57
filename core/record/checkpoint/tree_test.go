package checkpoint

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// repo is a git repository of a test.
type repo struct {
	t   *testing.T
	dir string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	for name, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_AUTHOR_NAME": "a",
		"GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
	} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repo{t, dir}
	r.git("init", "-q", "-b", "main")
	return r
}

func (r *repo) git(args ...string) string {
	r.t.Helper()
	return gittest.Run(r.t, r.dir, nil, args...)
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// files are everything in the tree, and in .git too if all is true.
func (r *repo) files(all bool) map[string]string {
	r.t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(r.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == ".git" && !all {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			found[strings.TrimPrefix(path, r.dir)] = string(text)
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return found
}

// dirty is a repository in which much has changed since its commit.
func dirty(t *testing.T) *repo {
	t.Helper()
	r := newRepo(t)
	r.write("kept", "one\ntwo\n")
	r.write("gone", "x\n")
	r.write("staged", "a\n")
	r.write("bytes", "\x00\x01")
	r.write(".gitignore", "ignored\n")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "first")
	r.write("kept", "one\nchanged\n")
	r.write("staged", "b\n")
	r.git("add", "staged")
	r.write("staged", "c\n")
	r.write("bytes", "\x00\x02\xff")
	r.write("sub/né w *", "new, without a newline")
	r.write("ignored", "not kept")
	r.write("huge", strings.Repeat("x", 2000))
	if err := os.Remove(filepath.Join(r.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatChangedInATreeIsKeptAndNothingIsTouched(t *testing.T) {
	r := dirty(t)
	before := r.files(true)
	if err := os.MkdirAll(filepath.Join(r.dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	tree, err := ReadTree(t.Context(), filepath.Join(r.dir, "sub"), filepath.Join(dir, "p"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	if after := r.files(true); len(after) != len(before) {
		t.Errorf("%d files before, %d after", len(before), len(after))
	} else {
		for name, text := range before {
			if after[name] != text {
				t.Errorf("%s has changed", name)
			}
		}
	}
	if tree.Top != r.dir || tree.Head != r.git("rev-parse", "HEAD") || tree.Branch != "main" || tree.Changed != 5 ||
		tree.Untracked != 1 ||
		!slices.Equal(tree.LeftOut, []string{"huge"}) {
		t.Errorf("got %+v", tree)
	}

	want := r.files(false)
	delete(want, "/huge")
	delete(want, "/ignored")
	r.git("reset", "-q", "--hard")
	r.git("clean", "-q", "-fdx")
	tree.Patch = "p"
	c := &Checkpoint{Trees: []Tree{*tree}}
	undo, err := c.Apply(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got := r.files(false)
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is %q, want %q", name, got[name], text)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d files, want %d", len(got), len(want))
	}
	if err := undo(t.Context()); err != nil {
		t.Fatal(err)
	}
	if left := r.git("status", "--porcelain"); left != "" {
		t.Errorf("left are %s", left)
	}
	if tree.Moved(t.Context()) {
		t.Error("it has moved")
	}
	r.git("commit", "-q", "--allow-empty", "-m", "next")
	if !tree.Moved(t.Context()) {
		t.Error("it has not moved")
	}
}

// patched is a tree with changes, and the folder that their patch is in.
func patched(t *testing.T) (r *repo, tree *Tree, dir string) {
	t.Helper()
	r, dir = dirty(t), t.TempDir()
	tree, err := ReadTree(t.Context(), r.dir, filepath.Join(dir, "p"), 1000)
	if err != nil {
		t.Fatal(err)
	}
	tree.Patch = "p"
	return r, tree, dir
}

func TestAPatchIsAppliedToACleanTreeThatItFits(t *testing.T) {
	r, tree, dir := patched(t)
	c := &Checkpoint{Trees: []Tree{*tree}}
	refuses := func(why, says string) {
		t.Helper()
		before := r.files(false)
		_, err := c.Apply(t.Context(), dir)
		if !core.AsError(err).HasCode(core.CheckpointFailed) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", why, err)
		}
		for name, text := range r.files(false) {
			if before[name] != text {
				t.Errorf("%s: %s was touched", why, name)
			}
		}
	}
	refuses("the tree is dirty", "changes of its own")
	r.git("reset", "-q", "--hard")
	r.git("clean", "-q", "-fdx")
	r.write("kept", "something else\n")
	r.git("commit", "-q", "-am", "else")
	refuses("the tree is another", "does not fit")
	c.Trees[0].Top = filepath.Join(r.dir, "none")
	refuses("the tree is gone", "no git tree any more")
}

func TestWhereOnePatchFailsNoneIsLeft(t *testing.T) {
	one, tree, dir := patched(t)
	one.git("reset", "-q", "--hard")
	one.git("clean", "-q", "-fdx")
	// Both fit alone; the second finds what the first has made.
	first, second := *tree, *tree
	c := &Checkpoint{Trees: []Tree{first, second}}
	if _, err := c.Apply(t.Context(), dir); !core.AsError(err).HasCode(core.CheckpointFailed) {
		t.Errorf("got %v", err)
	}
	if left := one.git("status", "--porcelain"); left != "" {
		t.Errorf("left are %s", left)
	}
}

func TestAPatchOnItsWayIsNotCutOff(t *testing.T) {
	r, tree, dir := patched(t)
	r.git("reset", "-q", "--hard")
	r.git("clean", "-q", "-fd")
	started, rest := slowGit(t)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		started()
		cancel()
		rest()
	}()
	undo, err := (&Checkpoint{Trees: []Tree{*tree}}).Apply(ctx, dir)
	if err != nil || ctx.Err() == nil {
		t.Fatalf("%v; the context ended with %v", err, ctx.Err())
	}
	if err := undo(t.Context()); err != nil {
		t.Error(err)
	}
	if left := r.git("status", "--porcelain"); left != "" {
		t.Errorf("left are %s", left)
	}
}

// slowGit makes git wait while it applies a patch: started returns once it waits, rest lets it continue.
func slowGit(t *testing.T) (started, rest func()) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	signs := map[string]*os.File{}
	for _, name := range []string{"started", "rest"} {
		path := filepath.Join(bin, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		sign, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sign.Close() })
		signs[name] = sign
	}
	script := "#!/bin/sh\ncase \"$*\" in *'nowarn -- '*) cd '" + bin +
		"' && echo >started && read x <rest;; esac\nexec '" + git + "' \"$@\"\n"
	if err := shelltest.WriteProgram(filepath.Join(bin, "git"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	wait := func() {
		if _, err := signs["started"].Read(make([]byte, 1)); err != nil {
			t.Error(err)
		}
	}
	return wait, func() {
		if _, err := signs["rest"].WriteString("\n"); err != nil {
			t.Error(err)
		}
	}
}

// A process that is killed while it reads a tree leaves its objects in its draft, which the next checkpoint removes.
func TestWhileATreeIsReadItsObjectsAreInTheDraft(t *testing.T) {
	r := dirty(t)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	root := t.TempDir()
	d, err := Begin(root, "killed")
	if err != nil {
		t.Fatal(err)
	}
	patch, err := d.Path("trees/p")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTree(t.Context(), r.dir, patch, 1000); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(filepath.Dir(patch))
	if err != nil || len(left) != 1 || left[0].Name() != "p" {
		t.Errorf("left beside the patch: %v, %v", left, err)
	}
	// As when its maker is killed while git works.
	if err := os.MkdirAll(filepath.Join(filepath.Dir(patch), ".tree-1", "objects"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.lock.Close(); err != nil {
		t.Fatal(err)
	}
	keep(t, root, "next", noon)
	if left, err := os.ReadDir(root); err != nil || len(left) != 1 || left[0].Name() != "next" {
		t.Errorf("the next one leaves %v, %v", left, err)
	}
}

func TestATreeThatHoldsTheCheckpointIsRead(t *testing.T) {
	r := newRepo(t)
	r.write("tracked", "x")
	r.git("add", "tracked") // so there is an index
	r.git("commit", "-q", "-m", "one")
	r.write("kept", "x")
	dir := filepath.Join(r.dir, "checkpoints")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	tree, err := ReadTree(t.Context(), r.dir, filepath.Join(dir, "p"), 1<<20)
	if err != nil || tree.Changed != 1 || tree.Untracked != 1 {
		t.Errorf("%+v, %v", tree, err)
	}
}

func TestTreesWithoutCommitsAndFoldersWithoutTrees(t *testing.T) {
	r := newRepo(t)
	r.write("a", "x\n")
	patch := filepath.Join(t.TempDir(), "p")
	tree, err := ReadTree(t.Context(), r.dir, patch, 1000)
	if err != nil || tree.Head != "" || tree.Branch != "main" || tree.Changed != 1 || tree.Untracked != 1 {
		t.Errorf("got %+v, %v", tree, err)
	}
	if text, err := os.ReadFile(patch); err != nil || !strings.Contains(string(text), "+x") {
		t.Errorf("the patch is %q, %v", text, err)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(r.dir, "none")} {
		if tree, err := ReadTree(t.Context(), dir, patch, 1000); tree != nil || err != nil {
			t.Errorf("%s: got %+v, %v", dir, tree, err)
		}
	}
}

func TestAChangeInTheSameMomentAsTheCommitIsSeen(t *testing.T) {
	r := newRepo(t)
	r.git("config", "core.trustctime", "false")
	r.git("config", "core.checkStat", "minimal")
	moment := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	at := func(names ...string) {
		for _, name := range names {
			if err := os.Chtimes(filepath.Join(r.dir, name), moment, moment); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.write("a", "x\n")
	at("a")
	r.git("add", "a")
	r.git("commit", "-q", "-m", "first")
	r.write("a", "y\n")
	at("a", ".git/index")
	tree, err := ReadTree(t.Context(), r.dir, filepath.Join(t.TempDir(), "p"), 1000)
	if err != nil || tree.Changed != 1 {
		t.Errorf("got %+v, %v", tree, err)
	}
}

func TestNothingThatARepositoryNamesIsRun(t *testing.T) {
	for _, trap := range append(slices.Clone(gittest.Traps), gittest.All) {
		// What only settings set, and no way of reading reaches, core/git tries.
		if !slices.ContainsFunc([]string{
			"a filter process", "required filter", "submodule", "objects elsewhere",
			"hooks", "all",
		}, func(word string) bool {
			return strings.Contains(trap.Name, word)
		}) {
			continue
		}
		t.Run(trap.Name, func(t *testing.T) {
			r := newRepo(t)
			dir := filepath.Join(r.dir, "tree")
			sprung := trap.Lay(t, dir)
			kept := t.TempDir()
			tree, err := ReadTree(t.Context(), dir, filepath.Join(kept, "p"), 1000)
			if sprung() {
				t.Fatal("reading the tree ran the repository's program")
			}
			if err != nil {
				t.Logf("not read: %v", err)
				return
			}
			tree.Patch = "p"
			patch, err := os.ReadFile(filepath.Join(kept, "p"))
			if strings.Contains(trap.Name, "filter") || trap.Name == gittest.All.Name {
				if err == nil && strings.Contains(string(patch), "tracked") ||
					!slices.Contains(tree.Filtered, "tracked") || !slices.Contains(tree.Filtered, "new") {
					t.Errorf("files under a filter are kept: %+v\n%s", tree, patch)
				}
				return
			}
			if err != nil || !strings.Contains(string(patch), "a/tracked") ||
				!strings.Contains(string(patch), "b/new") || len(tree.Filtered) > 0 {
				t.Errorf("%+v, %v\n%s", tree, err, patch)
			}
			for _, name := range []string{"tracked", "new"} {
				if err := os.Remove(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, "tracked"), []byte("1\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := (&Checkpoint{Trees: []Tree{*tree}}).Apply(t.Context(), kept); err != nil {
				t.Logf("not applied: %v", err)
			}
			if sprung() {
				t.Error("restoring the tree ran the repository's program")
			}
		})
	}
}

func TestAPatchWithoutEndIsRefused(t *testing.T) {
	r := newRepo(t)
	r.write("a", "x\n")
	r.git("add", ".")
	r.git("commit", "-q", "-m", "first")
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "p"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := (&Checkpoint{Trees: []Tree{{Top: r.dir, Patch: "p"}}}).Apply(ctx, dir)
	if e := core.AsError(err); !e.HasCode(core.CheckpointFailed) || !strings.Contains(e.Error(), "no regular file") {
		t.Errorf("got %v", err)
	}
}

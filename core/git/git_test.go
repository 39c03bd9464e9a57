package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"cupola/core/git/gittest"
	"cupola/core/system/shell/shelltest"
)

// repository is a repository of the test's own.
type repository struct {
	t   testing.TB
	dir string
}

func newRepository(t testing.TB) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &repository{t, dir}
	r.git("init", "--quiet", "--initial-branch=main")
	return r
}

func (r *repository) git(args ...string) {
	r.t.Helper()
	gittest.Run(r.t, r.dir, nil, args...)
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// program writes a file that git may run.
func (r *repository) program(name, text string) {
	r.t.Helper()
	r.write(name, "")
	path := filepath.Join(r.dir, name)
	if err := errors.Join(os.Remove(path), shelltest.WriteProgram(path, []byte(text))); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) open(dir string) *Tree {
	r.t.Helper()
	tree, err := Open(r.t.Context(), filepath.Join(r.dir, dir), os.Environ())
	if err != nil {
		r.t.Fatal(err)
	}
	return tree
}

func TestATreeIsFoundFromBelow(t *testing.T) {
	r := newRepository(t)
	r.write("sub/x", "x")
	tree := r.open("sub")
	if tree.Root != r.dir || tree.Common != filepath.Join(r.dir, ".git") {
		t.Errorf("%+v", tree)
	}
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=first")
	r.git("worktree", "add", "--quiet", "-b", "other", filepath.Join(r.dir, "other"))
	if other := r.open("other/sub"); other.Root != filepath.Join(r.dir, "other") || other.Common != tree.Common {
		t.Errorf("%+v", other)
	}
	for _, dir := range []string{t.TempDir(), filepath.Join(r.dir, "none"), filepath.Join(r.dir, ".git")} {
		if _, err := Open(t.Context(), dir, os.Environ()); !errors.Is(err, ErrNoTree) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if _, err := Open(t.Context(), r.dir, []string{"GIT_DIR=/nowhere", "PATH=" + os.Getenv("PATH")}); err != nil {
		t.Errorf("what a hook has set names another repository: %v", err)
	}
}

func TestChangesAreNamedAsTheyAre(t *testing.T) {
	r := newRepository(t)
	empty, err := r.open("").Status(t.Context())
	if err != nil || empty.Head != "" || empty.Branch != "main" || len(empty.Changes) != 0 {
		t.Errorf("%+v, %v", empty, err)
	}
	for _, name := range []string{"kept", "edited", "gone", "moved from"} {
		r.write(name, name+"\n")
	}
	r.write(".gitignore", "ignored\n")
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=first")
	r.write("edited", "other\n")
	r.write("ignored", "")
	r.write("new/ü \"x\"\n", "")
	r.write("staged", "")
	r.git("add", "staged")
	r.git("mv", "moved from", "moved to")
	if err := os.Remove(filepath.Join(r.dir, "gone")); err != nil {
		t.Fatal(err)
	}
	got, err := r.open("").Status(t.Context())
	if err != nil || len(got.Head) != 40 {
		t.Errorf("%+v, %v", got, err)
	}
	want := []Change{
		{Path: "edited", Kind: Modified, Unstaged: true},
		{Path: "gone", Kind: Deleted, Unstaged: true},
		{Path: "moved to", From: "moved from", Kind: Renamed, Staged: true},
		{Path: "staged", Kind: Added, Staged: true},
		{Path: "new/ü \"x\"\n", Kind: Untracked, Unstaged: true},
	}
	if diff := cmp.Diff(want, got.Changes); diff != "" {
		t.Error(diff)
	}
}

func TestCommitsAreReadWithTheirFiles(t *testing.T) {
	r := newRepository(t)
	tree := r.open("")
	if none, err := tree.Log(t.Context(), LogRequest{}); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
	r.write("a b", "1")
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=the first\n\nmore")
	r.write("a b", "2")
	r.write("c", "")
	r.git("add", ".")
	r.git("commit", "--quiet", "--message=the second")
	r.git("commit", "--quiet", "--allow-empty", "--message=nothing")
	commits, err := tree.Log(t.Context(), LogRequest{Since: time.Now().Add(-time.Hour), Most: 10})
	if err != nil || len(commits) != 3 {
		t.Fatalf("%+v, %v", commits, err)
	}
	second := commits[1]
	if second.Subject() != "the second" || second.Author != "Ada" || second.Email != "ada@example.org" ||
		len(second.Hash) != 40 || time.Since(second.At) > time.Hour {
		t.Errorf("%+v", second)
	}
	want := []Change{{Path: "a b", Kind: Modified}, {Path: "c", Kind: Added}}
	if diff := cmp.Diff(want, second.Files); diff != "" || len(commits[0].Files) != 0 ||
		commits[2].Subject() != "the first" || commits[2].Message != "the first\n\nmore" {
		t.Errorf("%+v\n%s", commits, diff)
	}
	if last, err := tree.Log(t.Context(), LogRequest{Since: time.Now().Add(-time.Hour), Most: 1}); err != nil ||
		len(last) != 1 {
		t.Errorf("%+v, %v", last, err)
	}
	if none, err := tree.Log(t.Context(), LogRequest{Since: time.Now().Add(time.Hour), Most: 10}); err != nil ||
		len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
}

func TestNoCommandOfARepositoryIsRun(t *testing.T) {
	r := started(t)
	mark := filepath.Join(t.TempDir(), "mark")
	r.program("evil", "#!/bin/sh\necho ran >>"+mark+"\n")
	for _, key := range []string{"core.fsmonitor", "core.pager", "diff.external", "gpg.program"} {
		r.git("config", key, filepath.Join(r.dir, "evil"))
	}
	r.git("config", "log.showSignature", "true")
	tree := r.open("")
	if _, err := tree.Status(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := tree.Log(t.Context(), LogRequest{}); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(mark); err == nil {
		t.Errorf("it ran: %s", text)
	}
}

func TestAQuestionEndsWithItsContext(t *testing.T) {
	r := newRepository(t)
	tree := r.open("")
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := tree.Status(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	bare := &Tree{Root: r.dir, environ: []string{"PATH=/nonexistent"}}
	t.Setenv("PATH", "/nonexistent")
	if _, err := bare.Status(t.Context()); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v", err)
	}
}

func FuzzWhatGitSays(f *testing.F) {
	f.Add("# branch.oid abc\x00# branch.head main\x001 .M N... 1 2 3 4 5 b c\x002 R. N... 1 2 3 4 5 R100 " +
		"e\x00d\x00? new\x00")
	f.Add("\x01h\x021\x02n\x02e\x02s\x00\nM\x00a\x00\x00\x01g\x022\x02n\x02e\x02s\x00")
	f.Add("u UU N... 1 2 3 4 5 6 7 x\x002\x00\x01\x02\x00M")
	f.Fuzz(func(t *testing.T, text string) {
		status, log := newStatusReader(Bound{}), newLogReader(Bound{})
		for _, record := range []func(string){status.record, log.record} {
			all := &records{record: record}
			for i := range len(text) {
				_, _ = all.Write([]byte(text[i : i+1]))
			}
		}
		for _, change := range status.status.Changes {
			if change.Kind == "" {
				t.Errorf("%q gives %+v", text, change)
			}
		}
		for _, commit := range log.commits {
			for _, change := range commit.Files {
				if change.Path == "" || change.Kind == "" {
					t.Errorf("%q gives %+v", text, commit)
				}
			}
		}
	})
}

package worktree_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
	"cupola/core/system/shell/shelltest"
)

// project is a repository with worktrees of agents, made as spawn makes them.
type project struct {
	t   *testing.T
	top string
}

func newProject(t *testing.T, agents ...string) *project {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	t.Setenv("HOME", t.TempDir())
	for name, value := range map[string]string{
		"GIT_AUTHOR_NAME": "tests", "GIT_AUTHOR_EMAIL": "tests@example.com", "GIT_COMMITTER_NAME": "tests",
		"GIT_COMMITTER_EMAIL": "tests@example.com", "GIT_CONFIG_NOSYSTEM": "1",
	} {
		t.Setenv(name, value)
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &project{t, filepath.Join(dir, "src")}
	if err := os.Mkdir(p.top, 0o700); err != nil {
		t.Fatal(err)
	}
	p.git(p.top, "init", "-q", "-b", "main")
	p.commit(p.top, "main.go", "one\n")
	for _, agent := range agents {
		p.git(p.top, "worktree", "add", "-q", "-b", worktree.Branch("api", agent), worktree.Path(p.top, "api", agent))
	}
	return p
}

func (p *project) git(dir string, args ...string) string {
	p.t.Helper()
	out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) write(dir, name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) commit(dir, name, text string) {
	p.t.Helper()
	p.write(dir, name, text)
	p.git(dir, "add", "-A")
	p.git(dir, "commit", "-q", "-m", name)
}

// of opens the repository, and returns it with the worktree of an agent.
func (p *project) of(agent string) (*worktree.Repo, *worktree.Tree) {
	p.t.Helper()
	repo, err := worktree.Open(p.t.Context(), p.top, worktree.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	trees, err := repo.Trees(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	found, err := worktree.Named(trees, "api/"+agent)
	if err != nil || len(found) != 1 {
		p.t.Fatal(found, err)
	}
	return repo, &found[0]
}

func conflict(t *testing.T, err error, words string) {
	t.Helper()
	if known := new(core.Error); !errors.As(err, &known) || known.Code != core.Conflict ||
		!strings.Contains(known.Message, words) {
		t.Errorf("%v, not a conflict with %q", err, words)
	}
}

func TestWorktreesOfAgentsAreListedFromEverywhereInTheRepository(t *testing.T) {
	p := newProject(t, "cc_1", "cc_2")
	p.git(p.top, "worktree", "add", "-q", "-b", "somebodys", filepath.Join(filepath.Dir(p.top), "elsewhere"))
	own := worktree.Path(p.top, "api", "cc_2")
	for _, dir := range []string{p.top, own} {
		repo, err := worktree.Open(t.Context(), dir, worktree.Options{})
		if err != nil || repo.Top != p.top || repo.Base != "main" {
			t.Fatal(repo, err)
		}
		trees, err := repo.Trees(t.Context())
		if err != nil || len(trees) != 2 || trees[1].Name() != "api/cc_2" || trees[1].Branch != "cupola/api/cc_2" ||
			trees[1].Path != own || trees[1].Gone {
			t.Errorf("from %s: %+v, %v", dir, trees, err)
		}
	}
	if err := os.RemoveAll(own); err != nil {
		t.Fatal(err)
	}
	if _, tree := p.of("cc_2"); !tree.Gone {
		t.Errorf("%+v", tree)
	}
	p.git(p.top, "worktree", "prune")
	repo, tree := p.of("cc_2")
	if !tree.Gone || tree.Path != own {
		t.Errorf("a branch without its worktree: %+v", tree)
	}
	if err := repo.Remove(t.Context(), tree, false); err != nil {
		t.Error(err)
	}
	if branches := p.git(p.top, "branch", "--list", "cupola/*"); strings.Contains(branches, "cc_2") ||
		!strings.Contains(branches, "cc_1") {
		t.Errorf("left: %s", branches)
	}
	if _, err := worktree.Open(t.Context(), t.TempDir(), worktree.Options{}); !errors.Is(err, git.ErrNoTree) {
		t.Errorf("outside: %v", err)
	}
	trees, _ := repo.Trees(t.Context())
	if _, err := worktree.Named(trees, "api/cc_9"); !core.AsError(err).HasCode(core.NotFound) ||
		!strings.Contains(core.AsError(err).Hint, "api/cc_1") {
		t.Errorf("%v", err)
	}
}

func TestADiffShowsWhatIsAndIsNotCommitted(t *testing.T) {
	p := newProject(t, "cc_1")
	own := worktree.Path(p.top, "api", "cc_1")
	p.commit(own, "new file.go", "a\nb\n")
	p.write(own, "main.go", "two\n")
	p.write(own, "notes.txt", "later\n")
	p.commit(p.top, "other.go", "beside\n")
	repo, tree := p.of("cc_1")
	state, err := repo.State(t.Context(), tree)
	if err != nil || state != (worktree.State{Changed: 2, Ahead: 1, Behind: 1}) {
		t.Errorf("%+v, %v", state, err)
	}
	diff, err := repo.Diff(t.Context(), tree, true)
	want := []worktree.File{
		{Path: "main.go", Added: 1, Deleted: 1},
		{Path: "new file.go", Added: 2},
		{Path: "notes.txt", Added: 1, Untracked: true},
	}
	if err != nil || !slices.Equal(diff.Files, want) || !strings.Contains(diff.Patch, "-one\n+two") ||
		!strings.Contains(diff.Patch, "+++ b/notes.txt\n@@ -0,0 +1 @@\n+later") ||
		strings.Contains(diff.Patch, "other.go") || diff.Cut {
		t.Errorf("%+v, %v", diff, err)
	}
}

func TestNamesOfSessionsAreOneFolderAndOneBranch(t *testing.T) {
	for session, want := range map[string]string{
		"api": "api", "my api": "my-api", "q/r": "q-r",
		"api/cc_1": "api-cc_1",
	} {
		path, branch := worktree.Path("/src", session, "cc_1"), worktree.Branch(session, "cc_1")
		if path != "/src-worktrees/"+want+"/cc_1" || branch != "cupola/"+want+"/cc_1" {
			t.Errorf("%s: %s on %s", session, path, branch)
		}
		if inside := filepath.Join(path, "sub"); !worktree.IsOf(inside, session, "cc_1") ||
			worktree.IsOf(inside, session, "cc_2") {
			t.Errorf("%s: whose is %s?", session, inside)
		}
		found, err := worktree.Named([]worktree.Tree{{Session: want, Agent: "cc_1"}}, session)
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", session, found, err)
		}
	}
	_, err := worktree.Named([]worktree.Tree{{Session: "api", Agent: "cc_1"}}, "cc_1")
	if known := core.AsError(err); !slices.Equal(known.Suggestions, []string{"api/cc_1"}) {
		t.Errorf("%+v", known)
	}
}

func TestAMergeGoesThroughOrChangesNothing(t *testing.T) {
	p := newProject(t, "cc_1")
	own := worktree.Path(p.top, "api", "cc_1")
	merge := func(request worktree.MergeRequest) (worktree.Merged, error) {
		repo, tree := p.of("cc_1")
		return repo.Merge(t.Context(), tree, request)
	}
	if merged, err := merge(worktree.MergeRequest{}); err != nil || merged.Commits != 0 {
		t.Errorf("nothing to merge: %+v, %v", merged, err)
	}
	p.commit(own, "a.go", "a\n")
	p.write(own, "b.go", "b\n")
	_, err := merge(worktree.MergeRequest{})
	conflict(t, err, "1 file in "+own+" is not committed")
	p.write(p.top, "main.go", "half done\n")
	_, err = merge(worktree.MergeRequest{CommittedOnly: true})
	conflict(t, err, "1 file in "+p.top+" is not committed")
	p.git(p.top, "checkout", "-q", "main.go")
	before := p.git(p.top, "rev-parse", "HEAD")
	merged, err := merge(worktree.MergeRequest{CommittedOnly: true, DryRun: true})
	if want := (worktree.Merged{Into: "main", Commits: 1, Uncommitted: 1}); err != nil || merged != want ||
		p.git(p.top, "rev-parse", "HEAD") != before {
		t.Errorf("dry: %+v, %v", merged, err)
	}
	if merged, err := merge(worktree.MergeRequest{CommittedOnly: true}); err != nil || merged.Commits != 1 {
		t.Errorf("%+v, %v", merged, err)
	}
	if _, err := os.Stat(filepath.Join(p.top, "a.go")); err != nil {
		t.Error(err)
	}
	p.commit(own, "main.go", "theirs\n")
	p.commit(p.top, "main.go", "ours\n")
	_, err = merge(worktree.MergeRequest{})
	conflict(t, err, "both changed main.go")
	if status := p.git(p.top, "status", "--porcelain"); status != "" {
		t.Errorf("left: %s", status)
	}
	p.git(p.top, "checkout", "-q", "--detach")
	_, err = merge(worktree.MergeRequest{})
	conflict(t, err, "is on no branch")
}

func TestAMergeThatAHookRefusesIsUndone(t *testing.T) {
	p := newProject(t, "cc_1")
	p.commit(worktree.Path(p.top, "api", "cc_1"), "a.go", "a\n")
	p.commit(p.top, "b.go", "b\n")
	hook := filepath.Join(p.top, ".git", "hooks", "pre-merge-commit")
	if err := os.MkdirAll(filepath.Dir(hook), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := shelltest.WriteProgram(hook, []byte("#!/bin/sh\necho not today >&2\nexit 1\n")); err != nil {
		t.Fatal(err)
	}
	repo, tree := p.of("cc_1")
	_, err := repo.Merge(t.Context(), tree, worktree.MergeRequest{})
	conflict(t, err, "not today")
	if status := p.git(p.top, "status", "--porcelain"); status != "" {
		t.Errorf("left: %s", status)
	}
	if _, err := os.Stat(filepath.Join(p.top, ".git", "MERGE_HEAD")); err == nil {
		t.Error("the merge goes on")
	}
}

func TestAWorktreeThatHoldsWorkIsNotRemoved(t *testing.T) {
	p := newProject(t, "cc_1", "cc_2")
	own := worktree.Path(p.top, "api", "cc_1")
	remove := func(force bool) error {
		repo, tree := p.of("cc_1")
		return repo.Remove(t.Context(), tree, force)
	}
	p.write(own, "b.go", "b\n")
	conflict(t, remove(false), "holds 1 file that is not committed")
	p.commit(own, "b.go", "b\n")
	p.commit(own, "c.go", "c\n")
	conflict(t, remove(false), "holds 2 commits that are on no other branch")
	p.git(own, "checkout", "-q", "--detach")
	p.commit(own, "d.go", "d\n")
	conflict(t, remove(false), "holds 3 commits that are on no other branch")
	p.git(p.top, "branch", "kept", p.git(own, "rev-parse", "HEAD"))
	if err := remove(false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(own); err == nil {
		t.Error("the folder is there")
	}
	repo, other := p.of("cc_2")
	modules := filepath.Join(p.git(other.Path, "rev-parse", "--absolute-git-dir"), "modules")
	if err := os.Mkdir(modules, 0o700); err != nil {
		t.Fatal(err)
	}
	p.git(modules, "init", "-q", "--bare", "of-another-branch")
	conflict(t, repo.Remove(t.Context(), other, false), "holds submodules")
	p.write(other.Path, "b.go", "b\n")
	if err := repo.Remove(t.Context(), other, true); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p.top + "-worktrees"); err == nil {
		t.Error("the empty folder is there")
	}
	if branches := p.git(p.top, "branch", "--list", "cupola/*"); branches != "" {
		t.Errorf("left: %s", branches)
	}
}

// Package changes says what changed in the working trees of agents, and acts on it: it stages, commits and sets
// aside. Functions that only read run no program that a repository's settings name; those that act do, as git does.
// The package keeps nothing between calls.
package changes

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cupola/core/git"
	"cupola/core/plainfile"
	"cupola/core/worktree"
)

// Tree is a working tree with what changed in it: since its last commit or, in the worktree of an agent, since that
// left its base.
type Tree struct {
	// Root is its folder, Branch what is checked out there; empty where the head is detached.
	Root, Branch string
	// Worktree names the agent whose worktree it is, as SESSION/AGENT; empty for any other tree. Base is the branch
	// that it left, Ahead counts the commits that the base lacks, Behind those of the base that it lacks.
	Worktree      string
	Base          string
	Ahead, Behind int
	Files         []File
	// Trouble says why the tree cannot be read; empty if it can.
	Trouble string
}

// File is one file that changed.
type File struct {
	git.Change
	// Added and Deleted count lines; both are -1 for a file that is not text.
	Added, Deleted int
	// Committed is true for a change of a worktree that is committed there.
	Committed bool
}

// Lines counts the lines that were added and deleted.
func (t *Tree) Lines() (added, deleted int) {
	for i := range t.Files {
		added, deleted = added+max(0, t.Files[i].Added), deleted+max(0, t.Files[i].Deleted)
	}
	return added, deleted
}

// Uncommitted counts the files that are in no commit, and Staged those that are staged.
func (t *Tree) Uncommitted() (files, staged int) {
	for i := range t.Files {
		if !t.Files[i].Committed {
			files++
		}
		if t.Files[i].Staged {
			staged++
		}
	}
	return files, staged
}

// atOnce is how many trees are read at once.
const atOnce = 4

// Read returns the working trees that folders are in, each once, those with changes first. Trees without a change are
// among them. Environ is that of git. It returns git.ErrMissing.
func Read(ctx context.Context, dirs, environ []string) ([]Tree, error) {
	roots := map[string]bool{}
	for _, dir := range dirs {
		if root := git.Above(resolved(dir)); root != "" {
			roots[root] = true
		}
	}
	ordered := make([]string, 0, len(roots))
	for root := range roots {
		ordered = append(ordered, root)
	}
	slices.Sort(ordered)
	trees := make([]Tree, len(ordered))
	errs := make([]error, len(ordered))
	slots := make(chan struct{}, atOnce)
	var read sync.WaitGroup
	for i, root := range ordered {
		read.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			trees[i], errs[i] = readTree(ctx, root, environ)
		})
	}
	read.Wait()
	for i, err := range errs {
		switch {
		case errors.Is(err, git.ErrMissing), ctx.Err() != nil:
			return nil, err
		case err != nil:
			trees[i] = Tree{Root: ordered[i], Trouble: err.Error()}
		}
	}
	trees = slices.DeleteFunc(trees, func(t Tree) bool { return t.Root == "" })
	slices.SortStableFunc(trees, func(a, b Tree) int { return cmp.Compare(rank(&a), rank(&b)) })
	return trees, nil
}

// rank puts trees with changes before the others.
func rank(t *Tree) int {
	if len(t.Files) > 0 || t.Ahead > 0 || t.Trouble != "" {
		return 0
	}
	return 1
}

func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return dir
}

// readTree reads one tree; one without a root is none.
func readTree(ctx context.Context, root string, environ []string) (Tree, error) {
	opened, err := git.Open(ctx, root, environ)
	if errors.Is(err, git.ErrNoTree) {
		return Tree{}, nil
	}
	if err != nil {
		return Tree{}, err
	}
	t := Tree{Root: opened.Root}
	status, err := opened.Status(ctx)
	if err != nil {
		return t, err
	}
	t.Branch = status.Branch
	lines, err := opened.Lines(ctx, status.Head)
	if err != nil {
		return t, err
	}
	for _, change := range status.Changes {
		if change.Filter != "" { // whether it changed only its filter knows
			continue
		}
		file := File{Change: change}
		if count, known := lines[change.Path]; known {
			file.Added, file.Deleted = count.Added, count.Deleted
		} else if change.Kind == git.Untracked {
			file.Added = countLines(filepath.Join(opened.Root, change.Path))
			file.Deleted = min(file.Added, 0)
		}
		t.Files = append(t.Files, file)
	}
	if worktree.Within(t.Root) {
		err = t.compare(ctx, environ)
		return t, err
	}
	return t, nil
}

// compare adds what is committed in the worktree of an agent.
func (t *Tree) compare(ctx context.Context, environ []string) error {
	repo, own, err := worktreeAt(ctx, t.Root, environ)
	if err != nil || own == nil {
		return err
	}
	t.Worktree, t.Base = own.Name(), repo.Base
	state, err := repo.State(ctx, own)
	if err != nil {
		return err
	}
	t.Ahead, t.Behind = state.Ahead, state.Behind
	diff, err := repo.Diff(ctx, own, false)
	if err != nil {
		return err
	}
	for _, file := range diff.Files {
		at := slices.IndexFunc(t.Files, func(f File) bool { return f.Path == file.Path })
		if at < 0 {
			t.Files = append(t.Files, File{Change: git.Change{Path: file.Path, Kind: git.Modified}, Committed: true})
			at = len(t.Files) - 1
		}
		t.Files[at].Added, t.Files[at].Deleted = file.Added, file.Deleted
	}
	return nil
}

// worktreeAt finds the worktree of an agent with a root; nil if it is none of its repository's.
func worktreeAt(ctx context.Context, root string, environ []string) (*worktree.Repo, *worktree.Tree, error) {
	repo, err := worktree.Open(ctx, root, environ)
	if err != nil {
		return nil, nil, err
	}
	trees, err := repo.Trees(ctx)
	if err != nil {
		return nil, nil, err
	}
	for i := range trees {
		if trees[i].Path == root {
			return repo, &trees[i], nil
		}
	}
	return repo, nil, nil
}

// mostCounted is how large a new file may be whose lines are counted, in bytes.
const mostCounted = 1 << 20

// countLines counts the lines of a new file; -1 for one that is no text, or large.
func countLines(path string) int {
	text, err := plainfile.Read(path, mostCounted)
	if err != nil || strings.IndexByte(string(text), 0) >= 0 {
		return -1
	}
	lines := strings.Count(string(text), "\n")
	if len(text) > 0 && text[len(text)-1] != '\n' {
		lines++
	}
	return lines
}

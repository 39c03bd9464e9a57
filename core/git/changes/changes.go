// Package changes says what changed in the working trees of agents, and acts on it: it stages, commits and sets
// aside. Functions that only read run no program that a repository's settings name; those that act do, as git does.
// The package keeps nothing between calls.
package changes

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cupola/core/git"
	"cupola/core/git/worktree"
	"cupola/core/system/plainfile"
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
	// from is the commit that it is compared with; empty where there is none.
	from string
	// Trouble says why the tree cannot be read; empty if it can.
	Trouble string
}

// File is one file that changed.
type File struct {
	git.Change
	git.Lines
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
// among them. environ is the environment of git. It returns git.ErrMissing.
func Read(ctx context.Context, dirs, environ []string) ([]Tree, error) {
	roots := map[string]bool{}
	for _, dir := range dirs {
		if root := Root(dir); root != "" {
			roots[root] = true
		}
	}
	ordered := make([]string, 0, len(roots))
	for root := range roots {
		ordered = append(ordered, root)
	}
	slices.Sort(ordered)
	trees, known := make([]Tree, len(ordered)), &repositories{}
	errs := make([]error, len(ordered))
	slots := make(chan struct{}, atOnce)
	var read sync.WaitGroup
	for i, root := range ordered {
		read.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			trees[i], errs[i] = readTree(ctx, root, environ, known)
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

// Worktrees returns the folders of the worktrees that agents were given in the repositories that folders are in, also
// of agents that are gone. What cannot be read is left out.
func Worktrees(ctx context.Context, dirs, environ []string) []string {
	known, asked := &repositories{}, map[string]bool{}
	found := map[string]bool{}
	for _, dir := range dirs {
		root := Root(dir)
		if root == "" || asked[root] {
			continue
		}
		asked[root] = true
		opened, err := git.Open(ctx, root, environ)
		if err != nil {
			continue
		}
		for _, tree := range known.of(ctx, opened.Common, root, environ).trees {
			if !tree.Gone {
				found[tree.Path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// rank puts trees with changes before the others.
func rank(t *Tree) int {
	if len(t.Files) > 0 || t.Ahead > 0 || t.Trouble != "" {
		return 0
	}
	return 1
}

// Root returns the root of the working tree that a folder is in, as Read names it; empty for none. It asks git nothing.
func Root(dir string) string { return git.Above(resolved(dir)) }

func resolved(dir string) string {
	if path, err := filepath.EvalSymlinks(dir); err == nil {
		return path
	}
	return dir
}

// readTree reads one tree; one without a root is none.
func readTree(ctx context.Context, root string, environ []string, known *repositories) (Tree, error) {
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
	t.Branch, t.from = status.Branch, status.Head
	if worktree.Within(t.Root) {
		if err := t.compare(ctx, known.of(ctx, opened.Common, root, environ)); err != nil {
			return t, err
		}
	}
	lines, err := opened.Lines(ctx, t.from)
	if err != nil {
		return t, err
	}
	t.fill(status.Changes, lines)
	return t, nil
}

// fill lists the files that changed since the last commit and, in a worktree, those that are committed there.
func (t *Tree) fill(changed []git.Change, lines map[string]git.Lines) {
	counted := 0
	for _, change := range changed {
		count := lines[change.Path]
		delete(lines, change.Path)
		delete(lines, change.From) // a rename deletes that
		if change.Filter != "" {   // whether it changed only its filter knows
			continue
		}
		if change.Kind == git.Untracked {
			count.Added = -1
			if counted < mostNew {
				count.Added = countLines(filepath.Join(t.Root, change.Path))
			}
			counted++
			count.Deleted = min(count.Added, 0)
		}
		t.Files = append(t.Files, File{Change: change, Lines: count})
	}
	if t.Worktree == "" {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		t.Files = append(t.Files, File{
			Change: git.Change{Path: path, Kind: git.Modified}, Lines: lines[path], Committed: true,
		})
	}
}

// compare finds out whose worktree the tree is, and how far it is from its base.
func (t *Tree) compare(ctx context.Context, repository *repository) error {
	if repository.err != nil {
		return repository.err
	}
	for i := range repository.trees {
		own := &repository.trees[i]
		if own.Path != t.Root {
			continue
		}
		t.Worktree, t.Base = own.Name(), repository.repo.Base
		var err error
		if t.Ahead, t.Behind, err = repository.repo.Distance(ctx, own); err != nil {
			return err
		}
		t.from, err = repository.repo.Left(ctx, own)
		return err
	}
	return nil
}

// repository is a repository with the worktrees of agents.
type repository struct {
	repo  *worktree.Repo
	trees []worktree.Tree
	err   error
}

// repositories are the repositories that were read, each once; the key is the .git folder that its worktrees share.
type repositories struct {
	mu    sync.Mutex
	found map[string]*repository
}

func (r *repositories) of(ctx context.Context, common, root string, environ []string) *repository {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.found == nil {
		r.found = map[string]*repository{}
	}
	if r.found[common] == nil {
		one := &repository{}
		if one.repo, one.err = worktree.Open(ctx, root, worktree.Options{Environ: environ}); one.err == nil {
			one.trees, one.err = one.repo.Trees(ctx)
		}
		r.found[common] = one
	}
	return r.found[common]
}

// mostCounted is how large a new file may be whose lines are counted, in bytes, mostNew how many of them are.
const mostCounted, mostNew = 1 << 20, 200

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

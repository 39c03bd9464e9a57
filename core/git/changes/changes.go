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

	"cupola/core"
	"cupola/core/git"
	"cupola/core/git/worktree"
	"cupola/core/system/plainfile"
)

// Base names the state with which a working tree is compared.
type Base string

// What a tree is compared with. The zero value is BaseBranch.
const (
	// BaseBranch is the commit at which the worktree of an agent left its base branch; for other trees, BaseCommit.
	BaseBranch Base = "branch"
	// BaseCommit is the last commit.
	BaseCommit Base = "commit"
	// BaseLook is the tree as it was when it was last marked as looked at; for one that never was, BaseBranch.
	BaseLook Base = "look"
)

// Next is the base that follows when a user goes through all of them.
func (b Base) Next() Base {
	switch b {
	case BaseCommit:
		return BaseLook
	case BaseLook:
		return BaseBranch
	}
	return BaseCommit
}

// Tree is a working tree with what changed in it since a base.
type Tree struct {
	// Root is its folder, Branch what is checked out there; empty where the head is detached.
	Root, Branch string
	// Worktree names the agent whose worktree it is, as SESSION/AGENT; empty for any other tree. Base is the branch
	// that it left, Ahead counts the commits that the base lacks, Behind those of the base that it lacks.
	Worktree      string
	Base          string
	Ahead, Behind int
	Files         []File
	// Looked is true if it was compared with how it was when it was looked at last.
	Looked bool
	// from is the commit that it is compared with; empty where there is none. look is the commit of the last look, if
	// that is it.
	from, look string
	// common is the folder of its repository.
	common string
	// Trouble is the reason why the tree cannot be read; empty if it can.
	Trouble string
}

// File is one file that changed.
type File struct {
	git.Change
	git.Lines
	// Committed is true for a change of a worktree that is committed there.
	Committed bool
	// Also names the other worktrees of the repository in which it changed too.
	Also []string
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

// Read returns the working trees that folders are in, each once, those with changes since the base first. Trees without
// a change are among them. environ is the environment of git. It returns git.ErrMissing.
func Read(ctx context.Context, base Base, dirs, environ []string) ([]Tree, error) {
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
			trees[i], errs[i] = readTree(ctx, base, root, environ, known)
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
	markShared(trees)
	slices.SortStableFunc(trees, func(a, b Tree) int { return cmp.Compare(rank(&a), rank(&b)) })
	return trees, nil
}

// Name is how people call the tree: by the agent of a worktree, else by its folder.
func (t *Tree) Name() string { return cmp.Or(t.Worktree, filepath.Base(t.Root)) }

// markShared marks the files that changed in several trees of one repository.
func markShared(trees []Tree) {
	type file struct{ common, path string }
	in := map[file][]string{}
	for i := range trees {
		for j := range trees[i].Files {
			of := file{trees[i].common, trees[i].Files[j].Path}
			in[of] = append(in[of], trees[i].Name())
		}
	}
	for i := range trees {
		name := trees[i].Name()
		for j := range trees[i].Files {
			f := &trees[i].Files[j]
			for _, other := range in[file{trees[i].common, f.Path}] {
				if other != name {
					f.Also = append(f.Also, other)
				}
			}
		}
	}
}

// Folders returns the folders of a snapshot's sessions and panes, and those of the worktrees of their repositories.
func Folders(ctx context.Context, snapshot *core.Snapshot, environ []string) (dirs []string) {
	for _, pane := range snapshot.Panes() {
		dirs = append(dirs, pane.Process.Dir)
	}
	for i := range snapshot.Sessions {
		dirs = append(dirs, snapshot.Sessions[i].Dir)
	}
	return append(dirs, Worktrees(ctx, dirs, environ)...)
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
func readTree(ctx context.Context, base Base, root string, environ []string, known *repositories) (Tree, error) {
	opened, err := git.Open(ctx, root, environ)
	if errors.Is(err, git.ErrNoTree) {
		return Tree{}, nil
	}
	if err != nil {
		return Tree{}, err
	}
	t := Tree{Root: opened.Root, common: opened.Common}
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
	switch base {
	case BaseCommit:
		t.from = status.Head
	case BaseLook:
		if t.look = lookOf(ctx, t.Root, environ); t.look != "" {
			t.from, t.Looked = t.look, true
		}
	}
	lines, kinds, err := opened.Lines(ctx, t.from)
	if err != nil {
		return t, err
	}
	t.fill(ctx, opened, &status, lines)
	for i := range t.Files {
		if file := &t.Files[i]; file.Committed {
			file.Kind = kinds[file.Path]
		}
	}
	return t, nil
}

// fill lists the files that changed: those in no commit and, where the tree is compared with another commit than the
// last one, those that are committed.
func (t *Tree) fill(ctx context.Context, opened *git.Tree, status *git.Status, lines map[string]git.Lines) {
	counted := 0
	for _, change := range status.Changes {
		count, differs := lines[change.Path]
		_, gone := lines[change.From]
		delete(lines, change.Path)
		delete(lines, change.From) // a rename deletes that
		if change.Filter != "" {   // whether it changed only its filter knows
			continue
		}
		switch {
		case change.Kind != git.Untracked:
			if t.look != "" && !differs && !gone && change.Kind != git.Unmerged {
				continue // it changed before the look
			}
		case counted >= mostNew:
			count = git.Lines{Added: -1, Deleted: -1}
		case differs: // the look has it, which git takes for deleted where a file is not tracked
			counted++
			var same bool
			if count, same = opened.LinesSince(ctx, t.look, change.Path); same {
				continue
			}
		default:
			counted++
			count.Added = countLines(filepath.Join(t.Root, change.Path))
			count.Deleted = min(count.Added, 0)
		}
		t.Files = append(t.Files, File{Change: change, Lines: count})
	}
	if t.from == status.Head {
		return
	}
	for _, path := range slices.Sorted(maps.Keys(lines)) {
		t.Files = append(t.Files, File{
			Change: git.Change{Path: path}, Lines: lines[path], Committed: true,
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

// Package worktree manages the git worktrees of agents, in which several of them can work
// on one repository: REPO-worktrees/SESSION/AGENT beside it, on branch
// cupola/SESSION/AGENT. It makes, lists, compares, merges and removes them. Functions that only
// read run no program that the repository's settings name; Making, Merge and Remove do. The package
// keeps nothing between calls.
package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
	"cupola/core/text/near"
)

// branches is the prefix of the names of the branches.
const branches = "cupola/"

// beside is the suffix that the folder of the worktrees adds to the repository's name.
const beside = "-worktrees"

// Path returns the path of an agent's worktree beside a repository.
func Path(repository, session, agent string) string {
	return filepath.Join(repository+beside, refPart(session), agent)
}

// Branch returns the usual name of the branch of an agent's new worktree; see DefaultBranch.
func Branch(session, agent string) string { return branches + refPart(session) + "/" + agent }

// refPart writes a session's name as git takes it in the name of a branch.
func refPart(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(` ~^?*[]\/{}@`, r) {
			return '-'
		}
		return r
	}, name), "-.")
}

// Within reports, by its path alone, whether a folder may be in the worktree of any agent.
func Within(dir string) bool { return strings.Contains(dir, beside+string(filepath.Separator)) }

// IsOf reports, by its path, whether a folder is in the worktree of an agent.
func IsOf(dir, session, agent string) bool {
	separator := string(filepath.Separator)
	_, below, is := strings.Cut(dir+separator, Path("", session, agent)+separator)
	return is && !Within(below)
}

// Repo is a repository.
type Repo struct {
	// Top is its main working tree, and Base the branch that is checked out there; empty
	// where its head is detached.
	Top, Base string

	options Options
}

// Tree is the worktree of an agent.
type Tree struct {
	// Session and Agent are for whom it was made; both are empty for one that others made.
	Session, Agent string
	Path           string
	// Branch is the branch that is checked out, empty where the head is detached; Head is its last commit.
	Branch, Head string
	// Gone is true if its folder no longer exists.
	Gone bool
}

// Name is how people name it: SESSION/AGENT, and one that was not made for an agent by its branch or its path.
func (t *Tree) Name() string {
	if t.Session == "" {
		return cmp.Or(t.Branch, t.Path)
	}
	return t.Session + "/" + t.Agent
}

// Contains reports whether a folder is in it.
func (t *Tree) Contains(dir string) bool {
	return dir == t.Path || strings.HasPrefix(dir, t.Path+string(filepath.Separator))
}

// askWithin is how long git may take to answer a question.
const askWithin = 10 * time.Second

// Open returns the repository that a folder is in, which may be a worktree of it. It returns the errors of package
// git.
func Open(ctx context.Context, dir string, options Options) (*Repo, error) {
	options.Environ = options.environ()
	r := &Repo{Top: dir, options: options}
	found, err := r.all(ctx)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, git.ErrNoTree
	}
	r.Top, r.Base = found[0].Path, found[0].Branch
	return r, nil
}

// ask has git answer a question about a folder, which runs no program of the repository's.
func (r *Repo) ask(ctx context.Context, dir string, args ...string) (string, error) {
	return r.command(dir).Line(ctx, args...)
}

// command is git, which runs no program of the repository's.
func (r *Repo) command(dir string) *git.Command {
	return &git.Command{Dir: dir, Environ: r.options.Environ, Within: askWithin}
}

// act has git do something in a folder, with the repository's hooks and filters.
func (r *Repo) act(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: r.options.Environ, Programs: true}).Line(ctx, args...)
}

// Trees returns the worktrees of agents, by session and agent.
func (r *Repo) Trees(ctx context.Context) ([]Tree, error) {
	all, err := r.all(ctx)
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for _, tree := range all {
		session := filepath.Dir(tree.Path)
		top, is := strings.CutSuffix(filepath.Dir(session), beside)
		if !is || !slices.ContainsFunc(all, func(other Tree) bool { return other.Path == top }) {
			continue
		}
		tree.Session, tree.Agent = filepath.Base(session), filepath.Base(tree.Path)
		_, err := os.Stat(tree.Path)
		tree.Gone = errors.Is(err, os.ErrNotExist)
		trees = append(trees, tree)
	}
	left, err := r.branchesLeft(ctx, trees)
	if err != nil {
		return nil, err
	}
	trees = append(trees, left...)
	slices.SortFunc(trees, func(a, b Tree) int { return strings.Compare(a.Name(), b.Name()) })
	return trees, nil
}

// Others returns the worktrees beside the main one that were not made by this program, as those of 'claude --worktree',
// by their paths.
func (r *Repo) Others(ctx context.Context) ([]Tree, error) {
	all, err := r.all(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all[min(1, len(all)):], func(t Tree) bool {
		return filepath.Base(filepath.Dir(filepath.Dir(t.Path))) == filepath.Base(r.Top)+beside
	})
	for i := range all {
		all[i].Gone = !plainfile.IsFolder(all[i].Path)
	}
	slices.SortFunc(all, func(a, b Tree) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// branchesLeft are the branches of worktrees that are not there any more.
func (r *Repo) branchesLeft(ctx context.Context, trees []Tree) ([]Tree, error) {
	made, err := r.made(ctx)
	if err != nil {
		return nil, err
	}
	var left []Tree
	for branch, name := range made {
		if slices.ContainsFunc(trees, func(t Tree) bool { return t.Branch == branch || t.Name() == name }) {
			continue
		}
		head, err := r.ask(ctx, r.Top, "rev-parse", "--verify", "refs/heads/"+branch)
		if err != nil {
			return nil, err
		}
		session, agent, _ := strings.Cut(name, "/")
		left = append(left, Tree{
			Session: session, Agent: agent, Path: Path(r.Top, session, agent), Branch: branch,
			Head: head, Gone: true,
		})
	}
	return left, nil
}

// all are the working trees of the repository, the main one first.
func (r *Repo) all(ctx context.Context) ([]Tree, error) {
	out, err := r.ask(ctx, r.Top, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	var trees []Tree
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch last := len(trees) - 1; {
		case key == "worktree":
			trees = append(trees, Tree{Path: value})
		case last < 0:
		case key == "HEAD":
			trees[last].Head = value
		case key == "branch":
			trees[last].Branch = strings.TrimPrefix(value, "refs/heads/")
		}
	}
	return trees, nil
}

// Named returns the worktrees that a name means: SESSION/AGENT, the path of one or, with
// SESSION alone, all of a session. It returns NotFound, with what there is.
func Named(trees []Tree, name string) ([]Tree, error) {
	path, _ := filepath.Abs(name)
	var found []Tree
	for _, tree := range trees {
		session := tree.Session != "" && refPart(name) == tree.Session
		if session || name == tree.Name() || name == tree.Branch || path == tree.Path {
			found = append(found, tree)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	err := core.Errorf(core.NotFound, "no worktree of an agent is called %q here", name)
	names := make([]string, len(trees))
	for i := range trees {
		names[i] = trees[i].Name()
		if trees[i].Agent == name {
			err.Suggestions = append(err.Suggestions, names[i])
		}
	}
	if len(err.Suggestions) == 0 {
		err.Suggestions = near.Words(name, names)
	}
	err.Slip, err.Remedies = core.Slip{Word: name}, []core.Remedy{core.RemedyListWorktrees}
	if len(names) > 0 {
		err.Hint = "A worktree is named as SESSION/AGENT. There are: " + strings.Join(names, ", ") + "."
	} else {
		err.Remedies = []core.Remedy{core.RemedyMakeWorktrees, core.RemedyListWorktrees}
	}
	return nil, err
}

package worktree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
)

// Making makes the worktrees of new agents: all that were added, or none. It is not safe for concurrent use. If two
// make the same worktrees at once, the one that fails removes the worktrees of the other. A nil Making has none.
type Making struct {
	// repo is the working tree whose commit they begin with, top the main one, beside which they
	// are made. prefix is the place of the folder in it.
	repo, top, prefix string

	options Options
	// from is the commit that new branches begin at; empty is the one that is checked out.
	from string
	// there are the worktrees that exist, the main one first.
	there []Tree

	trees  []making
	made   int
	report Report
	// variables are added to the environment of programs, by tree.
	variables [][]string
}

// making is a worktree to be made.
type making struct {
	Tree
	// joined is true for a worktree that is there, and keeps for a branch that is there.
	joined, keeps bool
}

// Added is a worktree that was added to a Making.
type Added struct {
	// Dir is the folder in it that has the place of the folder given to Prepare, and Branch its branch.
	Dir, Branch string
	// Index is its number in the Making, from 0. Agents of one branch share a worktree.
	Index int
	// Joined is true if the worktree is there already.
	Joined bool
}

// Prepare returns a Making for the repository that a folder is in, which may be a worktree itself. It makes no worktree
// yet. Without git it returns ToolNotFound, InvalidInput where no worktree can be made, and NotFound for a base that is
// no commit.
func Prepare(ctx context.Context, dir string, options Options) (*Making, error) {
	options.Environ = options.environ()
	m := &Making{options: options}
	out, err := m.git(ctx, dir, "rev-parse", "--show-toplevel", "--show-prefix")
	switch {
	case errors.Is(err, git.ErrMissing):
		return nil, &core.Error{
			Code: core.ToolNotFound, Message: "git is not installed",
			Hint: "Install git, or start the agents without worktrees.",
		}
	case err != nil && ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, core.Errorf(core.InvalidInput, "no worktrees can be made: %w", err)
	}
	top, prefix, _ := strings.Cut(out, "\n")
	if _, err := m.git(ctx, top, "rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
		return nil, &core.Error{
			Code: core.InvalidInput, Message: top + " has no commit that worktrees could begin with",
			Hint: "Commit something first.",
		}
	}
	m.repo, m.top, m.prefix = top, top, strings.TrimSpace(prefix)
	if m.from, err = m.base(ctx, options.Start.Base); err != nil {
		return nil, err
	}
	if Within(top) || options.Start.Branch != "" {
		repo, err := Open(ctx, top, options)
		if err != nil {
			return nil, err
		}
		if m.there, err = repo.all(ctx); err != nil {
			return nil, err
		}
		if Within(top) {
			// Worktrees of agents that work in a worktree themselves are created beside it.
			m.top = repo.Top
		}
	}
	return m, nil
}

// Add adds the worktree of an agent. It returns InvalidInput if its branch cannot have the name that it would get, and
// Conflict if that is checked out in the main working tree.
func (m *Making) Add(ctx context.Context, session, agent string) (Added, error) {
	start := &m.options.Start
	branch, err := start.branchOf(cmp.Or(start.Branch, m.options.Branch, DefaultBranch), session, agent,
		m.options.Environ)
	if err != nil {
		return Added{}, err
	}
	if _, err := m.git(ctx, m.repo, "check-ref-format", "--branch", branch); err != nil {
		return Added{}, core.Errorf(core.InvalidInput, "no branch can be called %q", core.Cut(branch))
	}
	tree := making{Tree: Tree{
		Session: refPart(session), Agent: agent, Path: Path(m.top, session, agent), Branch: branch,
	}}
	i := slices.IndexFunc(m.trees, func(t making) bool { return t.Branch == branch })
	if i < 0 {
		if start.Branch != "" {
			if err := m.settle(ctx, &tree); err != nil {
				return Added{}, err
			}
		}
		i = len(m.trees)
		m.trees = append(m.trees, tree)
	}
	return Added{
		Dir: filepath.Join(m.trees[i].Path, m.prefix), Branch: branch, Index: i, Joined: m.trees[i].joined,
	}, nil
}

// settle finds out whether the branch of a worktree is there, and whether a worktree has it.
func (m *Making) settle(ctx context.Context, tree *making) error {
	tree.keeps = m.hasBranch(ctx, tree.Branch)
	if tree.keeps && m.from != "" {
		return &core.Error{
			Code:    core.Conflict,
			Message: fmt.Sprintf("branch %s exists already, and begins where it began", tree.Branch),
			Hint:    "Leave out the base, or name another branch.",
		}
	}
	for i, other := range m.there {
		switch {
		case other.Branch != tree.Branch:
		case i == 0:
			return &core.Error{
				Code:    core.Conflict,
				Message: fmt.Sprintf("branch %s is checked out in %s itself", tree.Branch, other.Path),
				Hint:    "Start the agents there without a worktree, or check out another branch there first.",
			}
		case plainfile.IsFolder(other.Path):
			tree.Path, tree.joined = other.Path, true
		}
	}
	return nil
}

// Path is the top of a worktree that was added.
func (m *Making) Path(i int) string { return m.trees[i].Path }

// Check returns Conflict if the folder or the branch of a worktree to be made exists.
func (m *Making) Check(ctx context.Context) error {
	if m == nil {
		return nil
	}
	for i := range m.trees {
		if err := m.free(ctx, &m.trees[i]); err != nil {
			return err
		}
	}
	return nil
}

// Make makes the worktrees that were added, with what else they need for work to begin. It returns Conflict where a
// folder or a branch exists; Undo then removes those that it made. What they lack is no error, but in the report.
func (m *Making) Make(ctx context.Context) error {
	if m == nil {
		return nil
	}
	for i := range m.trees {
		tree := &m.trees[i]
		if err := m.free(ctx, tree); err != nil {
			return err
		}
		// git leaves both behind where a hook fails after they were made.
		m.made++
		if tree.joined {
			continue
		}
		if err := m.check(ctx, tree); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return core.Errorf(core.Conflict, "no worktree could be made at %s: %w", tree.Path, err)
		}
	}
	return m.fill(ctx)
}

// check checks a branch out in a worktree of its own.
func (m *Making) check(ctx context.Context, tree *making) error {
	args := []string{"worktree", "add", "--no-track", "-b", tree.Branch, tree.Path}
	if m.from != "" {
		args = append(args, m.from)
	}
	if tree.keeps {
		// The worktree that had it may be gone and still be registered.
		args = []string{"worktree", "add", "--force", tree.Path, tree.Branch}
	}
	if _, err := m.git(ctx, m.repo, args...); err != nil || tree.keeps {
		return err
	}
	return m.record(ctx, &tree.Tree)
}

// Variables are the variables that programs in a worktree get that was made; see Options.Variables.
func (m *Making) Variables(i int) []string { return m.variables[i] }

// Report returns what Make did; nothing where none was made.
func (m *Making) Report() Report {
	if m == nil {
		return Report{}
	}
	return m.report
}

// free returns Conflict if the folder or the branch of a worktree exists, as one that an earlier
// session left.
func (m *Making) free(ctx context.Context, tree *making) error {
	message := ""
	if tree.joined {
		return nil
	}
	if _, err := os.Lstat(tree.Path); err == nil {
		message = fmt.Sprintf("%s exists already", tree.Path)
	} else if !tree.keeps && m.hasBranch(ctx, tree.Branch) {
		message = fmt.Sprintf("branch %s exists already", tree.Branch)
	}
	if message == "" {
		return nil
	}
	return &core.Error{
		Code: core.Conflict, Message: message,
		Remedies: []core.Remedy{core.RemedyReuseWorktree, core.RemedyListWorktrees, core.RemedyShowWorktree},
		Subject:  core.Subject{Trees: []core.Worktree{{Name: tree.Branch, Repo: m.repo}}},
	}
}

func (m *Making) hasBranch(ctx context.Context, branch string) bool {
	_, err := m.git(ctx, m.repo, "rev-parse", "--verify", "--quiet", "refs/heads/"+branch)
	return err == nil
}

// Undo removes what Make made, with its branches and whatever is in it.
func (m *Making) Undo(ctx context.Context) error {
	if m == nil {
		return nil
	}
	var errs []error
	for _, tree := range m.trees[:m.made] {
		if tree.joined {
			continue
		}
		if _, err := os.Lstat(tree.Path); err == nil {
			_, err := m.git(ctx, m.repo, "worktree", "remove", "--force", tree.Path)
			errs = append(errs, err)
		}
		if !tree.keeps && m.hasBranch(ctx, tree.Branch) {
			_, err := m.git(ctx, m.repo, "branch", "-D", tree.Branch)
			errs = append(errs, err)
		}
	}
	if len(m.trees) > 0 && !m.trees[0].joined {
		removeFolders(m.trees[0].Path)
	}
	m.made = 0
	return errors.Join(errs...)
}

// git runs git in a folder and returns what it printed, without the last newline.
// Hooks and filters run: a new worktree may need what they do.
func (m *Making) git(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: m.options.Environ, Programs: true}).Line(ctx, args...)
}

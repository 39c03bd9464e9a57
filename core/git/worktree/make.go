package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/git"
)

// Making makes the worktrees of new agents: all that were added, or none. It is not safe for concurrent use. If two
// make the same worktrees at once, the one that fails removes the worktrees of the other. A nil Making has none.
type Making struct {
	// repo is the working tree whose commit they begin with, top the main one, beside which they
	// are made. prefix is the place of the folder in it.
	repo, top, prefix string

	options Options
	trees   []Tree
	made    int
	report  Report
	// variables are added to the environment of programs, by tree.
	variables [][]string
}

// Prepare returns a Making for the repository that a folder is in, which may be a worktree itself. It makes no worktree
// yet. Without git it returns ToolNotFound, and InvalidInput where no worktree can be made.
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
	if Within(top) {
		// Worktrees of agents that work in a worktree themselves are created beside it.
		repo, err := Open(ctx, top, options)
		if err != nil {
			return nil, err
		}
		m.top = repo.Top
	}
	return m, nil
}

// Add adds the worktree of an agent. It returns the folder in it that has the place of the folder
// given to Prepare, and its branch.
func (m *Making) Add(session, agent string) (dir, branch string) {
	tree := Tree{
		Session: session, Agent: agent, Path: Path(m.top, session, agent), Branch: Branch(session, agent),
	}
	m.trees = append(m.trees, tree)
	return filepath.Join(tree.Path, m.prefix), tree.Branch
}

// Len is how many worktrees were added.
func (m *Making) Len() int { return len(m.trees) }

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
		if _, err := m.git(ctx, m.repo, "worktree", "add", "-b", tree.Branch, tree.Path); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return core.Errorf(core.Conflict, "no worktree could be made at %s: %w", tree.Path, err)
		}
	}
	return m.fill(ctx)
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
func (m *Making) free(ctx context.Context, tree *Tree) error {
	message := ""
	if _, err := os.Lstat(tree.Path); err == nil {
		message = fmt.Sprintf("%s exists already", tree.Path)
	} else if m.hasBranch(ctx, tree.Branch) {
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
		if _, err := os.Lstat(tree.Path); err == nil {
			_, err := m.git(ctx, m.repo, "worktree", "remove", "--force", tree.Path)
			errs = append(errs, err)
		}
		if m.hasBranch(ctx, tree.Branch) {
			_, err := m.git(ctx, m.repo, "branch", "-D", tree.Branch)
			errs = append(errs, err)
		}
	}
	if len(m.trees) > 0 {
		session := filepath.Dir(m.trees[0].Path)
		// Both stay where something else is in them.
		_ = os.Remove(session)
		_ = os.Remove(filepath.Dir(session))
	}
	m.made = 0
	return errors.Join(errs...)
}

// git runs git in a folder and returns what it printed, without the last newline.
// Hooks and filters run: a new worktree may need what they do.
func (m *Making) git(ctx context.Context, dir string, args ...string) (string, error) {
	return (&git.Command{Dir: dir, Environ: m.options.Environ, Programs: true}).Line(ctx, args...)
}

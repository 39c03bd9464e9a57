package sessions

import (
	"cmp"
	"context"
	"errors"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/git"
	"cupola/core/git/worktree"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// readingTrees are the codes that verbs of worktrees may fail with.
var readingTrees = []core.Code{
	core.ToolNotFound, core.NotFound, core.Timeout, core.SessionNotFound, core.IOError, core.PermissionDenied,
}

// changingTrees are the codes of verbs that change worktrees.
var changingTrees = append([]core.Code{core.Conflict, core.Ambiguous}, readingTrees...)

// ofTree names a worktree.
type ofTree struct {
	Name string            `arg:"1" required:"true" lister:"worktree-list" names:"record" help:"The worktree: SESSION/AGENT, its path, or SESSION where that has one"`
	Dir  registry.ReadPath `help:"Folder of the repository (default: this one)"`
}

// treeRef says which worktree an answer is about.
type treeRef struct {
	// Session and Agent are for whom it was made; absent for one that others made.
	Session string `json:"session,omitempty" names:"session"`
	Agent   string `json:"agent,omitempty"`
	Path    string `json:"path"`
	// Branch is the branch that is checked out there; absent where its head is detached.
	Branch string `json:"branch,omitempty" table:"BRANCH,flex"`
}

// name is how people name the worktree.
func (r treeRef) name() string {
	return (&worktree.Tree{Session: r.Session, Agent: r.Agent, Branch: r.Branch, Path: r.Path}).Name()
}

// command is a verb about the worktree, in a repository; empty is this folder's.
func (r treeRef) command(verb, dir string, more ...string) string {
	words := []string{"cupola", verb, r.name()}
	if dir != "" {
		words = append(words, "--dir", dir)
	}
	return shell.Line(append(words, more...)...)
}

func refOfTree(tree *worktree.Tree) treeRef {
	return treeRef{Session: tree.Session, Agent: tree.Agent, Path: tree.Path, Branch: tree.Branch}
}

// treesIn is a repository with its worktrees: first the agents', then the ones that others made.
type treesIn struct {
	repo  *worktree.Repo
	trees []worktree.Tree
}

// treesOf finds the worktrees of the repository that a folder is in.
func treesOf(ctx context.Context, env *verb.Env, dir string) (*treesIn, error) {
	repo, err := worktree.Open(ctx, cmp.Or(dir, env.Dir), verb.Trees(&env.Local))
	if err != nil {
		return nil, ofGit(err)
	}
	trees, err := repo.Trees(ctx)
	if err != nil {
		return nil, ofGit(err)
	}
	others, err := repo.Others(ctx)
	if err != nil {
		return nil, ofGit(err)
	}
	return &treesIn{repo, append(trees, others...)}, nil
}

// ofGit gives an error of git's a code.
func ofGit(err error) error {
	switch {
	case errors.Is(err, git.ErrMissing):
		return &core.Error{Code: core.ToolNotFound, Message: "git is not installed", Hint: "Install git."}
	case errors.Is(err, git.ErrNoTree):
		return &core.Error{
			Code: core.NotFound, Message: err.Error(),
			Hint: "Run it in the repository, or name that with --dir.", Err: err,
		}
	case errors.Is(err, git.ErrLate):
		return &core.Error{
			Code: core.Timeout, Message: err.Error(), Hint: "Try again when the machine is less busy.", Err: err,
		}
	}
	return err
}

// one is the named worktree.
func (t *treesIn) one(in ofTree) (*worktree.Tree, error) {
	found, err := worktree.Named(t.trees, in.Name)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 1:
		return &found[0], nil
	}
	several := core.Errorf(core.Ambiguous, "%s has %s", in.Name, verb.Plural(len(found), "worktree"))
	several.Hint = "Name one as SESSION/AGENT."
	several.Suggestions = core.Map(found, func(t worktree.Tree) string { return t.Name() })
	return nil, several
}

// panesInTrees are the addresses of the panes that are in a worktree now; nil without a server.
func panesInTrees(ctx context.Context, f *fleet.Fleet) (func(*worktree.Tree) []string, error) {
	snapshot, err := f.Overview.Snapshot(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, err
	}
	return func(tree *worktree.Tree) (addresses []string) {
		for _, pane := range snapshot.Panes() {
			if tree.Contains(pane.Process.Dir) {
				addresses = append(addresses, pane.Address())
			}
		}
		return addresses
	}, nil
}

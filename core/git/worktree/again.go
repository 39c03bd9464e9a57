package worktree

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/system/plainfile"
)

// Again makes the worktree of an agent again that is gone, in which dir was: from its branch or, if that is gone too,
// from the commit that heads has for its path. It gets what Make gives a new one. It returns the worktree's path or, in
// a dry run, which makes nothing, the repository's. It returns NotFound if the repository is gone, or both branch and
// commit, and the errors of package git.
func Again(ctx context.Context, dir string, heads map[string]string, dry bool, options Options) (string, error) {
	top, session, agent, is := placeOf(dir)
	if !is {
		return "", core.Errorf(core.NotFound, "%s is no worktree of an agent", dir)
	}
	if !plainfile.IsFolder(top) {
		return "", core.Errorf(core.NotFound, "the repository %s is gone", top)
	}
	repo, err := Open(ctx, top, options)
	if err != nil {
		return "", err
	}
	path := Path(top, session, agent)
	branch, err := repo.lastBranch(ctx, &Tree{Session: session, Agent: agent, Path: path})
	if err != nil {
		return "", err
	}
	// The worktree that is gone may still be registered.
	args := []string{"worktree", "add", "--force", path, branch}
	if !repo.has(ctx, branch) {
		if heads[path] == "" {
			return "", core.Errorf(core.NotFound, "the branch %s is gone", branch)
		}
		args = []string{"worktree", "add", "--force", "-b", branch, path, heads[path]}
	}
	if dry {
		return top, nil
	}
	if _, err = repo.act(ctx, top, args...); err != nil {
		return path, err
	}
	m := &Making{
		repo: repo.Top, top: repo.Top, options: repo.options,
		trees: []making{{Tree: Tree{Session: session, Agent: agent, Path: path, Branch: branch}}},
	}
	return path, m.fill(ctx)
}

// lastBranch returns the branch of a worktree that is gone: the one that git still knows to be checked out there, or
// the one that was made for its agent.
func (r *Repo) lastBranch(ctx context.Context, tree *Tree) (string, error) {
	all, err := r.all(ctx)
	if err != nil {
		return "", err
	}
	for i := range all {
		if all[i].Path == tree.Path && all[i].Branch != "" {
			return all[i].Branch, nil
		}
	}
	branch, err := r.madeFor(ctx, tree)
	return cmp.Or(branch, Branch(tree.Session, tree.Agent)), err
}

package sessions

import (
	"context"
	"os"

	"cupola/core"
	"cupola/core/checkout"
	"cupola/core/fleet/lifecycle"
	"cupola/robot/command/verb"
	"cupola/robot/registry"
)

// checkedOut is the Branch that is checked out in the caller's folder.
const checkedOut = "HEAD"

// Depart takes along where the branch of the caller's folder can be cloned from, and says what would stay behind.
func (in spawnIn) Depart(ctx context.Context, from registry.Env) (any, error) {
	env, is := from.(*verb.Env)
	if in.Branch == "" || in.Repository != "" || !is {
		return in, nil
	}
	branch := in.Branch
	if branch == checkedOut {
		branch = ""
	}
	source, err := checkout.Open(ctx, env.Dir, branch, env.Environ)
	if err != nil {
		return nil, err
	}
	in.Branch, in.Repository = source.Branch, source.Repository
	if behind := notPushed(source); behind != "" && !in.DryRun {
		permission := verb.Permission{
			Verb: "spawn", In: in, Given: in.Yes, Shows: behind + " here, and not at " + source.Repository + ".\n",
		}
		return in, permission.Ask(env, "Leave "+behind+" of "+source.Branch+" behind?")
	}
	return in, nil
}

// notPushed says what the remote does not have; empty for nothing.
func notPushed(source checkout.Source) string {
	commits, files := verb.Plural(source.Unpushed, "commit"), verb.Plural(source.Uncommitted, "changed file")
	switch {
	case source.Unpushed > 0 && source.Uncommitted > 0:
		return commits + " and " + files
	case source.Unpushed > 0:
		return commits
	case source.Uncommitted > 0:
		return files
	}
	return ""
}

// bring brings the branch to this machine, has the request start in it, and returns its folder; empty without a branch.
func (in spawnIn) bring(ctx context.Context, env *verb.Env, request *lifecycle.LaunchRequest) (dir string, err error) {
	switch {
	case in.Branch == "":
		return "", nil
	case in.Repository == "":
		return "", &core.Error{
			Code: core.MissingRequired, Message: "--branch needs --repository on this machine, or another host",
			Hint:    "Name a host: spawn HOST/" + in.Session + ". Here, --worktree gives each agent a branch of its own.",
			Details: map[string]any{"missing": []string{"--repository"}},
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", core.Errorf(core.IOError, "%w", err)
	}
	dir, err = checkout.Bring(ctx, checkout.Request{
		Repository: in.Repository, Branch: in.Branch, Dir: in.Dir, Home: home, Environ: env.Environ, DryRun: in.DryRun,
	})
	request.Dir = dir
	if _, gone := os.Stat(dir); gone != nil && in.DryRun {
		request.Dir = home // the folder is not there yet
	}
	return dir, err
}

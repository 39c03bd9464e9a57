package verb

import (
	"context"
	"os"

	"cupola/core"
	"cupola/core/git/checkout"
	"cupola/core/verb/registry"
)

// Branched is the input of verbs that bring a branch to the machine where they run.
type Branched struct {
	Branch     string              `help:"Clone or fetch this branch there first (HEAD: the one that is checked out here): what its remote has, nothing else is copied"`
	Repository registry.Repository `help:"Where that branch is (default: the remote of this folder's repository)"`
	Yes        bool                `help:"Do not ask before what is not pushed stays behind"`
}

// checkedOut is the Branch that is checked out in the caller's folder.
const checkedOut = "HEAD"

// Depart fills in the source from which the branch of the caller's folder can be cloned, and asks before a part of it
// stays behind: verb and in name the call, and in is its whole input as it is then. A dry run asks nothing.
func (b *Branched) Depart(ctx context.Context, env *Env, verb string, in func() any, dry bool) error {
	if b.Branch == "" || b.Repository != "" {
		return nil
	}
	branch := b.Branch
	if branch == checkedOut {
		branch = ""
	}
	source, err := checkout.Open(ctx, env.Dir, branch, env.Environ)
	if err != nil {
		return err
	}
	b.Branch, b.Repository = source.Branch, registry.Repository(source.Repository)
	behind := notPushed(source)
	if behind == "" || dry {
		return nil
	}
	permission := Permission{
		Verb: verb, In: in(), Given: b.Yes, Shows: behind + " here, and not at " + source.Repository + ".\n",
	}
	return permission.Ask(env.Who(), "Leave "+behind+" of "+source.Branch+" behind?")
}

// notPushed says what the remote does not have; empty for nothing.
func notPushed(source checkout.Source) string {
	commits, files := Plural(source.Unpushed, "commit"), Plural(source.Uncommitted, "changed file")
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

// Bring brings the branch to this machine, into a folder or, if that is empty, one in the user's home, and returns the
// folder in which it is checked out; empty without a branch.
func (b *Branched) Bring(ctx context.Context, env *Env, dir string, dry bool) (string, error) {
	switch {
	case b.Branch == "":
		return "", nil
	case b.Repository == "":
		return "", &core.Error{
			Code: core.MissingRequired, Message: "--branch needs --repository on this machine, or another host",
			Hint:    "Name a host, with --host. On this machine --worktree gives agents branches of their own.",
			Details: map[string]any{"missing": []string{"--repository"}},
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", core.Errorf(core.IOError, "%w", err)
	}
	return checkout.Bring(ctx, checkout.Request{
		Repository: string(b.Repository), Branch: b.Branch, Dir: dir, Home: home, Environ: env.Environ, DryRun: dry,
	})
}

// CheckBranch sees that a repository comes with a branch.
func (b *Branched) CheckBranch() error {
	if b.Repository == "" || b.Branch != "" {
		return nil
	}
	return &core.Error{
		Code: core.MissingRequired, Message: "--repository needs --branch",
		Details: map[string]any{"missing": []string{"--branch"}},
	}
}

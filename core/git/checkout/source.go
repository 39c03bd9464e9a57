// Package checkout brings a branch to another machine with git alone: what a repository's remote has is cloned or
// fetched there, and nothing else is copied. It says what the remote does not have. The package keeps nothing between
// calls.
package checkout

import (
	"cmp"
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
)

// askWithin is how long the server of a repository may take to answer a question.
const askWithin = 30 * time.Second

// Source is a branch as another machine can get it.
type Source struct {
	// Repository is where it can be cloned from, without a password.
	Repository string
	// Branch is its name there.
	Branch string
	// Unpushed counts the commits of the branch that only this machine has, and Uncommitted the files that are not as
	// in its last commit.
	Unpushed, Uncommitted int
}

// Open returns a branch of the repository that a folder is in; an empty name means the branch that is checked out. It
// asks the server of the branch's remote. environ is the environment of git. It returns NotFound for a branch that the
// remote does not have, and InvalidInput where no other machine could get it.
func Open(ctx context.Context, dir, branch string, environ []string) (Source, error) {
	tree, err := git.Open(ctx, dir, environ)
	if err != nil {
		return Source{}, &core.Error{
			Code: core.InvalidInput, Message: "no branch can be brought from here: " + err.Error(), Err: err,
			Hint: "Run it in a clone of the repository, or say where the repository is.",
		}
	}
	status, err := tree.Status(ctx)
	if err != nil {
		return Source{}, core.Errorf(core.IOError, "%w", err)
	}
	if branch = cmp.Or(branch, status.Branch); branch == "" {
		return Source{}, core.Errorf(core.InvalidInput, "no branch is checked out in %s", tree.Root)
	}
	g := &git.Command{Dir: tree.Root, Environ: environ, Env: quiet, Within: askWithin, Programs: true}
	name, _ := g.Line(ctx, "config", "branch."+branch+".remote") // it need not have one
	name = cmp.Or(name, "origin")
	address, err := g.Line(ctx, "remote", "get-url", "--", name)
	if err != nil {
		return Source{}, &core.Error{
			Code: core.RemoteNotFound, Message: "the repository in " + tree.Root + " has no remote " + name,
			Hint: "Push it somewhere that the other machine reaches, or say where it is there.", Err: err,
		}
	}
	s := Source{Branch: branch}
	if s.Repository, err = reachable(address); err != nil {
		return Source{}, err
	}
	listed, err := g.Line(ctx, "ls-remote", "--", address, "refs/heads/"+branch)
	switch {
	case err != nil:
		return Source{}, core.Errorf(core.NetworkError, "%w", err)
	case listed == "":
		return Source{}, &core.Error{
			Code: core.NotFound, Message: name + " has no branch " + branch,
			Hint: "Push it first: git push -u " + name + " " + branch + ".",
		}
	}
	commit, _, _ := strings.Cut(listed, "\t")
	s.Unpushed = unpushed(ctx, g, name, branch, commit)
	if status.Branch == branch {
		s.Uncommitted = len(status.Changes)
	}
	return s, nil
}

// unpushed counts the commits of a branch that its remote, which has it at commit, has not.
func unpushed(ctx context.Context, g *git.Command, remote, branch, commit string) int {
	own := "refs/heads/" + branch
	for _, there := range []string{commit, "refs/remotes/" + remote + "/" + branch} {
		out, err := g.Line(ctx, "rev-list", "--count", own, "^"+there, "--")
		if err != nil {
			continue // the branch is the remote's alone, or the commit was never fetched
		}
		if n, err := strconv.Atoi(out); err == nil {
			return n
		}
	}
	return 0
}

// reachable returns an address of a repository without its password; InvalidInput for one of this machine alone.
func reachable(address string) (string, error) {
	parsed, err := url.Parse(address)
	switch {
	case err == nil && parsed.Scheme != "" && parsed.Scheme != "file" && parsed.Host != "":
		if parsed.User != nil {
			parsed.User = url.User(parsed.User.Username())
		}
		return parsed.String(), nil
	case isSSH(address):
		return address, nil
	}
	return "", &core.Error{
		Code:    core.InvalidInput,
		Message: "the repository is at " + core.Cut(address) + ", which is on this machine alone",
		Hint:    "Push it somewhere that the other machine reaches, or say where it is there.",
	}
}

// isSSH reports whether an address is HOST:PATH.
func isSSH(address string) bool {
	host, path, is := strings.Cut(address, ":")
	return is && host != "" && path != "" && !strings.ContainsAny(host, "/\\") && !strings.HasPrefix(host, "-") &&
		!strings.HasPrefix(path, ":") && !strings.HasPrefix(path, "//")
}

// quiet keeps ssh from asking for a password.
var quiet = []string{"GIT_SSH_COMMAND=ssh -o BatchMode=yes"}

// missingGit is the error of a machine without git; nil for another reason.
func missingGit(err error) error {
	if !errors.Is(err, git.ErrMissing) {
		return nil
	}
	return &core.Error{Code: core.ToolNotFound, Message: "git is not installed"}
}

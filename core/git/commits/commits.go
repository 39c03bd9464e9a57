// Package commits derives from a git repository's history which of its files change most,
// and which change together. It only reads, and keeps nothing between calls.
package commits

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"cupola/core"
	"cupola/core/git"
)

// Log is a part of a repository's history.
type Log struct {
	// Root is the folder of the work tree.
	Root string
	// Commits are the newest first.
	Commits []git.Commit
	// Complete is false if older commits within the requested time were omitted.
	Complete bool
	// Tracked are the files that the repository contains now.
	Tracked map[string]bool
}

// Request selects the commits to read.
type Request struct {
	// Since excludes older commits; zero excludes none.
	Since time.Time
	// Most is the maximum number of commits; 0 is Usual.
	Most int
}

// Usual is the default number of commits to read.
const Usual = 5000

// Read reads the history of the repository that a folder is in, without merges. It returns
// ProjectNotFound if there is no repository, ToolNotFound without git, and Timeout if git
// takes too long. A repository without commits has an empty log.
func Read(ctx context.Context, dir string, request Request) (*Log, error) {
	log, err := read(ctx, dir, request)
	switch {
	case err == nil:
		return log, nil
	case errors.Is(err, git.ErrMissing):
		return nil, &core.Error{
			Code: core.ToolNotFound, Message: "git is not installed",
			Hint: "Install git and try again.", Err: err,
		}
	case errors.Is(err, git.ErrNoTree):
		return nil, &core.Error{
			Code: core.ProjectNotFound, Message: dir + " is in no git repository",
			Remedies: []core.Remedy{core.RemedyNameProject}, Err: err,
		}
	case errors.Is(err, git.ErrLate):
		return nil, &core.Error{
			Code: core.Timeout, Message: err.Error(),
			Remedies: []core.Remedy{core.RemedyReadLess}, Err: err,
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	return nil, core.Errorf(core.IOError, "%w", err)
}

func read(ctx context.Context, dir string, request Request) (*Log, error) {
	tree, err := git.Open(ctx, dir, os.Environ())
	if err != nil {
		return nil, err
	}
	most := cmp.Or(request.Most, Usual)
	commits, err := tree.Log(ctx, git.LogRequest{Since: request.Since, Most: most + 1, NoMerges: true})
	if err != nil {
		return nil, err
	}
	log := &Log{
		Root: tree.Root, Commits: commits[:min(most, len(commits))], Complete: len(commits) <= most,
		Tracked: map[string]bool{},
	}
	tracked, err := tree.Tracked(ctx)
	if err != nil {
		return nil, err
	}
	for _, path := range tracked {
		log.Tracked[path] = true
	}
	return log, nil
}

// Path returns a file's name in the log: relative to the root, with slashes. A relative
// file is relative to dir.
func (l *Log) Path(dir, file string) string {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(file)); err == nil {
		file = filepath.Join(folder, filepath.Base(file))
	}
	inside, err := filepath.Rel(l.Root, file)
	if err != nil {
		return filepath.ToSlash(file)
	}
	return filepath.ToSlash(inside)
}

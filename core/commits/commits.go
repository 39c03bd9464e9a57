// Package commits says what a git repository's history tells of its files: which
// change most, and which change together. It only reads, and keeps nothing.
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
	// Complete is false where older commits within the time asked for were left out.
	Complete bool
	// Tracked are the files that the repository holds now.
	Tracked map[string]bool
}

// Request says which commits are wanted.
type Request struct {
	// Since leaves out older ones; zero is all.
	Since time.Time
	// Most is how many at most; 0 is Usual.
	Most int
}

// Usual is the default number of commits to read.
const Usual = 5000

// Read reads the history of the repository that a folder is in, without merges.
// It returns ProjectNotFound where there is none, ToolNotFound without git, and
// Timeout. A repository without commits has an empty log.
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
	return nil, &core.Error{Code: core.IOError, Message: err.Error(), Err: err}
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

// Path is a file as the log names it: from the root, with slashes. Dir is the
// folder that a relative path begins in.
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

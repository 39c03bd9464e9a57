// Package worklog tells what changed in the working trees of sessions, and which agent changed it.
// It asks git and the agents' own records, and changes nothing.
package worklog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/git"
)

// Options is what a Surveyor is made of; all are required.
type Options struct {
	Observer *observe.Observer
	Dir      *rundir.Dir
	// Environ is the environment of git, as NAME=VALUE.
	Environ []string
	Log     *slog.Logger
}

// Surveyor looks at working trees. Its methods may be called concurrently.
type Surveyor struct{ Options }

// New returns a Surveyor.
func New(o Options) *Surveyor { return &Surveyor{o} }

// Request asks what changed in the working trees of sessions.
type Request struct {
	// Session leaves out the trees in which no pane of this session is; empty is all.
	Session string
	// Since leaves out what is older.
	Since time.Time
	// Past adds what was done in panes that are not there any more, as far as it is
	// known in which folders they were: Events, those on record since then, tell it,
	// and what the last keeper saw.
	Past   bool
	Events []core.Event
}

// Work is what changed in working trees, and who did it.
type Work struct {
	Trees []WorkTree
	// Files are the newest first, one for each file of a tree; Commits too.
	Files   []FileChange
	Commits []CommitMade
	// Conflicts are files that several agents changed, the newest first.
	Conflicts []FileConflict
}

// WorkTree is a git working tree in which panes are.
type WorkTree struct {
	Root, Branch, Head string
	// Linked is true for a worktree beside its repository.
	Linked bool
	// Sessions are those with a pane in it, Agents the agents in it.
	Sessions []string
	Agents   []core.PaneRef
	// Trouble says why nothing is known of it; empty if all is.
	Trouble string

	tree   *git.Tree
	inside []resident
	// live is true if a pane is in it now, left when the last of the others was seen.
	live bool
	left time.Time
	// began is when the first of its sessions did; vague is true if that is not known
	// of all.
	began  time.Time
	vague  bool
	status git.Status
	log    []git.Commit
}

// resident is an agent in a working tree: in which folder, and since when. One that is
// gone was seen there until then.
type resident struct {
	core.PaneRef
	dir          string
	since, until time.Time
}

// Reasons to credit an agent: its own record says so, it is alone in its worktree, or it is alone in the
// folder or in the part of it with the file. Uncredited changes are CreditUnknown, or CreditBefore if they
// precede all sessions in the tree.
const (
	CreditTranscript = "transcript"
	CreditWorktree   = "worktree"
	CreditFolder     = "cwd"
	CreditUnknown    = "unknown"
	CreditBefore     = "before"
)

// Credit says who did something. Without an agent its PaneRef is empty.
type Credit struct {
	core.PaneRef
	By string
}

// FileChange is a file that is not as it was.
type FileChange struct {
	// Tree is the root of its working tree, Path is relative to that.
	Tree, Path string
	Kind       git.Kind
	// At is when the file was last written, of a deleted one its folder, and of a
	// committed one when that was done.
	At time.Time
	// Commit is the hash of the commit that holds the change; empty while it is none.
	Commit string
	// Filter is the git filter that the file is under, which was not run: whether it
	// changed, and how, is not known for sure. It is empty where that is known.
	Filter string
	Credit
}

// CommitMade is a commit.
type CommitMade struct {
	Tree string
	git.Commit
	Credit
}

// FileConflict is a file that several agents changed.
type FileConflict struct {
	Tree, Path string
	At         time.Time
	// Worktrees is true where each changed it in a worktree of its own: that will
	// conflict when it is merged.
	Worktrees bool
	// Trees are those in which it changed, Tree the one where that was last.
	Trees  []string
	Agents []Credit
}

// Work looks at the working trees in which panes are. Trees that cannot be read say
// so. It returns ToolNotFound without git and, unless the past is asked for,
// SessionNotFound.
func (s *Surveyor) Work(ctx context.Context, request Request) (_ *Work, err error) {
	defer func() { err = fault.Wrap("files", err) }()
	seen, err := s.Observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
	if err != nil {
		return nil, err
	}
	var ended []departed
	if request.Past {
		ended = append(departedIn(request.Events), s.departed(ctx, seen.Snapshot)...)
	} else if request.Session != "" {
		if _, err := resolve.FindSession(seen.Snapshot, request.Session); err != nil {
			return nil, err
		}
	}
	v := s.survey(seen, request.Since)
	err = v.find(ctx, request.Session, ended...)
	if errors.Is(err, git.ErrMissing) {
		return nil, &core.Error{
			Code: core.ToolNotFound, Message: "git is not installed",
			Hint: "Install git and try again.",
		}
	}
	if err != nil {
		return nil, err
	}
	v.ask(ctx)
	v.readEdits(ctx)
	return v.work(), ctx.Err()
}

func (s *Surveyor) survey(seen *observe.Observation, since time.Time) *survey {
	return &survey{seen: seen, environ: s.Environ, since: since, log: s.Log}
}

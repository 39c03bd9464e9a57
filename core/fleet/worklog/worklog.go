// Package worklog finds what changed in the working trees of sessions, and which agent changed it.
// It reads git and the agents' transcripts, and changes nothing.
package worklog

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/fleet/conversation"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/git"
)

// Options configures a Surveyor; all fields are required.
type Options struct {
	Observer *observe.Observer
	// Conversations finds the records of agents.
	Conversations *conversation.Reader
	Dir           *rundir.Dir
	// Environ is the environment of git, as NAME=VALUE.
	Environ []string
	Log     *slog.Logger
}

// Surveyor looks at working trees. Its methods may be called concurrently.
type Surveyor struct{ opts Options }

// New returns a Surveyor.
func New(o Options) *Surveyor { return &Surveyor{o} }

// Request asks what changed in the working trees of sessions.
type Request struct {
	// Session excludes trees without a pane of this session; empty excludes none.
	Session string
	// Since excludes older changes.
	Since time.Time
	// Past adds changes in the folders of panes that were closed meanwhile. These folders
	// come from Events, the recorded events since Since, and from the last keeper's record.
	Past   bool
	Events []core.Event
}

// Work are the changes in working trees, with the agents that made them.
type Work struct {
	Trees []WorkTree
	// Files are the newest first, one for each file of a tree; Commits too.
	Files   []FileChange
	Commits []CommitMade
	// Conflicts are files that several agents changed, the newest first.
	Conflicts []FileConflict
}

// WorkTree is a git working tree that contains the folder of a pane.
type WorkTree struct {
	Root, Branch, Head string
	// Linked is true for a linked git worktree.
	Linked bool
	// Sessions have a pane in the tree, Agents are the agents in it.
	Sessions []string
	Agents   []core.PaneRef
	// Trouble is the reason why the tree cannot be read; empty if it can.
	Trouble string
	// Left is how many changed files are not among those of the Work, since there were too many.
	Left int

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

// Credit is the agent that made a change, and the reason to credit it. Without an agent its
// PaneRef is empty.
type Credit struct {
	core.PaneRef
	By string
}

// FileChange is a changed file.
type FileChange struct {
	// Tree is the root of its working tree, Path is relative to that.
	Tree, Path string
	Kind       git.Kind
	// At is when the file was last written; for a deleted file its folder, and for a
	// committed change the time of the commit.
	At time.Time
	// Commit is the hash of the commit that contains the change; empty if it is not
	// committed.
	Commit string
	// Filter is the git filter that applies to the file. It was not run, so it is not
	// certain that the file changed; empty without a filter.
	Filter string
	Credit
}

// CommitMade is a commit in a working tree, with the agent that made it.
type CommitMade struct {
	Tree string
	git.Commit
	Credit
}

// FileConflict is a file that several agents changed.
type FileConflict struct {
	Tree, Path string
	At         time.Time
	// Worktrees is true if each agent changed it in a worktree of its own, so that a merge
	// may conflict.
	Worktrees bool
	// Trees are the working trees in which it changed, Tree the one in which it changed
	// last.
	Trees  []string
	Agents []Credit
}

// Work returns what changed in the working trees of panes. For a tree that cannot be read,
// Trouble says why. It returns ToolNotFound without git and, unless Past is set,
// SessionNotFound.
func (s *Surveyor) Work(ctx context.Context, request Request) (_ *Work, err error) {
	defer func() { err = fault.Wrap("files", err) }()
	seen, err := s.opts.Observer.Outline(ctx, observe.View{Dirs: true, Brief: true})
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
	v.readEdits(ctx)
	v.ask(ctx)
	return v.work(), ctx.Err()
}

func (s *Surveyor) survey(seen *observe.Observation, since time.Time) *survey {
	return &survey{
		seen: seen, conversations: s.opts.Conversations, environ: s.opts.Environ, since: since, log: s.opts.Log,
	}
}

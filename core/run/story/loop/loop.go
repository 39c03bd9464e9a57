// Package loop works through the stories of a change: it lets one fresh agent after the other work on a story in a git
// worktree, until the story's tasks are ticked and the verification commands pass, and commits it then. The words of an
// agent about its work count for nothing.
//
// Everything that it changes is in worktrees and on branches of its own. The user's working tree is only read. A
// record of the run is saved before and after each step, and a story's commit names the run and the story, so that a
// run whose process was killed continues where it was and commits nothing twice.
package loop

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git/worktree"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
)

// Loop runs stories.
type Loop struct {
	Directory *Directory
	Files     story.Files
	// Open opens the stage on which a crew of one agent works. It sets where the agent works, if that is a pane.
	Open func(context.Context, *crew.Crew) (orchestrator.Stage, error)
	// ClosePane closes the pane of an agent that is not needed any more; nil leaves them open.
	ClosePane func(ctx context.Context, pane string) error
	// Items are the work items of a run whose stories they are; nil for other sources.
	Items Items
	// Sessions are the sessions in which the agents of a run can report; nil for none.
	Sessions *agentsession.Directory
	// Hint is a text that every agent gets beside its story; empty for none.
	Hint string
	// Trees are the settings of new worktrees.
	Trees worktree.Options
	// Environ is the environment of git and of the verification commands.
	Environ []string
	Now     func() time.Time
	Log     *slog.Logger
}

// Items are work items that another program keeps.
type Items interface {
	// Claim says that an item is worked on, and Close that it is done.
	Claim(ctx context.Context, id string) error
	Close(ctx context.Context, id, reason string) error
}

// Unfinished returns the newest run of the same stories in the same repository that has not come to its end; nil if
// there is none.
func (l *Loop) Unfinished(r *story.Run) (*story.Run, error) {
	all, err := l.Directory.All()
	if err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		if one.IsOf(r.Source, r.Origin) {
			if one.State == story.Completed {
				return nil, nil
			}
			return l.Directory.Load(one.ID)
		}
	}
	return nil, nil
}

// Run works through the stories of a run until it ends, and returns its record then. The limits replace the limits on
// record, where they are set. Emit, if not nil, gets its events in order, without the events of earlier runs. It
// returns Conflict if another process works on it, and Cancelled if ctx ended first. A run that needs the user is no
// error of Run.
func (l *Loop) Run(
	ctx context.Context, id string, limits story.Limits, emit func(story.Event),
) (*story.Run, error) {
	r, release, err := l.take(ctx, id, emit)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := l.Directory.Unpause(id); err != nil {
		return r.rec.Run, err
	}
	record := r.rec.Run
	record.Limits = limits.Or(record.Limits)
	record.State, record.Reason, record.Error, record.ErrorCode = story.Running, "", "", ""
	record.PID, record.Ended = os.Getpid(), time.Time{}
	if err := r.rec.note(story.Event{Type: story.RunStart, Text: record.Name + ", " + provenBy(record)}); err != nil {
		return record, err
	}
	watched, stop := l.Directory.Cancellable(ctx, id)
	defer stop()
	limited, end := context.WithCancelCause(watched)
	defer end(nil)
	r.clock = run.NewClock(record.Limits.TimeLimit, func() { end(errLate) })
	defer r.clock.Stop()
	r.throttle = r.newThrottle()
	// A run that was cut off while it waited for the end of a usage limit waits on.
	var reason story.Reason
	failure := r.throttle.Wait(limited, record.Until)
	if failure == nil {
		reason, failure = r.workThrough(limited)
	}
	if limited.Err() != nil && (reason != story.AllDone || failure != nil) {
		reason, failure = story.StoppedBy, nil
		if errors.Is(context.Cause(limited), errLate) {
			reason = story.TimeLimit
		}
	}
	ended := r.end(context.WithoutCancel(ctx), reason, failure)
	if reason == story.StoppedBy && ctx.Err() != nil {
		return record, errors.Join(ended, &core.Error{
			Code: core.Cancelled, Message: "the run of stories was interrupted", Err: ctx.Err(),
			Hint:     "It is stopped. Once it is resumed, it continues where it was.",
			Remedies: []core.Remedy{core.RemedyResumeRun, core.RemedyShowRun}, Subject: core.Subject{Run: id},
		})
	}
	return record, ended
}

// take makes this process the one that works on a run.
func (l *Loop) take(ctx context.Context, id string, emit func(story.Event)) (*execution, func(), error) {
	record, release, err := l.Directory.Take(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	log, last, err := run.OpenLog[story.Event](eventsPath(l.Directory, id))
	if err != nil {
		release()
		return nil, nil, core.FileError("open the events of the run", err)
	}
	rec := &recorder{Run: record, directory: l.Directory, log: log, seq: last.Seq, emit: emit, now: l.Now}
	r := &execution{
		loop: l, rec: rec, space: &workspace{rec: rec, files: l.Files, environ: l.Environ, trees: l.Trees, log: l.Log},
		began:  l.Now(),
		before: record.Iterations, failedBefore: map[string]int{}, working: map[string]bool{},
	}
	return r, func() {
		_ = log.Close()
		release()
	}, nil
}

// provenBy says which commands prove a story, before the first of them runs.
func provenBy(r *story.Run) string {
	if len(r.Verify) == 0 {
		return "proven by ticked tasks alone"
	}
	text := "proven by " + strings.Join(r.Verify, "; ")
	if r.VerifyFrom == story.FromGuess {
		text += " (guessed from the project)"
	}
	return text
}

// errLate is the cause of a run that took too long.
var errLate = errors.New("the time limit of the run is over")

// Squash makes one commit of what a run made that has ended.
func (l *Loop) Squash(ctx context.Context, id string) (*story.Run, error) {
	r, release, err := l.take(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	defer release()
	if err := r.space.open(ctx); err != nil {
		return r.rec.Run, err
	}
	r.rec.Squash = true
	return r.rec.Run, r.space.squash(ctx)
}

package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/crew"
	"cupola/core/crew/orchestrator"
	"cupola/core/secret"
	"cupola/core/story"
	"cupola/core/story/agentsession"
)

// Loop runs stories.
type Loop struct {
	Book  Book
	Files story.Files
	// Open opens the stage on which a crew of one agent works. It sets where the agent works, if that is a pane.
	Open func(context.Context, *story.Run, *crew.Crew) (orchestrator.Stage, error)
	// ClosePane closes the pane of an agent that is not needed any more; nil leaves them open.
	ClosePane func(ctx context.Context, pane string) error
	// Items are the work items of a run whose stories they are; nil for other sources.
	Items Items
	// Sessions are those in which the agents of a run can report; nil for none.
	Sessions *agentsession.Book
	// Hint is what every agent is told beside its story; empty for nothing.
	Hint string
	// Afford returns an error if nothing more may be spent; nil sets no limit.
	Afford func(context.Context) error
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

// More is what a run that goes on may do beyond the limits on record. Zero keeps a limit.
type More struct {
	MaxRetries, MaxIterations int
	TimeLimit                 time.Duration
	BudgetUSD                 float64
}

func (m More) raise(limits *story.Limits) {
	limits.MaxRetries = cmp.Or(m.MaxRetries, limits.MaxRetries)
	limits.MaxIterations = cmp.Or(m.MaxIterations, limits.MaxIterations)
	limits.TimeLimit = cmp.Or(m.TimeLimit, limits.TimeLimit)
	limits.BudgetUSD = cmp.Or(m.BudgetUSD, limits.BudgetUSD)
}

// Unfinished returns the newest run of the same stories in the same repository that has not come to its end; nil if
// there is none.
func (l *Loop) Unfinished(r *story.Run) (*story.Run, error) {
	all, err := l.Book.All()
	if err != nil {
		return nil, err
	}
	for i := range all {
		one := &all[i]
		if one.Source == r.Source && one.Name == r.Name && one.Path == r.Path && one.Dir == r.Dir {
			if one.State == story.Completed {
				return nil, nil
			}
			return one, nil
		}
	}
	return nil, nil
}

// New puts a run on record that has not begun.
func (l *Loop) New(r *story.Run) error { return l.Book.files().Make(r) }

// Run works through the stories of a run until it ends, and returns what is on record of it then. Emit, if not nil,
// gets its events in order, those of earlier runs excepted. It returns Conflict if another process works on it, and
// Cancelled if ctx ended first. A run that needs somebody is no error of Run.
func (l *Loop) Run(ctx context.Context, id string, more More, emit func(story.Event)) (*story.Run, error) {
	record, release, err := l.Book.files().Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	events, err := l.Book.journal(id)
	if err != nil {
		return record, err
	}
	defer events.file.Close()
	if err := l.Book.GoOn(id); err != nil {
		return record, err
	}
	r := &run{Run: record, loop: l, journal: events, emit: emit, began: l.Now(), before: record.Iterations}
	more.raise(&r.Limits)
	r.State, r.Reason, r.Error, r.ErrorCode = story.Running, "", "", ""
	r.PID, r.Ended = os.Getpid(), time.Time{}
	if err := r.note(story.Event{Type: story.RunStart, Text: r.Name + ", " + r.provenBy()}); err != nil {
		return record, err
	}
	watched, stop := l.Book.files().Cancellable(ctx, id)
	defer stop()
	limited, end := context.WithTimeoutCause(watched, r.Limits.TimeLimit, errLate)
	defer end()
	reason, failure := r.conduct(limited)
	if limited.Err() != nil {
		switch {
		case errors.Is(context.Cause(limited), errLate):
			reason, failure = story.TimeLimit, nil
		default:
			reason, failure = story.StoppedBy, nil
		}
	}
	ended := r.end(context.WithoutCancel(ctx), reason, failure)
	if reason == story.StoppedBy && ctx.Err() != nil {
		return record, errors.Join(ended, &core.Error{
			Code: core.Cancelled, Message: "the run of stories was interrupted", Err: ctx.Err(),
			Hint:     "It goes on where it was.",
			Remedies: []core.Remedy{core.RemedyResumeStory, core.RemedyShowStory}, Subject: core.Subject{Run: id},
		})
	}
	return record, ended
}

// provenBy says which commands prove a story, before the first of them runs.
func (r *run) provenBy() string {
	if len(r.Verify) == 0 {
		return "proven by ticked tasks alone"
	}
	text := "proven by " + strings.Join(r.Verify, "; ")
	if r.VerifyFrom == "guess" {
		text += " (guessed from the project)"
	}
	return text
}

// errLate is the cause of a run that took too long.
var errLate = errors.New("the time limit of the run is over")

// end records how a run ended.
func (r *run) end(ctx context.Context, reason story.Reason, failure error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if failure != nil {
		e := core.AsError(failure)
		reason, r.Error, r.ErrorCode = story.Error, secret.Mask(e.Error()), e.Code
	}
	r.Reason, r.State, r.Ended = reason, reason.State(), r.loop.Now().UTC()
	r.ElapsedMS += r.Ended.Sub(r.began).Milliseconds()
	if r.Error == "" && r.State == story.Failed {
		r.Error = r.why(reason)
	}
	r.leaveSeats(ctx)
	return errors.Join(r.write(story.Event{
		Type: story.RunEnd, Reason: reason, Text: r.Error, Code: r.ErrorCode, Commit: r.last(),
	}), r.save())
}

// last is the commit of the story that was proven last.
func (r *run) last() (commit string) {
	for i := range r.Stories {
		commit = cmp.Or(r.Stories[i].Commit, commit)
	}
	return commit
}

// why says in words why a run needs somebody.
func (r *run) why(reason story.Reason) string {
	given := ""
	for i := range r.Stories {
		if p := &r.Stories[i]; p.State == story.GivenUp {
			given = fmt.Sprintf("story %s: %s", p.ID, core.Excerpt(p.Failure))
			break
		}
	}
	switch reason {
	case story.Retries:
		return fmt.Sprintf("no try of a story could be proven; %s", given)
	case story.NoProgress:
		return fmt.Sprintf("%d tries in a row changed nothing; %s", r.Limits.NoProgress, given)
	case story.TimeLimit:
		return "the time limit of " + core.ShortDuration(r.Limits.TimeLimit) + " is over"
	case story.Budget:
		return fmt.Sprintf("the tries have cost $%.2f of $%.2f", r.CostUSD, r.Limits.BudgetUSD)
	case story.MaxIterations:
		return fmt.Sprintf("there were %d tries", r.Limits.MaxIterations)
	case story.Conflicted:
		return "a conflict with other stories could not be resolved; " + given
	case story.Blocked:
		return "the stories that are left depend on others that cannot be done"
	}
	return given
}

// Squash makes one commit of what a run made that has ended.
func (l *Loop) Squash(ctx context.Context, id string) (*story.Run, error) {
	record, release, err := l.Book.files().Take(ctx, id)
	if err != nil {
		return nil, err
	}
	defer release()
	events, err := l.Book.journal(id)
	if err != nil {
		return record, err
	}
	defer events.file.Close()
	r := &run{Run: record, loop: l, journal: events, began: l.Now()}
	if r.main, err = openTree(ctx, r.Worktree, r.Branch, l.Environ); err != nil {
		return record, err
	}
	record.Squash = true
	if err := r.save(); err != nil {
		return record, err
	}
	return record, r.squash(ctx)
}

package stories

import (
	"context"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// StoryResumeIn is the input of the verb story-resume.
type StoryResumeIn struct {
	OfRun
	MaxRetries    int           `min:"1" help:"How many tries of a story may follow its first, from now on"`
	MaxIterations int           `min:"1" help:"How many tries all stories have together from now on"`
	TimeLimit     time.Duration `help:"How long it may take from now on"`
	Budget        string        `help:"How much it may cost in all, in USD (2.50)"`
	Background    bool          `help:"Run in the background, and answer immediately"`
	Stream        bool          `help:"Answer with each event as it comes"`
}

// Streaming reports whether the answer is to come piece by piece.
func (in StoryResumeIn) Streaming() bool { return in.Stream && !in.Background }

// Live reports whether a person sees the run while it works.
func (in StoryResumeIn) Live() bool { return !in.Background }

var storyResume = registry.Define(registry.Spec[*verb.Env, StoryResumeIn, RunOut]{
	Name: "story-resume", Of: "run-resume", Group: verb.GroupStory, Doing: "resuming",
	Short: "Continue a run that is paused, was cut off, or needed you",
	Long: "A paused run continues in the process that works on it. Any other continues in this call, where it " +
		"was: what " +
		"is committed is not done again, and a story that was given up is verified first, since you may have " +
		"done it, and then tried again.",
	Scope: registry.Resource, Effect: registry.Writes, List: "stories",
	Examples: []string{"a1b2c3d4"},
	Errors:   runCodes,
	Run:      registry.Whole(resumeStories),
	Stream:   registry.Stream[*verb.Env, StoryResumeIn, RunOut]{Line: eventLine{}, Run: resumeStories},
}).SeeAlso("run-show", "run-cancel")

func resumeStories(ctx context.Context, env *verb.Env, in StoryResumeIn, emit func(any) error) (RunOut, error) {
	r, err := find(&env.Local, in.Run)
	if err != nil {
		return RunOut{}, err
	}
	limits := story.Limits{MaxRetries: in.MaxRetries, MaxIterations: in.MaxIterations, TimeLimit: in.TimeLimit}
	var flags []string
	if in.MaxRetries > 0 {
		flags = append(flags, "--max-retries="+strconv.Itoa(in.MaxRetries))
	}
	if in.MaxIterations > 0 {
		flags = append(flags, "--max-iterations="+strconv.Itoa(in.MaxIterations))
	}
	if in.TimeLimit > 0 {
		flags = append(flags, "--time-limit="+in.TimeLimit.String())
	}
	if in.Budget != "" {
		if limits.BudgetUSD, err = verb.Dollars("--budget", in.Budget); err != nil {
			return RunOut{}, err
		}
		flags = append(flags, "--budget="+in.Budget)
	}
	directory := Directory(&env.Local)
	switch {
	case directory.Held(r.ID) && directory.Paused(r.ID) && len(flags) > 0:
		e := run.ErrOf(core.Conflict, r.ID, "the run "+r.ID+" is paused, and keeps the limits that it began with")
		e.Hint = "Stop it first; then resume it with other limits."
		return RunOut{}, e
	case directory.Held(r.ID) && directory.Paused(r.ID):
		r.State = story.Running
		return RunOut{Run: r, Background: true}.counted(), directory.Unpause(r.ID)
	case directory.Held(r.ID):
		return RunOut{}, run.ErrOf(core.Conflict, r.ID, "the run "+r.ID+" is at work")
	case r.State == story.Completed:
		return RunOut{}, run.ErrOf(core.Conflict, r.ID, "all stories of the run "+r.ID+" are done")
	case r.CostUSD >= limits.Or(r.Limits).BudgetUSD:
		e := run.ErrOf(core.BudgetExceeded, r.ID, "the run "+r.ID+" has cost all that it may")
		e.Hint = "Give it more with --budget."
		return RunOut{}, e
	}
	l, err := loopOf(env, r)
	if err != nil {
		return RunOut{}, err
	}
	if in.Background {
		return detach(ctx, &env.Local, l, r, flags...)
	}
	return carry(ctx, &env.Local, l, r, limits, emit)
}

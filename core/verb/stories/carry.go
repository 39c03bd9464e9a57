package stories

import (
	"context"

	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
)

// detach works on a run in the background.
func detach(
	ctx context.Context, env *verb.Local, l *loop.Loop, r *story.Run, flags ...string,
) (RunOut, error) {
	argv := append([]string{env.Self, "--robot-format=json", "story-resume", r.ID}, flags...)
	started, err := l.Directory.Detach(ctx, r.ID, r.Dir, argv...)
	if err != nil {
		return RunOut{Run: r}.counted(), err
	}
	return RunOut{Run: started, Background: true}.counted(), nil
}

// carry works on a run in this process, and shows its events.
func carry(
	ctx context.Context, env *verb.Local, l *loop.Loop, run *story.Run, limits story.Limits, emit func(any) error,
) (RunOut, error) {
	before := run.CostUSD
	var broken error
	r, err := l.Run(ctx, run.ID, limits, func(event story.Event) {
		if event.Type == story.Note && event.Story == "" {
			env.Warn(event.Text)
		}
		switch {
		case emit == nil:
			progress(env, &event)
		case broken == nil:
			broken = emit(eventLine{Event: event})
		}
	})
	if r == nil {
		return RunOut{}, err
	}
	out := RunOut{Run: r, shown: emit != nil, carried: true, before: before}.counted()
	for _, err := range []error{err, broken} {
		if err != nil {
			return out, err
		}
	}
	return out, failure(out)
}

// progress reports the run to programs, which get one answer at the end.
func progress(env *verb.Local, e *story.Event) {
	switch e.Type {
	case story.TryStart:
		env.Progress.Report("story", -1, "%s: story %s, try %d", e.Run, e.Story, e.Try)
	case story.Verified:
		env.Progress.Report("story", -1, "%s: story %s, %s: %s", e.Run, e.Story, e.Command, e.Text)
	case story.StoryDone, story.StoryGivenUp, story.Conflict:
		env.Progress.Report("story", -1, "%s: story %s: %s", e.Run, e.Story, e.Type)
	}
}

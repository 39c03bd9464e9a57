package stories

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
)

// Control is how runs over stories are acted on.
func Control(env *verb.Env) *run.Control {
	directory := Directory(&env.Local)
	c := directory.Control()
	c.Pause = func(_ context.Context, id string) error { return directory.Pause(id) }
	c.Unpause = func(_ context.Context, id string) error { return directory.Unpause(id) }
	c.Resume = func(ctx context.Context, id string) error {
		_, err := resumeStories(ctx, env, StoryResumeIn{OfRun: OfRun{Run: id}, Background: true}, nil)
		return err
	}
	c.Events = func(_ context.Context, id string, cursor int64) ([]run.Event, int64, error) {
		events, next, err := loop.Events(directory, id, cursor)
		all := make([]run.Event, len(events))
		for i := range events {
			e := &events[i]
			all[i] = run.Event{
				At: e.At, Type: string(e.Type), About: e.Story,
				Text: cmp.Or(e.Text, e.Command, e.Commit, string(e.Reason)),
			}
			if e.Passed != nil && !*e.Passed {
				all[i].Text += " failed"
			}
		}
		return all, next, err
	}
	return c
}

// stateAfter acts on the run that a word names, and returns it as it is then.
func stateAfter(env *verb.Env, word string, act func(id string) error) (RunStateOut, error) {
	r, err := find(&env.Local, word)
	if err != nil {
		return RunStateOut{}, err
	}
	if err := act(r.ID); err != nil {
		return RunStateOut{}, err
	}
	if r, err = find(&env.Local, r.ID); err != nil {
		return RunStateOut{}, err
	}
	return RunStateOut{ID: r.ID, State: r.State, Reason: r.Reason}, nil
}

// Show returns a run with every try of its stories.
func Show(env *verb.Local, id string) (*RunOut, error) {
	r, err := Directory(env).Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	out := RunOut{Run: r}.counted()
	return &out, nil
}

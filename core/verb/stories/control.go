package stories

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/verb"
)

// Control is how runs over stories are acted on.
func Control(env *verb.Env) *run.Control {
	book := Book(&env.Local)
	return &run.Control{
		Kind: run.Story,
		Load: func(_ context.Context, id string) (run.Head, error) {
			r, err := book.Load(id)
			if err != nil {
				return run.Head{}, core.FileError("read the run", err)
			}
			return r.Head(), nil
		},
		Pause:   func(_ context.Context, id string) error { return book.Pause(id) },
		Unpause: func(_ context.Context, id string) error { return book.GoOn(id) },
		Resume: func(ctx context.Context, id string) error {
			_, err := StoryResumeIn{OfRun: OfRun{Run: id}, Background: true}.resume(ctx, env, nil)
			return err
		},
		Cancel: func(ctx context.Context, id string) error {
			_, err := book.Stop(ctx, id)
			return err
		},
		Events: func(_ context.Context, id string, cursor int64) ([]run.Event, int64, error) {
			events, next, err := book.Events(id, cursor)
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
		},
		Remove: book.Remove,
	}
}

// Show returns a run with every try of its stories.
func Show(env *verb.Local, id string) (*RunOut, error) {
	r, err := Book(env).Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	out := RunOut{Run: r}.counted()
	return &out, nil
}

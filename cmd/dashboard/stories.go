package dashboard

import (
	"context"

	"cupola/core/run/crew"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/verb/stories"
	"cupola/tui/effect"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
)

// stories is how the dashboard reaches changes and runs over their stories; dir is the folder that it shows.
func (d *Dashboard) stories(dir string) effect.Stories {
	answers := &answers{}
	// What Read has read: it is asked for more of the same run, or from the beginning.
	var offset int64
	return effect.Stories{
		Todo:   func(context.Context) ([]stories.Todo, error) { return stories.AllTodo(&d.Env.Local, dir) },
		Change: func(_ context.Context, dir, name string) (*story.Change, error) { return story.Read(dir, name) },
		Plan: func(ctx context.Context, dir, name, backend string) (form.Plan, error) {
			r, backends, err := stories.Plan(ctx, d.Env, dir, name, backend)
			plan := planOf(r, backends)
			plan.Warnings = d.Env.Warnings()
			return plan, err
		},
		Read: func(_ context.Context, id string, after int64) (*story.Run, []story.Event, []screen.Saying, error) {
			if after == 0 {
				offset = 0
			}
			r, events, next, err := stories.Since(&d.Env.Local, id, offset)
			if err != nil {
				return nil, nil, nil, err
			}
			offset = next
			return r, events, d.working(answers, r), nil
		},
		Changed: func(ctx context.Context, id string) (stories.Changes, error) {
			return stories.Changed(ctx, &d.Env.Local, id)
		},
	}
}

func planOf(r *story.Run, backends []string) form.Plan {
	if r == nil {
		return form.Plan{Backends: backends}
	}
	plan := form.Plan{
		Backend: r.Backend, Model: r.Model, Backends: backends, Stage: r.Stage, Verify: r.Verify,
		VerifyFrom: r.VerifyFrom,
		Branch:     r.Branch, Worktree: r.Worktree, Limits: r.Limits,
	}
	done, all := r.Counts()
	plan.Stories = all - done
	for i := range r.Stories {
		plan.Tasks += r.Stories[i].TasksTotal - r.Stories[i].TasksDone
	}
	return plan
}

// working returns the present activity of a run's agents.
func (d *Dashboard) working(answers *answers, r *story.Run) (all []screen.Saying) {
	if r.State.Ended() {
		return nil
	}
	asked := map[string]string{}
	for i := range r.Stories {
		story := &r.Stories[i]
		try := story.Last()
		switch {
		case try == nil || try.Outcome != "" || try.Ask == "":
		case crew.Stage(r.Stage) == crew.Panes:
			all = append(all, screen.Saying{Agent: story.ID, Pane: try.Pane})
		default:
			asked[story.ID] = try.Ask
		}
	}
	return append(all, answers.coming(loop.Relays(stories.Directory(&d.Env.Local), r.ID), asked)...)
}

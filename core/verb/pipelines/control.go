package pipelines

import (
	"cmp"
	"context"
	"strings"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/pipeline"
	"cupola/core/verb"
)

// Control is how runs of pipelines are acted on. They are not paused: a step that began is not cut off, and the next
// begins at once.
func Control(env *verb.Env) *run.Control {
	directory := Directory(&env.Local)
	c := directory.Control()
	c.Resume = func(ctx context.Context, id string) error {
		// The process in the background opens the fleet.
		_, err := runPipeline(ctx, verb.OnFleet{Env: env}, pipelineRunIn{
			Resume: id, Interrupted: string(pipeline.Halt), Background: true,
		})
		return err
	}
	c.Events = func(_ context.Context, id string, cursor int64) ([]run.Event, int64, error) {
		r, err := directory.Load(id)
		if err != nil {
			return nil, cursor, core.FileError("read the run", err)
		}
		all := eventsOf(r)
		from := min(max(0, cursor), int64(len(all)))
		return all[from:], int64(len(all)), nil
	}
	return c
}

// eventsOf are the begins and the ends of the steps of a run, which follow each other.
func eventsOf(r *pipeline.Run) (all []run.Event) {
	for i := range r.Steps {
		s := &r.Steps[i]
		if !s.Started.IsZero() {
			all = append(all, run.Event{At: s.Started, Type: "step_start", About: s.Name, Text: s.Verb})
		}
		if !s.Ended.IsZero() || s.State == pipeline.Skipped {
			all = append(all, run.Event{
				At: s.Ended, Type: "step_end", About: s.Name,
				Text: strings.TrimSpace(string(s.State) + " " + cmp.Or(s.Error, s.Why)),
			})
		}
	}
	return all
}

// Show returns a run with what became of each step.
func Show(env *verb.Local, id string) (*PipelineOut, error) {
	r, err := Directory(env).Load(id)
	if err != nil {
		return nil, core.FileError("read the run", err)
	}
	out := withProgress(pipelineOutOf(r, Directory(env), false))
	return &out, nil
}

package dashboard

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/pipeline"
	"cupola/core/verb/advice"
	"cupola/core/verb/pipelines"
	"cupola/tui/effect"
	shown "cupola/tui/screen/pipelines"
	"cupola/tui/screen/runs"
)

// mostRuns is how many runs that have ended the dashboard lists at most.
const mostRuns = 500

// listRuns returns the runs of a kind and in a folder for the dashboard: all that have not ended, and the newest
// others.
func (d *Dashboard) listRuns(_ context.Context, asked runs.SomeQuestion) (list runs.List, err error) {
	filter := run.Filter{Dir: asked.Dir, Limit: mostRuns}
	if asked.Kind != "" {
		filter.Kinds = []run.Kind{asked.Kind}
	}
	if err := d.Env.Runs.Make(); err != nil {
		d.Env.Log.Debug("the index of runs could not be made", "error", err)
	}
	newest, total, err := d.Env.Runs.List(filter)
	if err != nil {
		return list, err
	}
	filter.States, filter.Limit = []run.State{run.Pending, run.Running, run.Paused}, 0
	if total > len(newest) {
		open, _, err := d.Env.Runs.List(filter)
		if err != nil {
			return list, err
		}
		for i := range open {
			if open[i].Started.Before(newest[len(newest)-1].Started) {
				newest = append(newest, open[i])
			}
		}
	}
	list = runs.List{Runs: make([]run.Head, len(newest)), Total: total}
	for i := range newest {
		h := newest[i].Head
		if h.State == run.Failed && h.Hint == "" {
			h.Hint = advice.Of(h.ErrorCode).Hint
		}
		list.Runs[i] = h
	}
	return list, nil
}

// pipelineReader reads a run of a pipeline while it is on the display.
func (d *Dashboard) pipelineReader() effect.Reader {
	last := ""
	return effect.Follow(func(_ context.Context, w shown.Question) (pipeline.Run, bool, error) {
		r, err := pipelines.Directory(&d.Env.Local).Load(w.ID)
		if err != nil {
			return pipeline.Run{}, true, core.FileError("read the run", err)
		}
		now := r.ID + string(r.State)
		for i := range r.Steps {
			now += " " + string(r.Steps[i].State)
		}
		news := now != last
		last = now
		return *r, news, nil
	})
}

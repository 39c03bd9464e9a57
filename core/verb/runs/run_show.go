package runs

import (
	"context"
	"time"

	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/crews"
	"cupola/core/verb/pipelines"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
	"cupola/core/verb/stories"
)

type runShowIn struct{ OfRun }

// RunShowOut is a run with the details of its kind.
type RunShowOut struct {
	run.Head
	// Relay, Crew, Story and Pipeline are the details; all but one are absent.
	Relay    *relays.Answer         `json:"relay_details,omitempty"`
	Crew     *crews.CrewOut         `json:"crew_details,omitempty"`
	Story    *stories.RunOut        `json:"story_details,omitempty"`
	Pipeline *pipelines.PipelineOut `json:"pipeline_details,omitempty"`

	now time.Time
}

var runShow = registry.Define(registry.Spec[*verb.Env, runShowIn, RunShowOut]{
	Name: "run-show", Group: verb.GroupRuns, Short: "Show a run: how far it is, what it came to, and what it needs",
	Long: "The details are in the field that is named for its kind: relay_details, crew_details, story_details or " +
		"pipeline_details.",
	Scope: registry.Resource, Effect: registry.Reads,
	Examples: []string{"a1b2c3d4"},
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in runShowIn) (RunShowOut, error) {
		found, err := env.Runs.Find(in.Run)
		if err != nil {
			return RunShowOut{}, err
		}
		return shown(ctx, env, found)
	},
}).SeeAlso("run-list", "run-wait")

// shown is a run as its record says now.
func shown(ctx context.Context, env *verb.Env, found run.Head) (out RunShowOut, err error) {
	if out.Head, err = controlOf(env, found.Kind).Load(ctx, found.ID); err != nil {
		return out, err
	}
	out.CostUSD, out.now = verb.Rounded(out.CostUSD, 4), env.Now()
	switch found.Kind {
	case run.Relay:
		out.Relay, err = relays.Show(&env.Local, found.ID)
	case run.Crew:
		out.Crew, err = crews.Show(ctx, env, found.ID)
	case run.Story:
		out.Story, err = stories.Show(&env.Local, found.ID)
	case run.Pipeline:
		out.Pipeline, err = pipelines.Show(&env.Local, found.ID)
	}
	return out, err
}

// Report shows a run to a person: what all kinds have, and then its own details.
func (o RunShowOut) Report() *report.Report {
	r := (&report.Report{}).AddFacts(9, [][2]string{
		{"Run", o.ID},
		{"Kind", string(o.Kind)},
		{"Name", o.Name},
		{"Project", o.Dir},
		{"State", string(o.State)},
		{"Needs", o.Awaits(o.now)},
		{"Began", o.Started.Local().Format(time.DateTime)},
		{"Error", o.Error},
	}...)
	var details *report.Report
	switch {
	case o.Relay != nil:
		details = relays.RelayOut{Results: []relays.Answer{*o.Relay}}.Report()
	case o.Crew != nil:
		details = o.Crew.Report()
	case o.Story != nil:
		details = o.Story.Report()
	case o.Pipeline != nil:
		details = o.Pipeline.Report()
	}
	if details != nil {
		r.Blocks, r.Next = append(r.Blocks, details.Blocks...), append(r.Next, details.Next...)
	}
	return r
}

// Next says what can be done with the run as it is.
func (o RunShowOut) Next() []registry.Action { return next(&o.Head) }

// next are the commands for a run in its state.
func next(h *run.Head) []registry.Action {
	switch {
	case h.ID == "":
		return nil
	case !h.State.Ended():
		return []registry.Action{
			verb.NextAction("wait", "Wait until it ends", "run-wait", h.ID),
			verb.NextAction("follow", "See what happens", "run-follow", h.ID),
			verb.NextAction("cancel", "Stop it", "run-cancel", h.ID),
		}
	case (h.Kind != run.Relay || h.Reason != "") && h.State != run.Done:
		return []registry.Action{verb.NextAction("resume", "Continue where it ended", "run-resume", h.ID)}
	}
	return nil
}

package runs

import (
	"context"

	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runLogsIn struct {
	OfRun
	registry.Page `default:"limit=200"`
}

type runLogsOut struct {
	ID    string    `json:"id"`
	Kind  run.Kind  `json:"kind"`
	State run.State `json:"state"`
	// Events are in the order in which they happened.
	Events []run.Event `json:"events" empty:"nothing was recorded"`
	verb.Paged
}

var runLogs = registry.Define(registry.Spec[*verb.Env, runLogsIn, runLogsOut]{
	Name: "run-logs", Group: verb.GroupRuns, Short: "List what happened in a run",
	Long: "Each kind has its own words in 'type'. 'crew replay' and 'story logs' have more of each event; what a " +
		"run in the background printed is in its log.",
	Scope: registry.Resource, Effect: registry.Reads, List: "events",
	Examples: []string{"a1b2c3d4"},
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in runLogsIn) (runLogsOut, error) {
		found, err := env.Runs.Find(in.Run)
		if err != nil {
			return runLogsOut{}, err
		}
		control := controlOf(env, found.Kind)
		h, err := control.Load(ctx, found.ID)
		if err != nil {
			return runLogsOut{}, err
		}
		out := runLogsOut{ID: h.ID, Kind: h.Kind, State: h.State}
		events, _, err := control.Events(ctx, h.ID, 0)
		out.Events, out.Paged = verb.Cut(events, in.Page)
		return out, err
	},
}).SeeAlso("run-show")

// Next shows what the run came to.
func (o runLogsOut) Next() []registry.Action {
	return []registry.Action{verb.NextAction("show", "See how far it is, and what it came to", "run-show", o.ID)}
}

// Report shows the events to a person.
func (o runLogsOut) Report() *report.Report {
	r := &report.Report{}
	for i := range o.Events {
		r.Blocks = append(r.Blocks, logLine{o.Events[i]}.Report().Blocks...)
	}
	if len(o.Events) == 0 {
		r.AddLine(report.Toned(report.Dim, "Nothing was recorded."))
	}
	return r
}

package runs

import (
	"context"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type runLogsIn struct {
	OfRun
	Follow        bool `help:"Answer with each event as it comes, until the run ends"`
	registry.Page `default:"limit=200"`
}

// Streaming reports whether the answer is to come piece by piece.
func (in runLogsIn) Streaming() bool { return in.Follow }

// Live reports whether a person sees the events as they come.
func (in runLogsIn) Live() bool { return in.Follow }

type runLogsOut struct {
	ID    string    `json:"id"`
	Kind  run.Kind  `json:"kind"`
	State run.State `json:"state"`
	// Events are in the order in which they happened.
	Events []run.Event `json:"events" empty:"nothing was recorded"`
	verb.Paged

	shown bool
}

// logLine is one event as it comes.
type logLine struct{ run.Event }

// Report shows the event to a person.
func (l logLine) Report() *report.Report {
	line := report.Line{}
	if !l.At.IsZero() {
		line = append(line, report.Toned(report.Dim, l.At.Local().Format("15:04:05")+"  "))
	}
	line = append(line, report.Toned(report.Dim, l.Type+"  "))
	if l.About != "" {
		line = append(line, report.Toned(report.Strong, l.About+"  "))
	}
	r := &report.Report{}
	return r.AddLine(append(line, report.Text(core.OneLine(l.Text)))...)
}

var runLogsSpec = registry.Spec[*verb.Env, runLogsIn, runLogsOut]{
	Name: "run-logs", Group: verb.GroupRuns, Short: "List what happened in a run",
	Long: "The words of 'type' are those of its kind. 'crew replay' and 'story logs' have more of each event; what a " +
		"run in the background printed is in its log.",
	Scope: registry.Resource, Effect: registry.Reads, List: "events",
	Examples: []string{"a1b2c3d4"},
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in runLogsIn) (runLogsOut, error) {
		found, err := find(env, in.Run)
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
	Stream: registry.Stream[*verb.Env, runLogsIn, runLogsOut]{Line: logLine{}, Run: followRun},
}

var runLogs = registry.Define(runLogsSpec).SeeAlso("run-show")

// runFollow is the logs of a run as they come.
var runFollow = registry.Define(runLogsSpec.As("run-follow", "run-logs --follow",
	"Show what happens in a run, until it ends", "a1b2c3d4")).SeeAlso("run-show")

func followRun(ctx context.Context, env *verb.Env, in runLogsIn, emit func(any) error) (runLogsOut, error) {
	found, err := find(env, in.Run)
	if err != nil {
		return runLogsOut{}, err
	}
	h, err := controlOf(env, found.Kind).Follow(ctx, found.ID, func(e run.Event) error { return emit(logLine{e}) })
	return runLogsOut{ID: h.ID, Kind: h.Kind, State: h.State, Events: []run.Event{}, shown: true}, err
}

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
	if len(o.Events) == 0 && !o.shown {
		r.AddLine(report.Toned(report.Dim, "Nothing was recorded."))
	}
	return r
}

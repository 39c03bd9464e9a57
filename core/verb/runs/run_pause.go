package runs

import (
	"context"

	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// PauseIn is the input of the verb run-pause.
type PauseIn struct{ OfRun }

// StateOut is a run that was acted on.
type StateOut struct {
	run.Head
	// Asked is the request to the run that takes effect as soon as it can: pause.
	Asked string `json:"requested,omitempty"`
}

var runPause = registry.Define(registry.Spec[*verb.Env, PauseIn, StateOut]{
	Name: "run-pause", Group: verb.GroupRuns, Doing: "pausing", Short: "Pause a run as soon as what it does is over",
	Long: "A crew pauses at the end of its turn, a run over stories before its next try. The time of a pause does " +
		"not count. Relays and pipelines are not paused.",
	Scope: registry.Resource, Effect: registry.Answers,
	Examples: []string{"a1b2c3d4"},
	Errors:   actCodes,
	Run: func(ctx context.Context, env *verb.Env, in PauseIn) (StateOut, error) {
		h, err := get(ctx, env, in.Run, run.Paused)
		out := StateOut{Head: h}
		if h.State == run.Running {
			out.Asked = "pause"
		}
		return out, err
	},
}).SeeAlso("run-resume", "run-cancel")

// Report shows a person what becomes of the run.
func (o StateOut) Report() *report.Report {
	text := " is " + string(o.State) + "."
	if o.Asked != "" {
		text = " pauses as soon as what it does is over."
	}
	return report.Say(report.Text("The "+string(o.Kind)+" "), report.Toned(report.Strong, o.ID), report.Text(text))
}

// Next says what can be done with the run as it is.
func (o StateOut) Next() []registry.Action { return next(&o.Head) }

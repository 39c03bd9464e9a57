package runs

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// PauseIn is the input of the verb run-pause, ResumeIn that of run-resume.
type (
	PauseIn  struct{ OfRun }
	ResumeIn struct{ OfRun }
)

// CancelIn is the input of the verb run-cancel.
type CancelIn struct {
	OfRun
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

// StateOut is a run that was acted on.
type StateOut struct {
	run.Head
	// Asked is what was asked of the run and happens as soon as it can: pause.
	Asked string `json:"requested,omitempty"`
}

var runPause = registry.Define(registry.Spec[*verb.Env, PauseIn, StateOut]{
	Name: "run-pause", Group: verb.GroupRuns, Doing: "pausing", Short: "Pause a run as soon as what it does is over",
	Long: "A crew pauses at the end of its turn, a run over stories before its next try. The time of a pause does not " +
		"count. Relays and pipelines are not paused.",
	Scope: registry.Resource, Effect: registry.Answers,
	Examples: []string{"k3x9ab2"},
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

var runResume = registry.Define(registry.Spec[*verb.Env, ResumeIn, StateOut]{
	Name: "run-resume", Group: verb.GroupRuns, Doing: "going on with",
	Short: "Go on with a run that is paused, was cut off, or needed you",
	Long: "It goes on in the background, where it was: what is done is not done again. A relay has nothing to go on " +
		"with. 'crew resume', 'story resume' and 'pipeline run --resume' have the flags of their kinds.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2"},
	Errors:   resumeCodes(),
	Run: func(ctx context.Context, env *verb.Env, in ResumeIn) (StateOut, error) {
		h, err := get(ctx, env, in.Run, run.Running)
		return StateOut{Head: h}, err
	},
}).SeeAlso("run-pause", "run-show")

// resumeCodes are all codes: a pipeline that goes on can fail as its steps do.
func resumeCodes() []core.Code {
	rows := core.Codes()
	codes := make([]core.Code, len(rows))
	for i := range rows {
		codes[i] = rows[i].Code
	}
	return codes
}

var runCancel = registry.Define(registry.Spec[*verb.Env, CancelIn, StateOut]{
	Name: "run-cancel", Group: verb.GroupRuns, Doing: "cancelling", Short: "End a run, and the agents that it asks",
	Long:  "What it came to until then stays on record. All kinds but relays can be resumed.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2"},
	Errors:   actCodes,
	Run: func(ctx context.Context, env *verb.Env, in CancelIn) (StateOut, error) {
		limited, stop := verb.Within(ctx, in.Timeout)
		defer stop()
		h, err := get(limited, env, in.Run, run.Cancelled)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = core.Errorf(core.Timeout, "the %s %s has not ended within %s", h.Kind, h.ID, in.Timeout)
		}
		return StateOut{Head: h}, err
	},
}).SeeAlso("run-resume", "run-delete")

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

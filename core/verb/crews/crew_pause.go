package crews

import (
	"context"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewPauseIn is the input of the verb crew-pause.
type CrewPauseIn struct{ OfCrew }

// CrewStateOut is the answer of the verbs crew-pause and crew-stop.
type CrewStateOut struct {
	ID     string      `json:"id"`
	State  crew.State  `json:"state"`
	Turn   int         `json:"turn"`
	Reason crew.Reason `json:"reason,omitempty"`
	// Asked is the request to the crew that takes effect at the end of its turn.
	Asked string `json:"requested,omitempty"`
}

var crewPause = registry.Define(registry.Spec[*verb.Env, CrewPauseIn, CrewStateOut]{
	Name: "crew-pause", Of: "run-pause", Group: verb.GroupCrew, Doing: "pausing",
	Short: "Pause a crew at the end of its turn",
	Long:  "Agents that are being asked finish their answers. The time of a pause does not count.",
	Scope: registry.Resource, Effect: registry.Answers,
	Examples: []string{"k3x9ab2"},
	Errors:   append([]core.Code{core.Conflict}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in CrewPauseIn) (CrewStateOut, error) {
		_, err := Control(env).Get(ctx, in.Crew, run.Paused)
		out, err := stateAfter(ctx, env, in.Crew, err)
		if err == nil {
			out.Asked = string(store.PauseCrew)
		}
		return out, err
	},
}).SeeAlso("run-resume", "run-cancel")

// Report shows a person what becomes of the crew.
func (o CrewStateOut) Report() *report.Report {
	if o.Asked != "" && o.State == crew.Running {
		return report.Say(report.Text("The crew "), report.Toned(report.Strong, o.ID),
			report.Text(" pauses at the end of its turn."))
	}
	return report.Say(report.Text("The crew "), report.Toned(report.Strong, o.ID),
		report.Text(" is "+string(o.State)+"."))
}

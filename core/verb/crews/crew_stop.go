package crews

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// CrewStopIn is the input of the verb crew-stop.
type CrewStopIn struct {
	OfCrew
	Timeout time.Duration `default:"30s" help:"How long to wait for it to end"`
}

var crewStop = registry.Define(registry.Spec[*verb.Env, CrewStopIn, CrewStateOut]{
	Name: "crew-stop", Of: "run-cancel", Group: verb.GroupCrew, Doing: "stopping",
	Short: "Stop a crew, and the agents that it asks",
	Long:  "What was said stays on record. 'crew resume' asks again those that were cut off.",
	Scope: registry.Resource, Effect: registry.Writes,
	Examples: []string{"k3x9ab2"},
	Errors:   append([]core.Code{core.Conflict, core.Timeout}, codes...),
	Run: func(ctx context.Context, env *verb.Env, in CrewStopIn) (CrewStateOut, error) {
		o, err := OrchestratorOf(ctx, env)
		if err != nil {
			return CrewStateOut{}, err
		}
		limited, stop := verb.Within(ctx, in.Timeout)
		defer stop()
		c, err := o.Stop(limited, in.Crew)
		if err != nil && limited.Err() != nil && ctx.Err() == nil {
			err = core.Errorf(core.Timeout, "the crew %s has not ended within %s", in.Crew, in.Timeout)
		}
		if c == nil {
			return CrewStateOut{}, err
		}
		return CrewStateOut{ID: c.ID, State: c.State, Turn: max(0, c.Turn), Reason: c.Reason}, err
	},
}).SeeAlso("run-resume", "run-pause")

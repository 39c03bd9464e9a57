package crews

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/run"
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
		ctx, stop := run.Within(ctx, in.Timeout)
		defer stop()
		return stateAfter(ctx, env, in.Crew, Control(env).Stop(ctx, in.Crew))
	},
}).SeeAlso("run-resume", "run-pause")

package crews

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// OfCrew names one crew.
type OfCrew struct {
	Crew string `arg:"1" required:"true" alias:"session" lister:"crew-list" names:"record" help:"Id of a crew"`
}

type crewShowIn struct{ OfCrew }

var crewShow = registry.Define(registry.Spec[*verb.Env, crewShowIn, CrewOut]{
	Name: "crew-show", Of: "run-show", Group: verb.GroupCrew,
	Short:   "Show a crew: its agents, its messages to you, and its cost",
	Aliases: []string{"agentic show"},
	Scope:   registry.Resource, Effect: registry.Reads, List: "told_user",
	Examples: []string{"k3x9ab2"},
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in crewShowIn) (CrewOut, error) {
		return showOf(ctx, env, in.Crew)
	},
}).SeeAlso("run-logs", "crew-replay", "crew-export")

// showOf is the answer about the crew of an id.
func showOf(ctx context.Context, env *verb.Env, id string) (CrewOut, error) {
	c, err := load(ctx, env, id)
	if err != nil {
		return CrewOut{}, err
	}
	return outOf(ctx, env, c)
}

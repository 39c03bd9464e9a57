package crews

import (
	"context"
	"slices"

	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type ensembleIn struct {
	Crew string `arg:"1" alias:"session" lister:"crew-list" names:"record" help:"Id of a crew, or the session that holds its panes (default: the newest)"`
}

var ensemble = registry.Define(registry.Spec[*verb.Env, ensembleIn, CrewOut]{
	Name: "ensemble", Of: "run-show", Group: verb.GroupCrew, Short: "Show a crew, by its id or its session",
	Scope: registry.Resource, Effect: registry.Reads, List: "told_user",
	Examples: []string{"k3x9ab2", ""},
	Errors:   codes,
	Run: func(ctx context.Context, env *verb.Env, in ensembleIn) (CrewOut, error) {
		all, err := crewsOf(env, run.Filter{})
		at := slices.IndexFunc(all, func(c crew.Crew) bool { return c.Session == in.Crew })
		if at >= 0 && in.Crew != "" {
			in.Crew = all[at].ID // the newest one
		}
		if in.Crew == "" {
			in.Crew, err = newest(env)
		}
		if err != nil {
			return CrewOut{}, err
		}
		return showOf(ctx, env, in.Crew)
	},
}).SeeAlso("run-logs", "crew-replay")

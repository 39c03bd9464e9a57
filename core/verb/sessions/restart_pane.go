package sessions

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type restartIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	restartHow
	registry.Consent
	registry.Preview
}

var restartPane = registry.Define(registry.Spec[verb.OnFleet, restartIn, restartOut]{
	Name: "restart-pane", Group: verb.GroupFleet, Short: "Restart agents in their panes",
	Aliases: []string{"agent restart"},
	Long: "Name the agents, or give --all. Ends an agent and its processes and starts it again in the same pane with " +
		"the same command line. It resumes the agent's own session if the agent can; where nothing proves " +
		"which one that is, it refuses, and lists those that may be, without --resume or --fresh. Pane, number, name " +
		"and labels stay.",
	Scope: registry.Session, Effect: registry.Writes,
	Examples: []string{"api.1 --yes", "api.1 --dry-run"},
	List:     "panes", Errors: restartErrors, Run: runRestart,
})

// Check sees that the agents are named in one way.
func (in restartIn) Check() error { return in.fits(in.Panes) }

func runRestart(ctx context.Context, deps verb.OnFleet, in restartIn) (restartOut, error) {
	request := in.request(deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false), in.DryRun)
	return restartWith(ctx, deps, request, verb.Permission{Verb: "restart-pane", In: in, Given: in.Given()})
}

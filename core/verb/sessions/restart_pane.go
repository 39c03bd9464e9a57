package sessions

import (
	"context"

	"cupola/core/agent"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RestartIn is the input of the verb restart-pane.
type RestartIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	restartHow
	By   string `enum:"screen,acp" help:"Show the agents in another way from then on: their own screens, or the conversation by the Agent Client Protocol"`
	Safe bool   `help:"Only agents that have nothing to lose: idle, stuck or gone; with --force also the others"`
	registry.Consent
	registry.Preview
	registry.Detail
}

var restartPane = registry.Define(registry.Spec[verb.OnFleet, RestartIn, RestartOut]{
	Name: "restart-pane", Group: verb.GroupFleet, Doing: "restarting", Short: "Restart agents in their panes",
	Aliases: []string{"restart", "agent restart"},
	Long: "Name the agents, or give --all. Ends an agent and its processes and starts it again in the same pane with " +
		"the same command line. It resumes the agent's own session if the agent can; where nothing proves " +
		"which one that is, it refuses, and lists those that may be, without --resume or --fresh. Pane, number, name " +
		"and labels stay. With --safe an agent that is working, waiting for an answer or holding a draft is left " +
		"alone; one is stuck if it shows an error, or seems to work while its screen does not change.",
	Scope: registry.Session, Effect: registry.Writes,
	Examples: []string{"api.1 --yes", "api.1 --dry-run", "api --safe --dry-run"},
	List:     "panes", Errors: restartErrors, Run: runRestart,
})

// Check sees that the agents are named in one way.
func (in RestartIn) Check() error { return in.fits(in.Panes) }

func runRestart(ctx context.Context, deps verb.OnFleet, in RestartIn) (RestartOut, error) {
	request := in.request(deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false), in.DryRun)
	request.By = agent.By(in.By)
	request.Smart, request.Force = in.Safe, in.Safe && in.Force
	return restartWith(ctx, deps, request, verb.Permission{Verb: "restart-pane", In: in, Given: in.Given()}, in.Verbose)
}

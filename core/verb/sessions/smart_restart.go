package sessions

import (
	"context"

	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type smartRestartIn struct {
	registry.InSession
	registry.OfPanes
	registry.Excluded
	restartHow
	Yes   bool `flag:"yes,y" help:"Do it without asking"`
	Force bool `help:"Also restart agents that would lose something, without asking"`
	registry.Preview
	registry.Detail
}

var smartRestart = registry.Define(registry.Spec[verb.OnFleet, smartRestartIn, RestartOut]{
	Name: "smart-restart", Of: "restart-pane --safe", Group: verb.GroupFleet,
	Short: "Restart agents that have nothing to lose",
	Long: "Restarts agents that are idle, stuck or gone, and says which. An agent that is working, waiting for an " +
		"answer or holding a draft is left alone unless --force is given, which wants the agents named, or " +
		"--all. An agent is stuck if it shows an error, or seems to work while its screen does not change.",
	Scope: registry.Session, Effect: registry.Writes,
	Deprecated: registry.Prefixed{Prefix: "smart-restart", Flags: []string{"verbose"}},
	Examples:   []string{"api.1 --yes", "api --dry-run"},
	List:       "panes", Errors: restartErrors, Run: runSmartRestart,
})

// Check sees that the agents are named in one way.
func (in smartRestartIn) Check() error { return in.fits(in.Panes) }

func runSmartRestart(ctx context.Context, deps verb.OnFleet, in smartRestartIn) (RestartOut, error) {
	request := in.request(deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, false, in.Exclude), false), in.DryRun)
	request.Smart, request.Force = true, in.Force
	may := verb.Permission{Verb: "smart-restart", In: in, Given: in.Yes || in.Force}
	return restartWith(ctx, deps, request, may, in.Verbose)
}

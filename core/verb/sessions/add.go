package sessions

import (
	"cmp"
	"context"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// AddIn is the input of the verb add.
type AddIn struct {
	Session string `arg:"1" required:"true" names:"session" help:"Session to add to"`
	launch
	registry.Preview
}

var add = registry.Define(registry.Spec[verb.OnFleet, AddIn, LaunchOut]{
	Name: "add", Group: verb.GroupFleet, Doing: "adding to", Short: "Start more agents in an existing session",
	Aliases: []string{"agent add", "pane add", "session add"},
	Scope:   registry.Session, Effect: registry.Writes, List: "panes",
	Examples: []string{"api --cmd=sh", "api --agents=claude=1 --dry-run"},
	Errors: append([]core.Code{
		core.SessionNotFound, core.AgentNotFound, core.ToolNotFound, core.EngineUnavailable, core.Timeout,
		core.DeliveryFailed, core.PermissionDenied, core.IOError, core.MissingRequired, core.BudgetExceeded,
		core.NotImplemented, core.StoreError, core.StoreLocked, core.MigrationFailed,
		core.NotFound, core.InvalidInput,
	}, originCodes...),
	Run: runAdd,
})

// Check sees that there is something to add.
func (in AddIn) Check() error {
	counts, err := in.counts()
	if err = cmp.Or(err, in.check()); err != nil || len(counts)+len(in.Cmd) > 0 || in.Profile != "" {
		return err
	}
	return registry.Missing("add needs agents or a command",
		"Name agents or a command, for example: cupola add "+shell.Quote(in.Session)+" --spawn-cc=1", "--agents")
}

func runAdd(ctx context.Context, deps verb.OnFleet, in AddIn) (LaunchOut, error) {
	request, err := in.request(deps.Env)
	if err == nil {
		err = in.settle(ctx, deps.Env, &request, in.DryRun)
	}
	if err != nil {
		return LaunchOut{}, err
	}
	if !in.DryRun {
		if err := unheld(deps.Env, &request, nil); err != nil {
			return LaunchOut{}, err
		}
	}
	more := lifecycle.AddRequest{Session: in.Session, Launch: request, DryRun: in.DryRun}
	made, err := deps.Fleet.Launcher.Add(ctx, more)
	if made != nil {
		verb.WarnOfTrees(&deps.Env.Local, made.Trees)
	}
	return launched("Added to", made, in.DryRun), err
}

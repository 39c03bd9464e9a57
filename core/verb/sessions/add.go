package sessions

import (
	"cmp"
	"context"
	"strings"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// AddIn is the input of the verb add.
type AddIn struct {
	Session string `arg:"1" required:"true" names:"session" help:"Session to add to"`
	Fork    string `names:"session" help:"Add one agent as this pane's, whose conversation begins where that one's is"`
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
		core.NotFound, core.InvalidInput, core.PaneNotFound,
	}, originCodes...),
	Run: runAdd,
})

// Check sees that there is something to add.
func (in AddIn) Check() error {
	counts, err := in.counts()
	err = cmp.Or(err, in.check(), in.checkFork(len(counts)))
	if err != nil || in.Fork != "" || len(counts)+len(in.Cmd) > 0 || in.Profile != "" {
		return err
	}
	return registry.Missing("add needs agents or a command",
		"Name agents or a command, for example: cupola add "+shell.Quote(in.Session)+" --spawn-cc=1", "--agents")
}

// checkFork sees that a fork is of one agent, which starts in the folder and in the way of the one that it begins as:
// programs find their conversations by the folder.
func (in *AddIn) checkFork(counts int) error {
	switch {
	case in.Fork == "":
		return nil
	case counts > 0:
		return registry.Conflict("--fork", "--agents")
	case len(in.Cmd) > 0:
		return registry.Conflict("--fork", "--cmd")
	case in.Dir != "":
		return registry.Conflict("--fork", "--dir", "A fork works in the folder of the agent that it begins as.")
	case in.Worktree || in.inTree():
		return registry.Conflict("--fork", "--worktree", "A fork works in the folder of the agent that it begins as.")
	}
	for _, given := range []struct{ flag, value string }{
		{"--model", in.Model},
		{"--mode", in.Mode},
		{"--by", in.By},
		{"--args", strings.Join(in.Args, "")},
		{"--profile", in.Profile},
		{"--sandbox", in.Sandbox},
	} {
		if given.value != "" {
			return registry.Conflict("--fork", given.flag, "A fork is started as the agent that it begins as.")
		}
	}
	return nil
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
	more := lifecycle.AddRequest{Session: in.Session, Launch: request, Fork: in.Fork, DryRun: in.DryRun}
	made, err := deps.Fleet.Launcher.Add(ctx, more)
	if made != nil {
		verb.WarnOfTrees(&deps.Env.Local, made.Trees)
	}
	return launched("Added to", made, in.DryRun), err
}

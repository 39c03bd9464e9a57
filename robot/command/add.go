package command

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/report"
	"cupola/core/shell"
	"cupola/robot/registry"
)

type addIn struct {
	Session string `arg:"1" required:"true" help:"Session to add to"`
	launch
	registry.Preview
}

var add = registry.Define(registry.Spec[addIn, launchOut]{
	Name: "add", Group: groupFleet, Short: "Start more agents in an existing session",
	Aliases: []string{"agent add", "pane add", "session add"},
	Scope:   registry.Session, Effect: registry.Writes, List: "panes",
	Default: addIn{launch: launch{Layout: string(lifecycle.Windows)}},
	Examples: []addIn{
		{Session: "api", launch: launch{Cmd: []string{"sh"}, Layout: string(lifecycle.Windows)}},
		{
			Session: "api", launch: launch{Agents: []string{"claude=1"}, Layout: string(lifecycle.Windows)},
			Preview: registry.Preview{DryRun: true},
		},
	},
	Errors: []core.Code{
		core.SessionNotFound, core.AgentNotFound, core.ToolNotFound, core.EngineUnavailable, core.Timeout,
		core.DeliveryFailed, core.PermissionDenied, core.IOError, core.MissingRequired, core.BudgetExceeded,
		core.StoreError, core.StoreLocked, core.MigrationFailed,
	},
	Run:   runAdd,
	Hints: func(_ addIn, out launchOut) *registry.Hints { return launchHints(out) },
	Next:  func(_ addIn, out launchOut) []registry.Action { return launchNext(out) },
	Human: func(_ addIn, out launchOut) *report.Report { return launchReport("Added to", out) },
})

// Check sees that there is something to add.
func (in addIn) Check() error {
	wishes, err := in.wishes()
	if err != nil || len(wishes)+len(in.Cmd) > 0 {
		return err
	}
	return &core.Error{
		Code: core.MissingRequired, Message: "add needs to be told what to add",
		Hint:    "Name agents or a command, for example: cupola add " + shell.Quote(in.Session) + " --spawn-cc=1",
		Details: map[string]any{"missing": []string{"--agents"}},
	}
}

func runAdd(ctx context.Context, deps *registry.Deps, in addIn) (launchOut, error) {
	f, request, err := in.prepare(deps)
	if err != nil {
		return launchOut{}, err
	}
	made, err := f.Launcher.Add(ctx, lifecycle.AddRequest{Session: in.Session, Launch: request, DryRun: in.DryRun})
	return launched(made, in.DryRun), err
}

package command

import (
	"context"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/report"
	"cupola/robot/registry"
)

type spawnIn struct {
	Session string `arg:"1" required:"true" help:"Name of the new session"`
	launch
	NoUserPane bool `help:"Leave out the shell besides the agents"`
	registry.Preview
}

var spawn = registry.Define(registry.Spec[spawnIn, launchOut]{
	Name: "spawn", Group: groupFleet, Short: "Start a session with agents in it",
	Long:  "Makes a session with one pane for each agent and a shell for you. If anything fails half way, what was made is removed again.",
	Scope: registry.Session, Effect: registry.Writes,
	Default: spawnIn{launch: launch{Layout: string(fleet.Windows)}},
	Examples: []spawnIn{
		{Session: "demo", launch: launch{Cmd: []string{"sh"}, Layout: string(fleet.Windows)}},
		{Session: "web", launch: launch{SpawnCC: 2, SpawnCod: 1, Layout: string(fleet.Windows)}, Preview: registry.Preview{DryRun: true}},
	},
	Errors: []core.Code{
		core.AlreadyExists, core.AgentNotFound, core.ToolNotFound, core.EngineUnavailable, core.Timeout, core.DeliveryFailed,
		core.PermissionDenied, core.IOError,
	},
	Run:   runSpawn,
	Hints: func(_ spawnIn, out launchOut) *registry.Hints { return launchHints(out) },
	Next:  func(_ spawnIn, out launchOut) []registry.Action { return launchNext(out) },
	Human: func(_ spawnIn, out launchOut) *report.Report { return launchReport("Started", out) },
})

func runSpawn(ctx context.Context, deps *registry.Deps, in spawnIn) (launchOut, error) {
	f, request, err := in.prepare(deps)
	if err != nil {
		return launchOut{}, err
	}
	made, err := f.Spawn(ctx, fleet.SpawnRequest{Session: in.Session, Launch: request, NoUserPane: in.NoUserPane, DryRun: in.DryRun})
	return launched(made, in.DryRun), err
}

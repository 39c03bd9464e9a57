package command

import (
	"context"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/registry"
)

type renameIn struct {
	registry.InSession
	To string `arg:"2" required:"true" help:"The new name"`
	registry.Preview
}

type renameOut struct {
	From   string `json:"from"`
	To     string `json:"to"`
	DryRun bool   `json:"dry_run"`
}

var rename = registry.Define(registry.Spec[renameIn, renameOut]{
	Name: "rename", Group: groupFleet, Short: "Give a session another name",
	Scope: registry.Session, Effect: registry.Writes,
	Examples: []renameIn{{InSession: registry.InSession{Session: "api"}, To: "api2", Preview: registry.Preview{DryRun: true}}},
	Errors:   []core.Code{core.SessionNotFound, core.AlreadyExists, core.EngineUnavailable},
	Run:      runRename,
	Human: func(_ renameIn, out renameOut) *report.Report {
		return report.Say(report.Toned(report.Good, "Renamed "), report.Text(out.From+" to "), report.Toned(report.Strong, out.To))
	},
})

func runRename(ctx context.Context, deps *registry.Deps, in renameIn) (renameOut, error) {
	f, err := deps.Fleet()
	if err != nil {
		return renameOut{}, err
	}
	if in.DryRun {
		err = f.CheckRename(ctx, in.Session, in.To)
	} else {
		err = f.Rename(ctx, in.Session, in.To)
	}
	return renameOut{From: in.Session, To: in.To, DryRun: in.DryRun}, err
}

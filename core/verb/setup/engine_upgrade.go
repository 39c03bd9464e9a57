package setup

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type engineUpgradeIn struct{}

type engineUpgradeOut struct {
	// From and To are the versions of the program before and after, which are the same for another build of it.
	From string `json:"from_version"`
	To   string `json:"to_version"`
	// Socket is the server's, and PID its process, which stays.
	Socket string `json:"socket"`
	PID    int    `json:"pid"`
	// Panes counts what lives on in it.
	Panes int `json:"pane_count"`
}

var engineUpgrade = registry.Define(registry.Spec[verb.OnFleet, engineUpgradeIn, engineUpgradeOut]{
	Name: "engine-upgrade", Group: verb.GroupSetup, Short: "Upgrade Cupola's own server in place",
	Aliases: []string{"engine upgrade"},
	Long: "Cupola's own terminal server is the program that started it. This replaces it by this one: the same " +
		"process, sessions, screens and history, and nothing that agents print is lost. If this program cannot " +
		"take over, everything runs as before.",
	Scope: registry.Global, Effect: registry.Writes, Local: true, Examples: []string{""},
	Errors: []core.Code{core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied, core.IOError},
	Run:    runEngineUpgrade,
}).SeeAlso("doctor")

func runEngineUpgrade(ctx context.Context, deps verb.OnFleet, _ engineUpgradeIn) (engineUpgradeOut, error) {
	done, err := deps.Fleet.Overview.UpgradeEngine(ctx, deps.Env.Self)
	return engineUpgradeOut{
		From: done.Before.Version, To: done.After.Version, Socket: done.After.Socket, PID: done.PID, Panes: done.Panes,
	}, err
}

// Report shows people the server that runs now.
func (o engineUpgradeOut) Report() *report.Report {
	return report.Say(
		report.Text(fmt.Sprintf("The terminal server runs version %s now; %d panes live on in it.", o.To, o.Panes)),
	)
}

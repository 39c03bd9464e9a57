package sessions

import (
	"context"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type renameIn struct {
	registry.InSession
	To string `arg:"2" required:"true" names:"new-session" help:"The new name"`
}

type renameOut struct {
	From string `json:"from"`
	To   string `json:"to"`
	// ID is the engine's id of the session, which stays.
	ID core.SessionID `json:"id"`
}

var rename = registry.Define(registry.Spec[verb.OnFleet, renameIn, renameOut]{
	Name: "rename", Group: verb.GroupFleet, Short: "Give a session another name",
	Aliases: []string{"session rename"},
	Scope:   registry.Session, Effect: registry.Writes, OnTerminals: true,
	Examples: []string{"web web2"},
	Errors:   []core.Code{core.SessionNotFound, core.AlreadyExists, core.EngineUnavailable}, Run: runRename,
})

func (o renameOut) Report() *report.Report {
	return report.Say(report.Toned(report.Good, "Renamed "), report.Text(o.From+" to "),
		report.Toned(report.Strong, o.To))
}

func runRename(ctx context.Context, deps verb.OnFleet, in renameIn) (renameOut, error) {
	session, err := deps.Fleet.Launcher.Rename(ctx, in.Session, in.To)
	if err != nil {
		return renameOut{}, err
	}
	return renameOut{From: in.Session, To: session.Name, ID: session.ID}, nil
}

// Check sees that what was given can be read.
func (in renameIn) Check() error { return core.CheckSessionName(in.To) }

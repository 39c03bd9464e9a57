package sessions

import (
	"context"

	"cupola/core"
	"cupola/core/record/undo"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// RenameIn is the input of the verb rename.
type RenameIn struct {
	registry.InSession
	To string `arg:"2" required:"true" names:"new-session" help:"The new name"`
}

// RenameOut is the answer of the verb rename.
type RenameOut struct {
	From string `json:"from"`
	To   string `json:"to"`
	// ID is the engine's id of the session, which stays.
	ID core.SessionID `json:"id"`
}

var rename = registry.Define(registry.Spec[verb.OnFleet, RenameIn, RenameOut]{
	Name: "rename", Group: verb.GroupFleet, Doing: "renaming", Short: "Give a session another name",
	Aliases: []string{"session rename"},
	Scope:   registry.Session, Effect: registry.Writes, OnTerminals: true,
	Examples: []string{"web web2"},
	Errors:   []core.Code{core.SessionNotFound, core.AlreadyExists, core.EngineUnavailable}, Run: runRename,
})

// Report shows the answer to people.
func (o RenameOut) Report() *report.Report {
	return report.Say(report.Toned(report.Good, "Renamed "), report.Text(o.From+" to "),
		report.Toned(report.Strong, o.To))
}

func runRename(ctx context.Context, deps verb.OnFleet, in RenameIn) (RenameOut, error) {
	session, err := deps.Fleet.Launcher.Rename(ctx, in.Session, in.To)
	if err != nil {
		return RenameOut{}, err
	}
	out := RenameOut{From: in.Session, To: session.Name, ID: session.ID}
	verb.ActedOnServer(ctx, deps.Env, undo.Act{
		Did: "renamed " + out.From + " to " + out.To, Back: "names it " + out.From + " again",
		Renamed: &undo.Renamed{ID: out.ID, From: out.From, To: out.To},
	})
	return out, nil
}

// Check sees that what was given can be read.
func (in RenameIn) Check() error { return core.CheckSessionName(in.To) }

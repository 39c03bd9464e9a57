package sessions

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/lifecycle"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type adoptIn struct {
	Pane string `arg:"1" required:"true" names:"session" help:"Pane to adopt: SESSION.N, %ID or SESSION:WINDOW.PANE"`
	Kind string `help:"Kind of the agent (default: the kind that is recognised)"`
	Name string `help:"Name for the agent (default: derived from its kind)"`
	registry.Preview
}

type adoptOut struct {
	verb.PaneRow
	DryRun bool `json:"dry_run"`
}

var adopt = registry.Define(registry.Spec[verb.OnFleet, adoptIn, adoptOut]{
	Name: "adopt", Group: verb.GroupFleet, Short: "Take over an agent that runs in a pane",
	Aliases: []string{"agent adopt", "pane adopt"},
	Long:    "The pane gets a lasting number and agent name. Nothing is typed into it.",
	Scope:   registry.Resource, Effect: registry.Writes, OnTerminals: true,
	Examples: []string{"api.1 --kind=claude --dry-run"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.Conflict, core.Timeout,
		core.EngineUnavailable,
	},
	Run: runAdopt,
})

func (o adoptOut) Report() *report.Report {
	did := verb.Done(o.DryRun, "Adopted ", "Would adopt ")
	return report.Say(did, report.Toned(report.Strong, o.Address()),
		report.Text(" as "+o.Agent+" ("+string(o.Kind)+")"))
}

func runAdopt(ctx context.Context, deps verb.OnFleet, in adoptIn) (adoptOut, error) {
	pane, err := deps.Fleet.Launcher.Adopt(ctx,
		lifecycle.AdoptRequest{Pane: in.Pane, Kind: in.Kind, Name: in.Name, DryRun: in.DryRun})
	if err != nil {
		return adoptOut{}, err
	}
	// It was not observed as this agent yet.
	pane.Status.State = core.Unknown
	return adoptOut{PaneRow: verb.RowOf(pane), DryRun: in.DryRun}, nil
}

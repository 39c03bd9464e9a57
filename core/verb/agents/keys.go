package agents

import (
	"context"
	"strings"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// KeysIn is the input of the verb keys.
type KeysIn struct {
	registry.InSession
	Keys []string `arg:"rest" required:"true" help:"Keys by name: Escape, Enter, Space, Down, C-c, F1, or single characters"`
	registry.OfPanes
	registry.UserPanes
	registry.Preview
}

// KeysOut is the answer of the verb keys.
type KeysOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	Keys    []string     `json:"keys"`
	DryRun  bool         `json:"dry_run"`
	// Panes are the panes that got the keys.
	Panes []verb.PaneRow `json:"panes" minimal:"session,ordinal"`
}

var keys = registry.Define(registry.Spec[verb.OnFleet, KeysIn, KeysOut]{
	Name: "keys", Group: verb.GroupAgents, Doing: "pressing keys in", Short: "Press named keys in a pane",
	Long: "Presses the keys regardless of what the pane shows. If a session has several agents, name the panes. " +
		"To deliver a prompt use 'send'; to answer a dialog use 'answer'.",
	Scope: registry.Session, Effect: registry.Answers, OnTerminals: true, List: "panes",
	Examples: []string{"api.1 Escape", "api.1 Down Enter --dry-run"},
	Errors: []core.Code{
		core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable, core.PermissionDenied,
	},
	Run: runKeys,
})

// Report shows the answer to people.
func (o KeysOut) Report() *report.Report {
	did := verb.Done(o.DryRun, "Pressed ", "Would press ")
	return report.Say(did, report.Toned(report.Code, strings.Join(o.Keys, " ")),
		report.Text(" in "+verb.Plural(len(o.Panes), "pane")))
}

func runKeys(ctx context.Context, deps verb.OnFleet, in KeysIn) (KeysOut, error) {
	target := deps.Acting(ctx, verb.TargetOf(in.Session, in.OfPanes, in.All, nil), true)
	panes, err := deps.Fleet.Sender.Keys(ctx, deliver.KeysRequest{Target: target, Keys: in.Keys, DryRun: in.DryRun})
	return KeysOut{Filters: verb.Echo(target), Keys: in.Keys, DryRun: in.DryRun, Panes: verb.RowsOf(panes)}, err
}

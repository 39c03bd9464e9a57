package health

import (
	"context"

	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type isWorkingIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Detail
}

type isWorkingOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Working is true if any of the agents works; Idle if all of them can take a
	// prompt now.
	Working bool `json:"working"`
	Idle    bool `json:"idle"`
	// Panes has one row per agent.
	Panes   []isWorkingRow `json:"panes" empty:"no agent here"`
	Summary verb.Summary   `json:"summary"`
	// Details has one row per agent with --verbose, as agent-health has.
	Details []agentDetail `json:"agent_details,omitempty"`
}

// isWorkingRow says whether one agent works, and what that means for others.
type isWorkingRow struct {
	_ struct{} `minimal:"session,ordinal,working" table:"PANE,AGENT,STATE,DO,WHY"`
	_ struct{} `standard:"session,ordinal,agent,state,working,ready,recommendation"`
	verb.PaneRow
	workingState
	Why string `json:"why,omitempty" table:"WHY,dim,flex"`
}

var isWorking = registry.Define(registry.Spec[verb.OnFleet, isWorkingIn, isWorkingOut]{
	Name: "is-working", Of: "health --show=agents", Group: verb.GroupSee,
	Short: "Say whether agents are working, and whether they may be interrupted",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "is-working", Flags: []string{"verbose"}}, Schema: "is_working",
	Examples: []string{"api", "api.1"},
	Errors:   verb.Observing, Run: runIsWorking,
}).SeeAlso("wait", "tail")

func runIsWorking(ctx context.Context, deps verb.OnFleet, in isWorkingIn) (isWorkingOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return isWorkingOut{}, err
	}
	out := isWorkingOut{
		Filters: verb.Echo(target), Idle: len(panes) > 0, Panes: make([]isWorkingRow, 0, len(panes)),
		Summary: summariseOf(panes),
	}
	for _, pane := range panes {
		row := agentRowOf(pane, snap)
		out.Panes = append(out.Panes, isWorkingRow{PaneRow: row.PaneRow, workingState: row.workingState, Why: row.Why})
		if in.Verbose {
			out.Details = append(out.Details, agentDetailOf(pane))
		}
		out.Working = out.Working || row.Working
		out.Idle = out.Idle && row.Ready
	}
	return out, nil
}

// Cell shows what to do with the agent, the more urgent the louder.
func (r *isWorkingRow) Cell(title string) (report.Cell, bool) {
	if title != "DO" {
		return r.PaneRow.Cell(title)
	}
	return r.shown(), true
}

func (r *workingState) shown() report.Cell {
	switch {
	case r.NeedsUser:
		return report.Toned(report.Bad, r.Recommendation)
	case r.Working:
		return report.Toned(report.Dim, r.Recommendation)
	}
	return report.Toned(report.Good, r.Recommendation)
}

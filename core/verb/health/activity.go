package health

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type activityIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Page
}

type activityOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Panes has one row per agent.
	Panes   []activityRow `json:"panes" empty:"no agent here"`
	Summary verb.Summary  `json:"summary"`
	verb.Paged
}

// activityRow is the activity of one agent, and its evidence.
type activityRow struct {
	_ struct{} `minimal:"session,ordinal,state" standard:"session,ordinal,agent,state,reason,for_s,evidence"`
	_ struct{} `table:"PANE,AGENT,STATE,SINCE,LINES/MIN,TOKENS/MIN,NOTES,WHAT SHOWS IT"`
	verb.PaneRow
	// ForSeconds is how long the state has held.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// Confidence is how sure the evidence makes the state, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Evidence is the signal that weighed most.
	Evidence []string `json:"evidence" table:"WHAT SHOWS IT,dim,flex,join=;"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	outputRate
}

var activity = registry.Define(registry.Spec[verb.OnFleet, activityIn, activityOut]{
	Name: "activity", Of: "health --show=rates", Group: verb.GroupSee,
	Short: "Say what each agent is doing, since when, and how that is known",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "activity", Flags: []string{"type"}},
	Examples:   []string{"api", ""},
	Errors:     verb.Observing, Run: runActivity,
}).SeeAlso("attention", "tail")

func runActivity(ctx context.Context, deps verb.OnFleet, in activityIn) (activityOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return activityOut{}, err
	}
	shown, page := verb.Cut(panes, in.Page)
	out := activityOut{
		Filters: verb.Echo(target), Panes: make([]activityRow, 0, len(shown)), Summary: summariseOf(panes), Paged: page,
	}
	rates, err := ratesOf(ctx, deps, shown)
	if err != nil {
		return activityOut{}, err
	}
	for _, pane := range shown {
		row := agentRowOf(pane, snap)
		out.Panes = append(out.Panes, activityRow{
			PaneRow: row.PaneRow, ForSeconds: row.ForSeconds, Confidence: row.Confidence, Evidence: row.Evidence,
			ResetsAt: row.ResetsAt, outputRate: rates.of(pane.ID),
		})
	}
	return out, nil
}

// summariseOf counts chosen panes.
func summariseOf(panes []*core.Pane) verb.Summary {
	counts, sessions := core.CountPanes(panes), map[string]bool{}
	for _, pane := range panes {
		sessions[pane.Session] = true
	}
	counts.Sessions = len(sessions)
	return verb.SummaryOf(counts)
}

package command

import (
	"context"
	"time"

	"cupola/core"
	"cupola/robot/registry"
)

type activityIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Page
}

type activityOut struct {
	Filters filters `json:"filters,omitzero"`
	// Panes has one row per agent.
	Panes   []activityRow `json:"panes" empty:"no agent here"`
	Summary summary       `json:"summary"`
	paged
}

// activityRow is what one agent does, and what shows it.
type activityRow struct {
	_ struct{} `minimal:"session,ordinal,state" standard:"session,ordinal,agent,state,reason,for_s,evidence"`
	_ struct{} `table:"PANE,AGENT,STATE,SINCE,LINES/MIN,TOKENS/MIN,NOTES,WHAT SHOWS IT"`
	paneRow
	// ForSeconds is how long the state has held.
	ForSeconds maybeInt `json:"for_s,omitzero"`
	// Confidence is how sure the evidence makes the state, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Evidence is the signal that weighed most.
	Evidence []string `json:"evidence" table:"WHAT SHOWS IT,dim,flex,join=;"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	// LinesPerMinute is how many lines of its screen are new in a minute, TokensPerMinute
	// how many tokens it wrote in each of the last five: lines
	// are of agents that a keeper watches, tokens of those with a transcript.
	LinesPerMinute  maybeNumber `json:"lines_per_min,omitzero" table:"LINES/MIN,format=%.0f,empty=-"`
	TokensPerMinute maybeNumber `json:"tokens_per_min,omitzero" table:"TOKENS/MIN,format=%.0f,empty=-"`
}

var activity = registry.Define(registry.Spec[onFleet, activityIn, activityOut]{
	Name: "activity", Group: groupSee, Short: "Say what each agent is doing, since when, and how that is known",
	Scope: registry.Session, Effect: registry.Reads, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "activity", Flags: []string{"type"}},
	Examples:   []string{"api", ""},
	Errors:     observing, Run: runActivity,
}).SeeAlso("attention", "tail")

// observing are the error codes of verbs that observe selected agents.
var observing = []core.Code{
	core.EngineUnavailable, core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.Ambiguous,
	core.PermissionDenied,
}

func runActivity(ctx context.Context, deps onFleet, in activityIn) (activityOut, error) {
	target := targetOf(in.Session, in.OfPanes, false, nil)
	snap, panes, err := deps.chosen(ctx, target)
	if err != nil {
		return activityOut{}, err
	}
	shown, page := cut(panes, in.Page)
	out := activityOut{
		Filters: echo(target), Panes: make([]activityRow, 0, len(shown)), Summary: summariseOf(panes), paged: page,
	}
	rates, err := ratesOf(ctx, deps, shown)
	if err != nil {
		return activityOut{}, err
	}
	for _, pane := range shown {
		row := activityRow{
			LinesPerMinute: rates.lines(pane.ID), TokensPerMinute: rates.tokens(pane.ID),
			paneRow: rowOf(pane), ForSeconds: lasted(pane.Status.Since, snap.Taken), Confidence: pane.Status.Confidence,
			ResetsAt: pane.Status.ResetsAt,
		}
		if len(pane.Status.Evidence) > 0 {
			row.Evidence = pane.Status.Evidence[:1]
		}
		out.Panes = append(out.Panes, row)
	}
	return out, nil
}

// summariseOf counts chosen panes.
func summariseOf(panes []*core.Pane) summary {
	counts, sessions := core.CountPanes(panes), map[string]bool{}
	for _, pane := range panes {
		sessions[pane.Session] = true
	}
	counts.Sessions = len(sessions)
	return summaryOf(counts)
}

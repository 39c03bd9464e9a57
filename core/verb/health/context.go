package health

import (
	"cmp"
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/agent/transcript"
	"cupola/core/fleet/conversation"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type contextIn struct {
	registry.InSession
	registry.OfPanes
}

type contextOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Agents has one row per agent.
	Agents []contextRow `json:"agents" empty:"no agents"`
}

// contextRow is how much of its context window one agent has used.
type contextRow struct {
	_ struct{} `minimal:"session,ordinal,percent" table:"PANE,AGENT,MODEL,USED,TOKENS,WINDOW,SOURCE"`
	_ struct{} `standard:"session,ordinal,agent,variant,tokens,window_tokens,percent,source"`
	verb.PaneRow
	// Tokens are used of Window.
	Tokens int `json:"tokens,omitempty" table:"TOKENS,empty=-"`
	Window int `json:"window_tokens,omitempty" table:"WINDOW,empty=-"`
	// Percent of the window is used; Remaining is the rest.
	Percent   verb.MaybeInt `json:"percent,omitzero" table:"USED"`
	Remaining verb.MaybeInt `json:"remaining_percent,omitzero"`
	// Source is protocol, screen, transcript, estimate, or absent where it is unknown.
	Source string `json:"source,omitempty" table:"SOURCE,dim"`
	// Estimated is true where the size of the window is a guess.
	Estimated bool `json:"estimated"`
	// Certain is false if it is not known which of several conversations is the agent's; Sessions are then all that
	// fit, the likeliest first.
	Certain  bool             `json:"certain"`
	Sessions []transcript.Fit `json:"sessions,omitempty"`
	Evidence []string         `json:"evidence"`
}

var contextUsed = registry.Define(registry.Spec[verb.OnFleet, contextIn, contextOut]{
	Name: "context", Of: "health --show=context", Group: verb.GroupAgents,
	Short: "Show how much of its context window each agent has used",
	Long: "Uses what the agent reports by protocol, what it shows on its screen, or else its own transcript; the " +
		"source says which. If the window size had to be guessed from the model's name, the row is marked as " +
		"estimated.",
	Scope: registry.Session, Effect: registry.Reads, List: "agents",
	Examples: []string{"api", "api.1"},
	Errors:   []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable},
	Run:      runContext,
}).SeeAlso("tokens", "health")

func runContext(ctx context.Context, deps verb.OnFleet, in contextIn) (contextOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil)
	uses, err := deps.Fleet.Conversations.ContextUsed(ctx, target)
	if err != nil {
		return contextOut{}, err
	}
	return contextOut{Filters: verb.Echo(target), Agents: contextRows(uses)}, nil
}

// contextRows has a row for each agent.
func contextRows(uses []conversation.ContextUse) []contextRow {
	return core.Map(uses, func(use conversation.ContextUse) contextRow {
		row := contextRow{
			PaneRow: verb.RowAt(use.PaneRef, &use.Status), Tokens: use.Tokens, Window: use.Window,
			Percent: verb.MaybeInt(use.Percent), Remaining: -1, Source: use.Source, Estimated: use.Estimated(),
			Certain: use.Certain, Sessions: use.Sessions, Evidence: []string{use.Evidence},
		}
		row.Variant = cmp.Or(use.Model, row.Variant)
		if use.Percent >= 0 {
			row.Remaining = 100 - row.Percent
		}
		return row
	})
}

// Cell shows a context the louder the fuller it is.
func (r *contextRow) Cell(title string) (report.Cell, bool) {
	tone := report.Plain
	switch {
	case title != "USED":
		return r.PaneRow.Cell(title)
	case r.Percent < 0:
		return report.Toned(report.Dim, "-"), true
	case r.Percent >= 95:
		tone = report.Bad
	case r.Percent >= 80:
		tone = report.Warn
	}
	return report.Toned(tone, fmt.Sprintf("%d%%", r.Percent)), true
}

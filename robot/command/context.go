package command

import (
	"context"
	"fmt"

	"cupola/core"
	"cupola/core/report"
	"cupola/robot/registry"
)

type contextIn struct {
	registry.InSession
	registry.OfPanes
}

type contextOut struct {
	Filters filters `json:"filters,omitzero"`
	// Agents has a row an agent.
	Agents []contextRow `json:"agents"`
}

// contextRow is how much of its context window one agent has used.
type contextRow struct {
	_ struct{} `minimal:"session,ordinal,percent"`
	_ struct{} `standard:"session,ordinal,agent,variant,tokens,window_tokens,percent,source"`
	paneRow
	// Tokens are used of Window.
	Tokens int `json:"tokens,omitempty"`
	Window int `json:"window_tokens,omitempty"`
	// Percent of the window is used; Remaining is the rest.
	Percent   maybeInt `json:"percent,omitzero"`
	Remaining maybeInt `json:"remaining_percent,omitzero"`
	// Source is screen, transcript, estimate, or absent where nothing tells.
	Source string `json:"source,omitempty"`
	// Estimated is true where the size of the window is a guess.
	Estimated bool     `json:"estimated"`
	Evidence  []string `json:"evidence"`
}

var contextUsed = registry.Define(registry.Spec[contextIn, contextOut]{
	Name: "context", Group: groupAgents, Short: "Show how much of its context window each agent has used",
	Long:  "Uses what the agent shows on its screen or else its own transcript. If the window size had to be guessed from the model's name, the row is marked as estimated.",
	Scope: registry.Session, Effect: registry.Reads, List: "agents",
	Examples: []contextIn{
		{InSession: registry.InSession{Session: "api"}},
		{InSession: registry.InSession{Session: "api.1"}},
	},
	Errors: []core.Code{core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.EngineUnavailable},
	Run:    runContext, Human: func(_ contextIn, out contextOut) *report.Report { return contextReport(out) },
}).SeeAlso("tokens", "activity")

func runContext(ctx context.Context, deps *registry.Deps, in contextIn) (contextOut, error) {
	f, err := deps.Fleet()
	if err != nil {
		return contextOut{}, err
	}
	target := targetOf(in.Session, in.OfPanes, false, nil)
	uses, err := f.Conversations.ContextUsed(ctx, target)
	if err != nil {
		return contextOut{}, err
	}
	out := contextOut{Filters: echo(target), Agents: []contextRow{}}
	for i := range uses {
		use := &uses[i]
		row := contextRow{
			paneRow: rowAt(use.PaneRef, &use.Status), Tokens: use.Tokens, Window: use.Window,
			Percent: maybeInt(use.Percent), Remaining: -1, Source: use.Source, Estimated: use.Estimated(), Evidence: evident(use.Evidence),
		}
		row.Variant = orElse(use.Model, row.Variant)
		if use.Percent >= 0 {
			row.Remaining = 100 - row.Percent
		}
		out.Agents = append(out.Agents, row)
	}
	return out, nil
}

func contextReport(out contextOut) *report.Report {
	table := &report.Table{Columns: report.Columns("PANE", "AGENT", "MODEL", "USED", "TOKENS", "WINDOW", "SOURCE"), Empty: "no agents"}
	number := func(n int) report.Cell {
		if n <= 0 {
			return report.Toned(report.Dim, "-")
		}
		return report.Text(fmt.Sprint(n))
	}
	for _, row := range out.Agents {
		used := report.Toned(report.Dim, "-")
		switch {
		case row.Percent >= 95:
			used = report.Toned(report.Bad, fmt.Sprintf("%d%%", row.Percent))
		case row.Percent >= 80:
			used = report.Toned(report.Warn, fmt.Sprintf("%d%%", row.Percent))
		case row.Percent >= 0:
			used = report.Text(fmt.Sprintf("%d%%", row.Percent))
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, row.Address()), report.Text(row.Agent), report.Toned(report.Dim, row.Variant),
			used, number(row.Tokens), number(row.Window), report.Toned(report.Dim, row.Source),
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}

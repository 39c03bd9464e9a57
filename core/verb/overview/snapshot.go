package overview

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/money"
	"cupola/core/verb/registry"
	"cupola/core/verb/tools"
	"cupola/core/verb/work"
)

type snapshotIn struct {
	registry.Page
	Sections []string       `enum:"sessions,panes,alerts,events,beads,agent_mail,tools,budgets" help:"Only these sections; the summary is always there"`
	Since    registry.Since `help:"Only what changed since then"`
}

type snapshotOut struct {
	GeneratedAt time.Time `json:"generated_at"`
	// Version is the program's.
	Version  string            `json:"version"`
	Revision core.Revision     `json:"revision"`
	Summary  verb.Summary      `json:"summary"`
	Sessions []verb.SessionRow `json:"sessions"`
	Panes    []verb.PaneRow    `json:"panes"`
	// Agents has one row per agent among those panes.
	Agents []agentRow `json:"agents"`
	// Details has one row per pane: process, folder, geometry, evidence.
	Details []verb.PaneDetail `json:"pane_details"`
	Alerts  []alertRow        `json:"alerts"`
	// Events are the last ones on record, or those since.
	Events []eventRow `json:"events"`
	// Since echoes what was asked for. Complete is false where more may have changed
	// than is known: everything is answered then, and Why says why.
	Since    string `json:"since,omitempty"`
	Complete *bool  `json:"complete,omitempty"`
	Why      string `json:"why,omitempty"`
	// Beads has one row per project with work items that a session works in.
	Beads []work.ShownProject `json:"beads"`
	// AgentMail is the program that mail-check asks; absent where it was not asked for.
	AgentMail *tools.ToolSection `json:"agent_mail,omitempty"`
	// Tools has one row per program that Cupola can use.
	Tools []tools.ToolSection `json:"tools"`
	// Budgets has one row per ceiling, with what was spent under it.
	Budgets    []money.BudgetRow `json:"budgets"`
	System     verb.System       `json:"system"`
	Pagination verb.Pagination   `json:"pagination"`

	// Snap is the snapshot that the answer was made of.
	Snap *core.Snapshot `json:"-"`
}

// agentRow says who an agent is and where; its row among the panes says how it is.
type agentRow struct {
	_ struct{} `minimal:"session,ordinal,agent" standard:"session,ordinal,pane,agent,kind"`
	core.PaneRef
}

// agentRows are the agents among panes.
func agentRows(panes []verb.PaneRow) []agentRow {
	rows := []agentRow{}
	for i := range panes {
		if panes[i].Agent != "" {
			rows = append(rows, agentRow{PaneRef: panes[i].PaneRef})
		}
	}
	return rows
}

var snapshot = registry.Define(registry.Spec[verb.OnFleet, snapshotIn, snapshotOut]{
	Name: "snapshot", Of: "status --verbose --show=all", Group: verb.GroupSee,
	Short: "Return everything that is known in one answer",
	Long: "Everything 'status' knows, with open alerts, recent events, the work items of the sessions' projects, the " +
		"tools that can be used, and spending against ceilings. --limit and --offset page through the panes. With " +
		"--since=rev:N it holds only what changed since that revision; if not all of that is known, it holds " +
		"everything and complete is false.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Examples: []string{"", "--sections=panes", "--since=1h"},
	Errors: []core.Code{
		core.EngineUnavailable, core.PermissionDenied, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runSnapshot,
}).SeeAlso("attention", "summary")

func (o snapshotOut) Hints() *registry.Hints { return verb.PageHints(o.Pagination) }

func (o snapshotOut) Report() *report.Report {
	return statusOut{Panes: o.Panes, Summary: o.Summary, System: o.System, Snap: o.Snap}.Report()
}

func runSnapshot(ctx context.Context, deps verb.OnFleet, in snapshotIn) (snapshotOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Dirs: true})
	if err != nil {
		return snapshotOut{}, err
	}
	since := in.Since.String()
	wanted := func(section string) bool {
		steady := slices.Contains([]string{"beads", "agent_mail", "tools", "budgets"}, section)
		return len(in.Sections) == 0 && (since == "" || !steady) || slices.Contains(in.Sections, section)
	}
	out := snapshotOut{
		GeneratedAt: snap.Taken, Version: deps.Env.Version, Revision: snap.Revision, Summary: verb.Summarise(snap),
		System: verb.SystemOf(snap), Since: since, Snap: snap,
	}
	if wanted("sessions") {
		out.Sessions = verb.SessionRows(snap)
	}
	if wanted("panes") {
		out.Panes, out.Details = core.Map(snap.Panes(), verb.RowOf), core.Map(snap.Panes(), verb.DetailOf)
	}
	s, err := sectionsOf(ctx, deps, snap, in.Since, wanted)
	if err != nil {
		return out, err
	}
	out.Alerts, out.Events, out.Complete, out.Why = s.Alerts, s.Events, s.Complete, s.Why
	out.Beads, out.AgentMail, out.Tools, out.Budgets = s.Beads, s.AgentMail, s.Tools, s.Budgets
	s.narrow(snap, in.Since, &out.Sessions, &out.Panes, &out.Details, &out.Alerts)
	shown, page := verb.Cut(out.Panes, in.Page)
	out.Panes, out.Pagination = shown, page.Pagination
	out.Agents = agentRows(out.Panes)
	out.Details, _ = verb.Cut(out.Details, in.Page)
	return out, nil
}

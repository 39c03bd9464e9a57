package overview

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/record/store"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/history"
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
	changedSince
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
		System: verb.SystemOf(snap), Snap: snap,
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
	out.Alerts, out.Events, out.changedSince = s.Alerts, s.Events, s.changedSince
	out.Beads, out.AgentMail, out.Tools, out.Budgets = s.Beads, s.AgentMail, s.Tools, s.Budgets
	s.narrow(snap, in.Since, &out.Sessions, &out.Panes, &out.Details, &out.Alerts)
	shown, page := verb.Cut(out.Panes, in.Page)
	out.Panes, out.Pagination = shown, page.Pagination
	out.Agents = agentRows(out.Panes)
	out.Details, _ = verb.Cut(out.Details, in.Page)
	return out, nil
}

// recentEvents is how many events a snapshot shows where it is not asked since when.
const recentEvents = 20

// changes are the events before a snapshot.
type changes struct {
	events []core.Event
	// gap says why more may have changed than the events say; absent where all is
	// known.
	gap string
}

// changesBefore reads what is on record. Without a since these are the last events.
func changesBefore(ctx context.Context, deps verb.OnFleet, snap *core.Snapshot, since registry.Since) (changes,
	error,
) {
	on, err := verb.OnRecords{}.Open(ctx, deps.Env)
	if err != nil {
		return changes{}, err
	}
	if since.Revision > snap.Revision {
		return changes{}, verb.ErrNoRevision(since.Revision)
	}
	query := store.EventQuery{Server: on.Server, After: since.Revision}
	if !since.IsRevision() {
		query.Since = since.AsTime(snap.Taken)
	}
	if since.String() == "" {
		query.Last, query.Own = recentEvents, deps.Fleet.Resolver.HidesForeign()
	}
	found, err := store.EventsIn(on.Records).Find(ctx, query)
	if err != nil {
		return changes{}, err
	}
	all := changes{events: append([]core.Event{}, found...)}
	switch {
	case since.String() == "":
	case !on.Kept:
		all.gap = "no keeper runs, so not every change is on record"
	case since.IsRevision():
		all.gap = gapBetween(since.Revision, snap.Revision, all.events)
	default:
		before := store.EventQuery{Server: on.Server, Until: query.Since, Last: 1}
		all.gap, err = gapSince(ctx, on.Records, before, all.events)
	}
	all.events = slices.DeleteFunc(all.events,
		func(e core.Event) bool { return e.Foreign && deps.Fleet.Resolver.HidesForeign() })
	return all, err
}

// gapSince says why not all since a time is on record, given what finds the last
// event before it.
func gapSince(ctx context.Context, records *store.Store, before store.EventQuery, events []core.Event) (string, error) {
	if slices.ContainsFunc(events,
		func(e core.Event) bool { return e.Type == core.KeeperChanged || e.Type == core.Resynced }) {
		return "no keeper ran for part of that time", nil
	}
	older, err := store.EventsIn(records).Find(ctx, before)
	if err == nil && len(older) == 0 {
		return "no keeper ran so long ago", nil
	}
	return "", err
}

// gapBetween says what is missing between two revisions.
func gapBetween(from, to core.Revision, events []core.Event) string {
	for i := range events {
		e := &events[i]
		if e.Type == core.Resynced || e.Revision > from+1 {
			return fmt.Sprintf("what led to revision %d is not on record", e.Revision)
		}
		from = max(from, e.Revision)
	}
	if from < to {
		return fmt.Sprintf("what led to revision %d is not on record", to)
	}
	return ""
}

func (c *changes) rows() []eventRow {
	rows := make([]eventRow, len(c.events))
	for i := range c.events {
		rows[i].Event = c.events[i]
		rows[i].Alert = nil
	}
	return rows
}

// only leaves of lists what changed: panes and sessions that events name, and
// alerts that are newer.
func (c *changes) only(sessions *[]verb.SessionRow, panes *[]verb.PaneRow, details *[]verb.PaneDetail,
	alerts *[]alertRow, from time.Time,
) {
	changed, named, raised := map[core.PaneID]bool{}, map[string]bool{}, map[string]bool{}
	for i := range c.events {
		e := &c.events[i]
		changed[e.PaneID], named[e.Session] = true, true
		if e.Type == core.SessionRenamed {
			named[e.To] = true
		}
		if e.Alert != nil {
			raised[e.Alert.ID] = true
		}
	}
	*panes = slices.DeleteFunc(*panes, func(row verb.PaneRow) bool { return !changed[row.Pane] })
	*details = slices.DeleteFunc(*details, func(row verb.PaneDetail) bool { return !changed[row.Pane] })
	*sessions = slices.DeleteFunc(*sessions, func(row verb.SessionRow) bool { return !named[row.Name] })
	*alerts = slices.DeleteFunc(*alerts, func(row alertRow) bool {
		return !raised[row.ID] && (from.IsZero() || row.LastSeen.Before(from))
	})
}

// changedSince says since when an answer has what changed; the zero value is of an answer with everything.
type changedSince struct {
	// Since echoes what was asked for. Complete is false where more may have changed
	// than is known: everything is answered then, and Why says why.
	Since    string `json:"since,omitempty"`
	Complete *bool  `json:"complete,omitempty"`
	Why      string `json:"why,omitempty"`
}

// sections are the parts of what is known that an overview has only where they are asked for.
type sections struct {
	// Alerts are the open ones.
	Alerts []alertRow
	// Events are the last ones on record, or those since.
	Events []eventRow
	changedSince
	Beads     []work.ShownProject
	AgentMail *tools.ToolSection
	Tools     []tools.ToolSection
	Budgets   []money.BudgetRow

	changed changes
}

// sectionsOf returns the sections that are wanted, by their names.
func sectionsOf(ctx context.Context, deps verb.OnFleet, snap *core.Snapshot, since registry.Since,
	wanted func(section string) bool,
) (s sections, err error) {
	if wanted("alerts") {
		s.Alerts = alertRows(snap.Alerts)
	}
	if wanted("beads") {
		if s.Beads, err = work.ProjectsOf(ctx, deps.Env, snap); err != nil {
			return s, err
		}
	}
	if wanted("agent_mail") {
		s.AgentMail = tools.MailSection(&deps.Env.Local)
	}
	if wanted("budgets") {
		if s.Budgets, err = money.BudgetSection(ctx, deps.Env); err != nil {
			return s, err
		}
	}
	if wanted("tools") {
		s.Tools = tools.ToolSections(&deps.Env.Local)
	}
	if !wanted("events") && since.String() == "" {
		return s, nil
	}
	if s.changed, err = changesBefore(ctx, deps, snap, since); err != nil {
		return s, err
	}
	if wanted("events") {
		s.Events = s.changed.rows()
	}
	if since.String() != "" {
		whole := s.changed.gap == ""
		s.changedSince = changedSince{since.String(), &whole, s.changed.gap}
	}
	return s, nil
}

// narrow leaves of some lists what changed since a time or revision, if all of that is known.
func (s *sections) narrow(snap *core.Snapshot, since registry.Since, sessions *[]verb.SessionRow, panes *[]verb.PaneRow,
	details *[]verb.PaneDetail, alerts *[]alertRow,
) {
	if s.Complete != nil && *s.Complete {
		s.changed.only(sessions, panes, details, alerts, since.AsTime(snap.Taken))
	}
}

// promptsSince counts the prompts that were sent since midnight, UTC.
func promptsSince(ctx context.Context, env *verb.Env, session string) (today promptsToday, err error) {
	on, err := verb.OnRecords{}.Open(ctx, env)
	if err != nil {
		return today, err
	}
	hidden, err := verb.HiddenEver(ctx, env, session)
	if err != nil {
		return today, err
	}
	sent, err := store.PromptsIn(on.Records).Stats(ctx, store.PromptQuery{
		Server: on.Server, Session: session, Except: hidden, Since: money.DayOf(env.Now()),
	})
	if err != nil {
		return today, err
	}
	by := history.StatsOf(&sent)
	return promptsToday{
		Prompts: sent.Prompts, Panes: sent.Panes, Failed: by.Refused + by.Unconfirmed,
		Delivered: by.Delivered + by.Queued + by.Steered,
	}, nil
}

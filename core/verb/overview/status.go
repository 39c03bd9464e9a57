package overview

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/engine"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/money"
	"cupola/core/verb/registry"
	"cupola/core/verb/tools"
	"cupola/core/verb/work"
)

type statusIn struct {
	registry.Page
	registry.OfSession
	Show  []string       `enum:"alerts,needs,events,prompts,beads,agent_mail,tools,budgets,all" help:"Also open alerts, agents that need you, recent events, how many prompts were sent today, work items, the mail program, tools, spending against ceilings"`
	Since registry.Since `help:"Only what changed since this time or revision, with the events; everything, and complete is false, if not all of that is known"`
	registry.Detail
}

// shows reports whether a section was asked for.
func (in *statusIn) shows(section string) bool {
	return slices.Contains(in.Show, section) || slices.Contains(in.Show, "all")
}

type statusOut struct {
	Filters     registry.OfSession `json:"filters,omitzero"`
	GeneratedAt time.Time          `json:"generated_at"`
	// Version is the program's.
	Version  string            `json:"version"`
	Sessions []verb.SessionRow `json:"sessions"`
	// Panes are all panes, session by session, in the order of their ordinals.
	Panes   []verb.PaneRow `json:"panes"`
	Summary verb.Summary   `json:"summary"`
	// Alerts counts open alerts by severity.
	Alerts     core.AlertCounts `json:"alerts"`
	System     verb.System      `json:"system"`
	Pagination verb.Pagination  `json:"pagination"`
	// Leftovers are processes of agents whose pane is gone; absent where there are none. 'kill SESSION --leftovers'
	// ends them.
	Leftovers []leftoverRow `json:"leftovers,omitempty" minimal:"session,pid,name"`
	// Details has one row per pane with --verbose: process, folder, geometry, evidence.
	Details []verb.PaneDetail `json:"pane_details,omitempty"`
	// Background has a row for each session that agents' programs run without a terminal; those whose process has ended
	// too with --verbose, or if a pane shows a list of them. They are in no pane, and no prompt reaches them.
	Background []backgroundRow `json:"background_sessions,omitempty"`
	// The following are there with --show: alerts that are open, agents that need the user, the last events on record,
	// how many prompts were sent since midnight, UTC, programs that can be used, and ceilings.
	OpenAlerts []alertRow          `json:"open_alerts,omitempty"`
	Needs      []needRow           `json:"needs,omitempty"`
	Events     []eventRow          `json:"events,omitempty"`
	Prompts    *promptsToday       `json:"prompts_today,omitempty"`
	Tools      []tools.ToolSection `json:"tools,omitempty"`
	Budgets    []money.BudgetRow   `json:"budgets,omitempty"`
	changedSince
	// Beads has, with --verbose, a row for each project with work items that a session
	// works in, and AgentMail is the program that mail-check asks.
	Beads     []work.ShownProject `json:"beads,omitempty"`
	AgentMail *tools.ToolSection  `json:"agent_mail,omitempty"`

	// Snap is the snapshot that the answer was made of.
	Snap *core.Snapshot `json:"-"`

	// unkept is true if no process runs that would continue the agents that are at a limit.
	unkept bool
	// ran are the sessions that ran until their terminal server ended.
	ran []rundir.RanSession
}

// leftoverRow is a process that an agent left behind.
type leftoverRow struct {
	Session string `json:"session" names:"session"`
	Agent   string `json:"agent"`
	PID     int    `json:"pid"`
	Name    string `json:"name"`
}

var status = registry.Define(registry.Spec[verb.OnFleet, statusIn, statusOut]{
	Name: "status", Group: verb.GroupSee, Short: "List sessions, panes, agents and states",
	Aliases: []string{
		"list",
		"sessions", "agents", "panes", "session list", "sessions list", "session show", "session status",
		"agent list", "agents list", "pane list", "panes list", "list sessions", "list agents",
		"list panes",
	},
	Long:  "If no terminal server is running, the lists are empty. --limit and --offset page through the panes.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Examples: []string{"", "--session=api --verbose", "--show=needs,prompts", "--since=1h"},
	Errors: []core.Code{
		core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runStatus,
}).SeeAlso("attention", "summary")

func runStatus(ctx context.Context, deps verb.OnFleet, in statusIn) (statusOut, error) {
	view := observe.View{Session: in.Session, Dirs: in.Verbose, Brief: !in.Verbose}
	snap, err := deps.Fleet.Overview.Snapshot(ctx, view)
	if err != nil {
		return statusOut{}, err
	}
	panes := snap.Panes()
	shown, page := verb.Cut(panes, in.Page)
	out := statusOut{
		Filters:     in.OfSession,
		GeneratedAt: snap.Taken, Version: deps.Env.Version, Sessions: verb.SessionRows(snap),
		Panes: core.Map(shown, verb.RowOf), Summary: verb.Summarise(snap),
		Alerts:     core.CountAlerts(snap.Alerts),
		Pagination: page.Pagination, System: verb.SystemOf(snap), Snap: snap,
	}
	if in.Verbose {
		out.Details = core.Map(shown, verb.DetailOf)
	}
	if err := out.show(ctx, deps, in); err != nil {
		return out, err
	}
	if deps.Env.Settings().Restore.Auto != config.RestoreNever {
		out.ran = deps.Fleet.Dir.Ran(ctx, snap)
	}
	if slices.ContainsFunc(out.Panes, func(row verb.PaneRow) bool { return !row.ContinuesAt.IsZero() }) {
		_, kept, err := deps.Fleet.Dir.Kept(ctx)
		out.unkept = err == nil && !kept
	}
	left, err := deps.Fleet.Launcher.Jobs.LeftoversBeside(ctx, snap, in.Session)
	if err != nil {
		deps.Env.Log.Warn("list leftovers", "error", err)
	}
	out.Leftovers = core.Map(left, func(l lifecycle.Leftover) leftoverRow {
		return leftoverRow{l.Session, l.Agent, l.PID, l.Name}
	})
	if !slices.ContainsFunc(snap.Sessions, func(s core.Session) bool { return s.Engine == engine.Tmux }) {
		for _, server := range deps.Fleet.Overview.OtherServers() {
			deps.Env.Warn(verb.DescribeOtherServer(server))
		}
	}
	if in.Verbose || slices.ContainsFunc(out.Panes, overviewShown) {
		listed, err := runBackground(ctx, deps.Env, backgroundIn{})
		if err != nil {
			deps.Env.Warn(err.Error())
		}
		out.Background = listed.Sessions
	} else {
		out.Background = core.Map(runningSessions(deps.Env, in.Session), backgroundRowOf)
	}
	return out, nil
}

// show adds the sections that were asked for, and leaves what changed since a time.
func (o *statusOut) show(ctx context.Context, deps verb.OnFleet, in statusIn) error {
	s, err := sectionsOf(ctx, deps, o.Snap, in.Since, func(section string) bool {
		shown := in.Verbose && (section == "beads" || section == "agent_mail")
		return shown || in.shows(section) || section == "events" && in.Since.String() != ""
	})
	if err != nil {
		return err
	}
	o.OpenAlerts, o.Events, o.Tools, o.Budgets = s.Alerts, s.Events, s.Tools, s.Budgets
	o.Beads, o.AgentMail = s.Beads, s.AgentMail
	o.changedSince = s.changedSince
	s.narrow(o.Snap, in.Since, &o.Sessions, &o.Panes, &o.Details, &o.OpenAlerts)
	if in.shows("needs") {
		o.Needs = needRows(o.Snap, runningSessions(deps.Env, in.Session))
	}
	if in.shows("prompts") {
		today, err := promptsSince(ctx, deps.Env, in.Session)
		o.Prompts = &today
		return err
	}
	return nil
}

// warning says what was left behind; empty for nothing.
func (o statusOut) warning() string {
	if len(o.Leftovers) == 0 {
		return ""
	}
	first := o.Leftovers[0]
	return fmt.Sprintf("%s of agents whose pane is gone: %d (%s) of %s in %s", leftRuns(len(o.Leftovers)), first.PID,
		first.Name, first.Agent, first.Session)
}

// unkept says that agents at a limit wait although they are to continue.
const unkept = "agents at a limit continue only while a dashboard, 'cupola watch' or a server runs, and none does"

// leftRuns counts processes that keep running.
func leftRuns(n int) string {
	if n == 1 {
		return "1 process keeps running"
	}
	return verb.Plural(n, "process") + " keep running"
}

func (o statusOut) Hints() *registry.Hints {
	hints, s := verb.PageHints(o.Pagination), o.Summary
	hints.Summary = fmt.Sprintf("%s, %s", verb.Plural(s.Sessions, "session"), verb.Plural(s.Agents, "agent"))
	states := verb.Listed(
		verb.Counted{N: s.Working, What: "working"},
		verb.Counted{N: s.Waiting, What: "waiting"},
		verb.Counted{N: s.Limited, What: "limited"},
		verb.Counted{N: s.Error, What: "in error"},
		verb.Counted{N: s.Exited, What: "exited"},
		verb.Counted{N: s.Snoozed, What: "snoozed"},
	)
	if states != "" {
		hints.Summary += ", " + states
	}
	hints.Warnings = append(hints.Warnings, o.lost()...)
	if ran := o.ranUntil(); ran != "" {
		hints.Warnings = append(hints.Warnings, ran)
	}
	if o.unkept {
		hints.Warnings = append(hints.Warnings, unkept)
	}
	if warning := o.warning(); warning != "" {
		hints.Warnings = append(hints.Warnings, warning)
	}
	return hints
}

func (o statusOut) Next() []registry.Action {
	next := o.nextOfPanes()
	if o.ranUntil() != "" {
		restore := verb.NextAction("restore", "See what would be started again", "restore", "--dry-run")
		next = append([]registry.Action{restore}, next...)
	}
	for _, row := range o.Panes {
		if row.Maybe != "" {
			next = append(next, verb.NextAction("adopt", row.Address()+" probably holds an agent: adopt it if it does",
				"adopt", row.Address(), "--kind="+string(row.Maybe), "--dry-run"))
			break
		}
	}
	if slices.ContainsFunc(o.Panes, overviewShown) {
		next = append(next, verb.NextAction("background", "List the sessions that run in the background", "background"))
	}
	if len(o.Leftovers) > 0 {
		next = append(next, verb.NextAction("leftovers", "See which processes of agents that are gone would be ended",
			"kill", o.Leftovers[0].Session, "--leftovers", "--dry-run"))
	}
	return next
}

func (o statusOut) nextOfPanes() []registry.Action {
	if o.Summary.Sessions == 0 && o.Alerts.Critical > 0 {
		return verb.NextOnly("attention", "See what was lost, and what to do about it", "attention")
	}
	if o.Summary.Sessions == 0 {
		return verb.NextOnly("spawn",
			"Start a session with a scripted agent, to try things (--spawn-cc=1 starts Claude Code)", "spawn", "demo",
			"--agents=scripted=1")
	}
	var actions []registry.Action
	for _, row := range o.Panes {
		if row.State == core.Waiting && row.SnoozedUntil.IsZero() {
			return verb.NextOnly("attention", row.Session+" has an agent that waits: see what it asks", "attention")
		}
		if len(actions) == 0 && row.Agent != "" &&
			(row.State == core.Exited || row.State == core.Errored) {
			actions = append(actions,
				verb.NextAction("look", row.Session+" has an agent that is "+string(row.State), "tail", row.Address()))
		}
	}
	return actions
}

// Terse returns the fleet in one line.
func (o statusOut) Terse() string { return terseLine(o.Snap) }

// Markdown returns the fleet as tables.
func (o statusOut) Markdown() string { return markdownPage(o.Snap, markdownIn{}) }

func (o statusOut) Report() *report.Report {
	r := &report.Report{}
	if o.Summary.Sessions == 0 {
		return o.warn(o.addBackground(emptyReport(r, o.Filters.Session)))
	}
	s := o.Summary
	head := report.Line{
		report.Toned(report.Strong, verb.Plural(s.Sessions, "session")), report.Text(" · "),
		report.Text(verb.Plural(s.Agents, "agent")),
	}
	counts := o.Snap.Counts()
	for _, state := range core.ShownStates {
		if n := counts.Shown(state); n > 0 {
			head = append(head, report.Text(" · "),
				report.Toned(report.StateTone(state), fmt.Sprintf("%d %s", n, state)))
		}
	}
	if counts.Snoozed > 0 {
		head = append(head, report.Text(" · "), report.Toned(report.Warn, fmt.Sprintf("%d snoozed", counts.Snoozed)))
	}
	r.AddLine(head...).AddRows("", verb.ShownPanes(o.Snap, o.Panes), o.Snap.Taken)
	o.addBackground(r)
	first := o.Panes[0].Session
	if at := slices.IndexFunc(o.Panes, func(row verb.PaneRow) bool { return row.Agent != "" }); at >= 0 {
		first = o.Panes[at].Session
		r.Next = []report.Tip{
			verb.Tip("read what its agents show", "tail", first),
			verb.Tip("send a prompt to its agents", "send", first, "your prompt"),
		}
	}
	r.Next = append(r.Next, verb.Tip("open it in this terminal", "attach", first))
	return o.warn(r)
}

// addBackground adds the background sessions, if there are any.
func (o statusOut) addBackground(r *report.Report) *report.Report {
	if len(o.Background) > 0 {
		r.AddTable("In the background, in no pane", report.TableOf(o.Background, o.Snap.Taken, ""))
	}
	return r
}

// overviewShown reports whether a pane shows the sessions that its program runs in the background.
func overviewShown(row verb.PaneRow) bool { return row.Role == core.RoleOverview }

// lost says what was lost with a terminal server.
func (o statusOut) lost() []string {
	var lost []string
	for i := range o.Snap.Alerts {
		if a := &o.Snap.Alerts[i]; a.Type == core.AlertEngineLost && a.Open() {
			lost = append(lost, a.Message)
		}
	}
	return lost
}

// ranUntil says what ran until its terminal server ended; empty if nothing did, or if an alert says it.
func (o statusOut) ranUntil() string {
	if len(o.ran) == 0 || len(o.lost()) > 0 {
		return ""
	}
	agents, until := rundir.AgentsUntil(o.ran)
	return verb.RanUntil(agents, len(o.ran), until, o.GeneratedAt) + "; 'cupola restore' brings back what can be"
}

// warn adds what was lost and what was left behind, and the commands that help.
func (o statusOut) warn(r *report.Report) *report.Report {
	for _, lost := range o.lost() {
		r.AddLine(report.Toned(report.Bad, lost))
	}
	if ran := o.ranUntil(); ran != "" {
		r.AddLine(report.Toned(report.Warn, ran))
	}
	if o.unkept {
		r.AddLine(report.Toned(report.Warn, unkept))
	}
	if len(o.ran) > 0 {
		r.Next = append(r.Next, verb.Tip("see what would be started again", "restore", "--dry-run"))
	}
	if warning := o.warning(); warning != "" {
		r.AddLine(report.Toned(report.Warn, warning))
		r.Next = append(r.Next, verb.Tip("end what is left of "+o.Leftovers[0].Session, "kill", o.Leftovers[0].Session,
			"--leftovers"))
	}
	return r
}

func emptyReport(r *report.Report, session string) *report.Report {
	what := "No agents yet."
	if session != "" {
		what = "Nothing in " + session + "."
	}
	r.AddLine(report.Text(what))
	r.Next = []report.Tip{
		verb.Tip("start two Claude Code agents in a session named api", "spawn", "api", "--spawn-cc=2"),
		verb.Tip("start a scripted agent, to try things at no cost", "spawn", "demo", "--agents=scripted=1"),
		verb.Tip("see everything else", "--help"),
	}
	return r
}

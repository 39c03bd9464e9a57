package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/report"
	"cupola/robot/registry"
)

type statusIn struct {
	registry.Page
	registry.OfSession
	registry.Detail
}

type statusOut struct {
	Filters     registry.OfSession `json:"filters,omitzero"`
	GeneratedAt time.Time          `json:"generated_at"`
	// Version is the program's.
	Version  string       `json:"version"`
	Sessions []sessionRow `json:"sessions"`
	// Panes are all panes, session by session, in the order of their ordinals.
	Panes   []paneRow `json:"panes"`
	Summary summary   `json:"summary"`
	// Alerts counts open alerts by severity.
	Alerts     core.AlertCounts `json:"alerts"`
	System     system           `json:"system"`
	Pagination pagination       `json:"pagination"`
	// Details has one row per pane with --verbose: process, folder, geometry, evidence.
	Details []paneDetail `json:"pane_details,omitempty"`
	// Beads has, with --verbose, a row for each project with work items that a session
	// works in, and AgentMail is the program that mail-check asks.
	Beads     []shownProject `json:"beads,omitempty"`
	AgentMail *toolSection   `json:"agent_mail,omitempty"`

	snap *core.Snapshot
}

// system is what Cupola runs on.
type system struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// EngineUp is false when no terminal server runs.
	EngineUp bool `json:"engine_up"`
}

// paneDetail is what --verbose adds to a pane.
type paneDetail struct {
	_       struct{}    `minimal:"pane,command" standard:"pane,pid,command,dir,title,launch"`
	Pane    core.PaneID `json:"pane"`
	PID     int         `json:"pid,omitempty"`
	Command string      `json:"command,omitempty"`
	Dir     string      `json:"dir,omitempty"`
	Title   string      `json:"title"`
	Window  string      `json:"window,omitempty"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
	// AlternateOn is true for full-screen programs.
	AlternateOn bool `json:"alternate_on"`
	// Launch is the command line that Cupola started.
	Launch string `json:"launch,omitempty"`
	// Evidence says what decided the state.
	Evidence []string `json:"evidence"`
}

var status = registry.Define(registry.Spec[onFleet, statusIn, statusOut]{
	Name: "status", Group: groupSee, Short: "List sessions, panes and agents with their states",
	Aliases: []string{
		"sessions", "agents", "panes", "session list", "sessions list", "session show", "session status",
		"agent list", "agents list", "agent status", "pane list", "panes list", "list sessions", "list agents",
		"list panes",
	},
	Long:  "If no tmux server is running, the lists are empty. --limit and --offset page through the panes.",
	Scope: registry.Global, Effect: registry.Reads, List: "panes",
	Examples: []string{"", "--session=api --verbose"},
	Errors:   []core.Code{core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied}, Run: runStatus,
}).SeeAlso("attention", "summary")

func runStatus(ctx context.Context, deps onFleet, in statusIn) (statusOut, error) {
	view := observe.View{Session: in.Session, Dirs: in.Verbose, Brief: !in.Verbose}
	snap, err := deps.fleet.Overview.Snapshot(ctx, view)
	if err != nil {
		return statusOut{}, err
	}
	panes := snap.Panes()
	shown, page := cut(panes, in.Page)
	out := statusOut{
		Filters:     in.OfSession,
		GeneratedAt: snap.Taken, Version: deps.env.Version, Sessions: sessionRows(snap),
		Panes: make([]paneRow, 0, len(shown)), Summary: summarise(snap), Alerts: core.CountAlerts(snap.Alerts),
		Pagination: page.Pagination, System: systemOf(snap), snap: snap,
	}
	for _, pane := range shown {
		out.Panes = append(out.Panes, rowOf(pane))
		if in.Verbose {
			out.Details = append(out.Details, detailOf(pane))
		}
	}
	if in.Verbose {
		out.AgentMail = mailSection(deps.env)
		out.Beads, err = projectsOf(ctx, deps.env, snap)
	}
	return out, err
}

func detailOf(pane *core.Pane) paneDetail {
	return paneDetail{
		Pane: pane.ID, PID: pane.Process.PID, Command: pane.Process.Command, Dir: pane.Process.Dir,
		Title: pane.Title, Window: pane.Window.Name, Width: pane.View.Width, Height: pane.View.Height,
		AlternateOn: pane.View.AlternateOn, Launch: pane.Agent.Launch,
		Evidence: pane.Status.Evidence,
	}
}

func (o statusOut) Hints() *registry.Hints {
	hints, s := pageHints(o.Pagination), o.Summary
	hints.Summary = fmt.Sprintf("%s, %s", plural(s.Sessions, "session"), plural(s.Agents, "agent"))
	states := listed(counted{s.Working, "working"}, counted{s.Waiting, "waiting"}, counted{s.Limited, "limited"},
		counted{s.Error, "in error"},
		counted{s.Exited, "exited"})
	if states != "" {
		hints.Summary += ", " + states
	}
	return hints
}

func (o statusOut) Next() []registry.Action {
	if o.Summary.Sessions == 0 {
		return []registry.Action{nextAction("spawn",
			"Start a session with a scripted agent, to try things (--spawn-cc=1 starts Claude Code)",
			"spawn", "demo", "--agents=scripted=1")}
	}
	var actions []registry.Action
	for _, row := range o.Panes {
		if row.State == core.Waiting {
			return []registry.Action{
				nextAction("attention", row.Session+" has an agent that waits: see what it asks", "attention"),
			}
		}
		if len(actions) == 0 && row.Agent != "" &&
			(row.State == core.Exited || row.State == core.Errored) {
			actions = append(actions,
				nextAction("look", row.Session+" has an agent that is "+string(row.State), "tail", row.Address()))
		}
	}
	return actions
}

// Terse returns the fleet in one line.
func (o statusOut) Terse() string { return terseLine(o.snap) }

// Markdown returns the fleet as tables.
func (o statusOut) Markdown() string { return markdownPage(o.snap, markdownIn{}) }

func (o statusOut) Report() *report.Report {
	r := &report.Report{}
	if o.Summary.Sessions == 0 {
		return emptyReport(r, o.System.EngineUp, o.Filters.Session)
	}
	s := o.Summary
	head := report.Line{
		report.Toned(report.Strong, plural(s.Sessions, "session")), report.Text(" · "),
		report.Text(plural(s.Agents, "agent")),
	}
	for _, state := range core.States {
		if n := o.snap.Counts().ByState[state]; n > 0 {
			head = append(head, report.Text(" · "),
				report.Toned(report.StateTone(state), fmt.Sprintf("%d %s", n, state)))
		}
	}
	r.AddLine(head...).AddRows("", shownPanes(o.snap, o.Panes), o.snap.Taken)
	first := o.Panes[0].Session
	if at := slices.IndexFunc(o.Panes, func(row paneRow) bool { return row.Agent != "" }); at >= 0 {
		first = o.Panes[at].Session
		r.Next = []report.Tip{
			tip("read what its agents show", "tail", first),
			tip("send a prompt to its agents", "send", first, "your prompt"),
		}
	}
	r.Next = append(r.Next, tip("open it in this terminal", "attach", first))
	return r
}

func emptyReport(r *report.Report, up bool, session string) *report.Report {
	what := "No session yet."
	switch {
	case session != "":
		what = "Nothing in " + session + "."
	case !up:
		what = "No tmux server is running, so there is no session yet."
	}
	r.AddLine(report.Text(what))
	r.Next = []report.Tip{
		tip("start two Claude Code agents in a session named api", "spawn", "api", "--spawn-cc=2"),
		tip("start a scripted agent, to try things at no cost", "spawn", "demo", "--agents=scripted=1"),
		tip("see everything else", "--help"),
	}
	return r
}

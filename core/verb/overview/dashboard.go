package overview

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/fleet/observe"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type dashboardIn struct {
	registry.OfSession
	registry.Page `default:"limit=10"`
}

type dashboardOut struct {
	Filters     registry.OfSession `json:"filters,omitzero"`
	GeneratedAt time.Time          `json:"generated_at"`
	Summary     verb.Summary       `json:"summary"`
	Alerts      core.AlertCounts   `json:"alerts"`
	// PromptsToday counts what was sent since midnight, UTC.
	PromptsToday promptsToday `json:"prompts_today"`
	// Needs are the agents that need the user, the most urgent first, NeedsTotal counts all.
	// The page is one of this list.
	Needs      []needRow `json:"needs" minimal:"session,ordinal,reason,command"`
	NeedsTotal int       `json:"needs_total"`
	// Sessions has one line per session, whatever the page.
	Sessions []dashboardRow `json:"sessions"`
	System   verb.System    `json:"system"`
	verb.Paged

	// Snap is the snapshot that the answer was made of.
	Snap *core.Snapshot `json:"-"`
	self string
}

// promptsToday counts prompts, and by outcome the panes that they went to.
type promptsToday struct {
	Prompts   int `json:"prompts"`
	Panes     int `json:"pane_count"`
	Delivered int `json:"delivered"`
	Failed    int `json:"failed"`
}

// dashboardRow is a session in one line.
type dashboardRow struct {
	_       struct{} `minimal:"name,agent_count,working,waiting"`
	Session string   `json:"name" table:"SESSION,strong"`
	Agents  int      `json:"agent_count" table:"AGENTS"`
	Working int      `json:"working" table:"WORKING"`
	Waiting int      `json:"waiting" table:"WAITING"`
	Idle    int      `json:"idle" table:"IDLE"`
	// Trouble counts agents that are limited, in error or exited.
	Trouble  int `json:"trouble" table:"TROUBLE"`
	Alerts   int `json:"alert_count" table:"ALERTS"`
	Attached int `json:"attached"`
}

var dashboard = registry.Define(registry.Spec[verb.OnRecords, dashboardIn, dashboardOut]{
	Name: "dashboard", Of: "status --show=needs,prompts", Group: verb.GroupSee,
	Short: "Open the dashboard, or return the numbers it shows",
	Long: "On a terminal it opens the dashboard, as 'cupola' alone does. Otherwise it returns which agents need " +
		"you, and a row for each session. --limit and --offset page through the agents that need you.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true, List: "sessions",
	Examples: []string{"", "--session=api --limit=3"},
	Errors:   dashboardErrors, Run: runDashboard,
}).SeeAlso("status", "attention")

var dashboardErrors = append([]core.Code{core.StoreError, core.StoreLocked, core.MigrationFailed}, verb.Observing...)

func (o dashboardOut) Plan() []string {
	return []string{o.self}
}

func (o dashboardOut) Next() []registry.Action {
	return attentionOut{Needs: o.Needs}.Next()
}

func runDashboard(ctx context.Context, deps verb.OnRecords, in dashboardIn) (dashboardOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true})
	if err != nil {
		return dashboardOut{}, err
	}
	today, err := promptsSince(ctx, deps.Env, in.Session)
	if err != nil {
		return dashboardOut{}, err
	}
	needs := needRows(snap, runningSessions(deps.Env, in.Session))
	shown, page := verb.Cut(needs, in.Page)
	out := dashboardOut{
		Filters:     in.OfSession,
		GeneratedAt: snap.Taken, Summary: verb.Summarise(snap), Alerts: core.CountAlerts(snap.Alerts), Needs: shown,
		NeedsTotal: len(needs), System: verb.SystemOf(snap), Paged: page, Snap: snap,
		PromptsToday: today, self: deps.Env.Self,
	}
	for _, row := range verb.SessionRows(snap) {
		out.Sessions = append(out.Sessions, dashboardRow{
			Session: row.Name, Agents: row.Agents, Working: row.Working, Waiting: row.Waiting, Trouble: row.Trouble,
			Attached: row.Attached, Idle: countState(snap, row.Name, core.Idle), Alerts: countOpen(snap, row.Name),
		})
	}
	return out, nil
}

func countState(snap *core.Snapshot, session string, state core.State) int {
	n := 0
	for _, pane := range snap.Session(session).Agents() {
		if pane.Status.State == state {
			n++
		}
	}
	return n
}

func countOpen(snap *core.Snapshot, session string) int {
	n := 0
	for i := range snap.Alerts {
		if snap.Alerts[i].Session == session && snap.Alerts[i].Open() {
			n++
		}
	}
	return n
}

func (o dashboardOut) Report() *report.Report {
	s, p := o.Summary, o.PromptsToday
	r := report.Say(report.Toned(report.Strong, verb.Plural(s.Sessions, "session")+", "+verb.Plural(s.Agents, "agent")),
		report.Text(fmt.Sprintf(
			": %d working, %d waiting, %d idle; %s today, %d failed", s.Working, s.Waiting, s.Idle,
			verb.Plural(p.Prompts, "prompt"), p.Failed)))
	return r.AddRows("", o.Needs, o.Snap.Taken).
		AddTable("", report.TableOf(o.Sessions, o.Snap.Taken, "no session"))
}

// sidebarWidth is the width of the sidebar, in cells.
const sidebarWidth = 30

type sidebarOut struct {
	dashboardOut

	inTmux bool
}

var sidebar = registry.Define(registry.Spec[verb.OnRecords, dashboardIn, sidebarOut]{
	Name: "sidebar", Of: "status --show=needs,prompts", Group: verb.GroupSee,
	Short: "Open the dashboard as a narrow pane beside the one you work in",
	Long: "Inside tmux it splits the window: the sidebar takes 30 columns at the left, shows needs and states, and " +
		"Enter goes there. Outside tmux the dashboard opens in the terminal. For a key of tmux: bind-key B " +
		"split-window -hbf -l 30 cupola.",
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true, List: "sessions",
	Examples: []string{""}, Errors: dashboardErrors,
	Run: func(ctx context.Context, deps verb.OnRecords, in dashboardIn) (sidebarOut, error) {
		shown, err := runDashboard(ctx, deps, in)
		return sidebarOut{dashboardOut: shown, inTmux: deps.Env.Getenv("TMUX") != ""}, err
	},
}).SeeAlso("status", "attention")

// Plan opens the dashboard beside the pane of the caller or, outside of tmux, in its terminal.
func (o sidebarOut) Plan() []string {
	if !o.inTmux {
		return o.dashboardOut.Plan()
	}
	return append([]string{"tmux", "split-window", "-hbf", "-l", strconv.Itoa(sidebarWidth)}, o.dashboardOut.Plan()...)
}

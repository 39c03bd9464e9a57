package overview

import (
	"cmp"
	"context"
	"slices"

	"cupola/core"
	"cupola/core/agent/background"
	"cupola/core/fleet"
	"cupola/core/fleet/observe"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/agents"
	"cupola/core/verb/health"
	"cupola/core/verb/registry"
)

type attentionIn struct {
	registry.OfSession
	registry.Page `default:"limit=100"`
}

type attentionOut struct {
	Filters registry.OfSession `json:"filters,omitzero"`
	// Needs has one row per agent or alert that needs the user now, the most urgent first.
	Needs  []needRow        `json:"needs"`
	Alerts core.AlertCounts `json:"alerts"`
	// Snoozed counts the agents that are snoozed, and so are not among Needs.
	Snoozed int `json:"snoozed,omitempty"`
	verb.Paged

	// Snap is the snapshot that the answer was made of.
	Snap *core.Snapshot `json:"-"`
}

// needRow describes a need of the user, and where to look.
type needRow struct {
	_ struct{} `minimal:"session,ordinal,reason,asks,command"`
	_ struct{} `standard:"rank,session,ordinal,agent,state,reason,for_s,why,asks,command"`
	_ struct{} `table:"WHERE,AGENT,STATE,SINCE,WHAT IT ASKS OR SHOWS,COMMAND"`
	verb.PaneRow
	// Session and Ordinal name the pane. Of a ceiling that is passed only the session is
	// given, if it is of one.
	Session string `json:"session,omitempty" names:"session"`
	Ordinal *int   `json:"ordinal,omitempty"`
	// Background is the id of a background session, which background-attach takes: it is in no pane.
	Background string `json:"background_id,omitempty"`
	// Rank counts from 1.
	Rank int `json:"rank"`
	// Type is the alert's type.
	Type core.AlertType `json:"type,omitempty"`
	// ForSeconds is how long it has been so.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// Why is the reason in words. Asks is the subject of the question: the command, the file, the question; absent
	// where no dialog is open. Shows is the line that proves the state.
	Why   string `json:"why,omitempty"`
	Asks  string `json:"asks,omitempty" table:"WHAT IT ASKS OR SHOWS,below,flex,or=Shows,or=Why"`
	Shows string `json:"shows,omitempty"`
	// Command shows what is to be decided, or what is wrong. It decides nothing.
	Command string `json:"command,omitempty" names:"command" table:"COMMAND,code"`
}

var attention = registry.Define(registry.Spec[verb.OnFleet, attentionIn, attentionOut]{
	Name: "attention", Group: verb.GroupSee,
	Short: "List agents that need you now", Scope: registry.Global,
	Effect: registry.Reads, OnTerminals: true, List: "needs",
	Deprecated: registry.Prefixed{Prefix: "attention", Flags: []string{"limit"}},
	Examples:   []string{"", "--session=api"},
	Errors:     []core.Code{core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied}, Run: runAttention,
}).SeeAlso("status", "summary")

func runAttention(ctx context.Context, deps verb.OnFleet, in attentionIn) (attentionOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true})
	if err != nil {
		return attentionOut{}, err
	}
	if err := countSpent(ctx, deps.Fleet, snap); err != nil {
		return attentionOut{}, err
	}
	shown, page := verb.Cut(needRows(snap, runningSessions(deps.Env, in.Session)), in.Page)
	return attentionOut{
		Filters: in.OfSession, Needs: shown, Alerts: core.CountAlerts(snap.Alerts),
		Snoozed: snap.Counts().Snoozed, Paged: page, Snap: snap,
	}, nil
}

// Report lists who needs the user, and says how many are snoozed.
func (o attentionOut) Report() *report.Report {
	r := report.TableOf(o.Needs, o.Snap.Taken, "Nothing needs you.").Report()
	if o.Snoozed > 0 {
		r.AddLine(report.Toned(report.Warn, verb.Plural(o.Snoozed, "agent")+" snoozed: 'cupola status' lists them"))
	}
	return r
}

// countSpent lets alerts of ceilings show what was spent: without counting, only the
// share that was passed is known.
func countSpent(ctx context.Context, f *fleet.Fleet, snap *core.Snapshot) error {
	spent := func(a core.Alert) bool { return a.Type == core.AlertBudget && a.Open() }
	if !slices.ContainsFunc(snap.Alerts, spent) {
		return nil
	}
	counted, err := f.Overview.Alerts(ctx, false)
	if err != nil {
		return err
	}
	for i := range snap.Alerts {
		a := &snap.Alerts[i]
		if at := slices.IndexFunc(counted, func(c core.Alert) bool { return c.ID == a.ID }); at >= 0 && spent(*a) {
			a.Message = counted[at].Message
		}
	}
	return nil
}

// needRows returns the panes that need the user now, the most urgent first. Background sessions follow the panes.
func needRows(snap *core.Snapshot, sessions []background.Session) []needRow {
	rows := []needRow{}
	listed := map[core.PaneID]bool{}
	for _, pane := range snap.PanesNeedingUser() {
		listed[pane.ID] = true
		rows = append(rows, needOf(pane, snap))
	}
	for i := range sessions {
		if s := &sessions[i]; s.Status.NeedsUser() {
			rows = append(rows, needOfSession(s, snap))
		}
	}
	for i := range snap.Alerts {
		a := &snap.Alerts[i]
		if command := needing[a.Type]; command != nil && a.Open() {
			rows = append(rows, paneless(a, snap, command(a)))
			continue
		}
		pane := snap.Pane(a.Pane)
		if pane == nil || listed[a.Pane] || a.Severity == core.SeverityInfo || !a.Open() {
			continue
		}
		row := needOf(pane, snap)
		if row.Type = a.Type; a.State != core.Waiting || pane.Status.State != core.Waiting {
			row.Why, row.Command = a.Message, shell.Line("cupola", "tail", pane.Address())
		}
		row.Since, row.ForSeconds = a.FirstSeen, health.Lasted(a.FirstSeen, snap.Taken)
		rows = append(rows, row)
	}
	for i := range rows {
		rows[i].Rank = i + 1
	}
	return rows
}

// needing are the alerts that need the user and are of no pane, with the command that shows what they are about.
var needing = map[core.AlertType]func(*core.Alert) []string{
	core.AlertBudget: func(a *core.Alert) []string {
		if a.Session == "" {
			return []string{"budget"}
		}
		return []string{"budget", "--session=" + a.Session}
	},
	// What ran can be started again.
	core.AlertEngineLost: func(*core.Alert) []string { return []string{"restore", "--dry-run"} },
}

// paneless is the row of an alert that is of no pane.
func paneless(a *core.Alert, snap *core.Snapshot, command []string) needRow {
	return needRow{
		PaneRow: verb.PaneRow{Since: a.FirstSeen}, Session: a.Session, Type: a.Type,
		ForSeconds: health.Lasted(a.FirstSeen, snap.Taken), Why: a.Message,
		Command: shell.Line(append([]string{"cupola"}, command...)...),
	}
}

// needOfSession is the row of a background session.
func needOfSession(s *background.Session, snap *core.Snapshot) needRow {
	return needRow{
		PaneRow: verb.PaneRow{
			PaneRef: core.PaneRef{Kind: s.Kind}, State: s.Status.State, Reason: s.Status.Reason, Since: s.Status.Since,
			Notes: []core.Note{},
		},
		Background: s.ID, ForSeconds: health.Lasted(s.Status.Since, snap.Taken), Shows: s.Name,
		Why:     health.ConditionOf(&core.Pane{Status: s.Status}).Why,
		Command: shell.Line("cupola", "background-attach", s.ID),
	}
}

// where names what needs the user: a pane, a background session, or else what a ceiling is of.
func (r *needRow) where() string {
	if r.Background != "" {
		return "background " + r.Background
	}
	if r.Ordinal == nil {
		return cmp.Or(r.Session, "all sessions")
	}
	return core.AddressOf(r.Session, *r.Ordinal).String()
}

func needOf(pane *core.Pane, snap *core.Snapshot) needRow {
	c := health.ConditionOf(pane)
	row := needRow{
		PaneRow: verb.RowOf(pane), Session: pane.Session, Ordinal: &pane.Ordinal,
		ForSeconds: health.Lasted(pane.Status.Since, snap.Taken), Why: c.Why,
		Asks: pane.Status.Asks, Shows: pane.Status.Shows(), Command: c.Command,
	}
	for i := range snap.Alerts {
		if a := &snap.Alerts[i]; a.Pane == pane.ID && a.State == pane.Status.State {
			row.Type = a.Type
		}
	}
	return row
}

func (o attentionOut) Next() []registry.Action {
	var actions []registry.Action
	for i, row := range o.Needs[:min(verb.MostPlaces, len(o.Needs))] {
		actions = append(
			actions,
			registry.Action{
				Action:      verb.ActionLook,
				Description: row.where() + ": " + row.says(),
				Command:     row.Command,
			},
		)
		if i == 0 {
			actions = append(actions, agents.DialogAnswers(row.where(), row.Reason, row.Asks)...)
		}
	}
	return actions
}

// says returns what it needs in a line.
func (r *needRow) says() string {
	if r.Asks == "" {
		return r.Why
	}
	return r.Why + ": " + r.Asks
}

// Cell names what needs the user in place of a pane.
func (r *needRow) Cell(title string) (report.Cell, bool) {
	if title == "WHERE" {
		return report.Toned(report.Strong, r.where()), true
	}
	return r.PaneRow.Cell(title)
}

type nextIn struct {
	registry.OfSession
	After core.PaneID `help:"The one after this pane, in turn (default: the caller's own)"`
}

type nextOut struct {
	// Address is the pane of the agent; absent where none needs the user and none is done.
	Address string      `json:"address,omitempty" names:"session"`
	State   core.State  `json:"state,omitempty"`
	Reason  core.Reason `json:"reason,omitempty"`
	// Command shows its pane on a person's terminal; absent without one.
	Command string   `json:"command,omitempty" names:"command-line"`
	Argv    []string `json:"argv"`
}

var next = registry.Define(registry.Spec[verb.OnFleet, nextIn, nextOut]{
	Name: "next", Of: "attention --limit=1", Group: verb.GroupSee,
	Short: "Go to the next agent that needs you, or is done",
	Long: "On a terminal it opens its pane; inside tmux it switches there. Called from the pane of one of them, it " +
		"goes to the one after that. For a key of tmux: bind-key N run-shell " +
		`'eval "$(cupola next --after=#{pane_id} --go-template={{.command}})"'.`,
	Scope: registry.Global, Effect: registry.Reads, OnTerminals: true,
	Examples: []string{"", "--session=api"},
	Errors: []core.Code{
		core.EngineUnavailable, core.SessionNotFound, core.PermissionDenied, core.AttachFailed, core.PaneNotFound,
	},
	Run: runNext,
}).SeeAlso("attention", "attach")

func (o nextOut) Plan() []string {
	if len(o.Argv) == 0 {
		return nil
	}
	return o.Argv
}

func (o nextOut) Report() *report.Report {
	if o.Address == "" {
		return report.Say(report.Text("Nothing needs you."))
	}
	return report.Say(report.Text(o.Address+" "+string(o.State)+": "), report.Toned(report.Code, o.Command))
}

func runNext(ctx context.Context, deps verb.OnFleet, in nextIn) (nextOut, error) {
	snap, err := deps.Fleet.Overview.Snapshot(ctx, observe.View{Session: in.Session, Brief: true})
	if err != nil {
		return nextOut{}, err
	}
	panes := snap.PanesNeedingUser()
	for _, pane := range snap.Panes() {
		if pane.IsDone() && !slices.Contains(panes, pane) {
			panes = append(panes, pane)
		}
	}
	after := in.After
	if after == "" && deps.Env.OwnPane != nil {
		after = deps.Env.OwnPane(ctx)
	}
	pane := afterPane(panes, after)
	if pane == nil {
		return nextOut{}, nil
	}
	argv, _, err := deps.Fleet.Launcher.Attach(ctx, string(pane.ID))
	if err != nil {
		return nextOut{}, err
	}
	return nextOut{
		Address: pane.Address(), State: pane.Status.Shown(), Reason: pane.Status.Reason,
		Command: shell.Line(argv...), Argv: argv,
	}, nil
}

// afterPane returns the pane behind another one in turn, the first where that is not among them, and nil for none.
func afterPane(panes []*core.Pane, after core.PaneID) *core.Pane {
	if len(panes) == 0 {
		return nil
	}
	at := slices.IndexFunc(panes, func(p *core.Pane) bool { return p.ID == after })
	return panes[(at+1)%len(panes)]
}

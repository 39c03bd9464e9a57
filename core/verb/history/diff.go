package history

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/fleet/worklog"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type diffIn struct {
	sinceWhen
	registry.Page `default:"limit=100"`
}

type diffOut struct {
	reach
	Session string `json:"session,omitempty" names:"session"`
	changes

	at time.Time
}

// changes are the changes in a time, in a list for each kind of change.
type changes struct {
	// Totals counts all that was found, whatever the page.
	Totals diffTotals `json:"totals"`
	// Every list is cut at the same rows: the numbers of the page belong to the longest.
	verb.Paged
	// States has one row per time an agent changed its state. All lists are the
	// newest first.
	States []stateRow `json:"states" minimal:"at,address,to" standard:"at,address,agent,from,to,reason"`
	// Prompts has one row per prompt.
	Prompts []promptRow `json:"prompts" minimal:"at,addresses,outcome"`
	// Answers has one row per answer that was given to a dialog through Cupola.
	Answers []answerGiven `json:"answers" minimal:"at,address,asks,chosen"`
	Files   []fileRow     `json:"files" minimal:"path,change,agent"`
	Commits []commitRow   `json:"commits"`
	// Alerts has one row per time one was raised, resolved or dismissed.
	Alerts []alertEdge `json:"alerts" minimal:"at,event,subject,message"`
	// Changes has one row per change of a session or pane.
	Changes []changeRow `json:"changes" minimal:"at,type,session,address"`
}

// diffTotals counts the rows of each list.
type diffTotals struct {
	States  int `json:"states"`
	Prompts int `json:"prompts"`
	Answers int `json:"answers"`
	Files   int `json:"files"`
	Commits int `json:"commits"`
	Alerts  int `json:"alerts"`
	Changes int `json:"changes"`
}

// The rows of states, prompts, alerts and changes hold the part of an event or a prompt that each list is
// about, because one answer may list a day.

// stateRow is an agent that came into another state.
type stateRow struct {
	At      time.Time   `json:"at" table:"AGO,dim,ago"`
	Session string      `json:"session,omitempty" names:"session"`
	Address string      `json:"address,omitempty" names:"session" table:"PANE,strong"`
	Agent   string      `json:"agent,omitempty" table:"AGENT"`
	From    string      `json:"from" table:"FROM,dim"`
	To      string      `json:"to" table:"TO,state,flex,with=Reason"`
	Reason  core.Reason `json:"reason,omitempty"`
	Message string      `json:"message,omitempty"`
}

// promptRow is a prompt and its outcome.
type promptRow struct {
	ID      string       `json:"id"`
	At      time.Time    `json:"at" table:"AGO,dim,ago"`
	Session string       `json:"session,omitempty" names:"session"`
	Panes   []string     `json:"addresses" names:"session" table:"TO,strong"`
	Agents  []string     `json:"agent_names"`
	Origin  string       `json:"origin"`
	Outcome core.Outcome `json:"outcome" table:"OUTCOME"`
	Text    string       `json:"text" table:"TEXT,oneline,flex"`
}

// commitRow is a commit. What does not apply is empty.
type commitRow struct {
	_       struct{}  `minimal:"commit,subject,agent" table:"AGO,COMMIT,BY,SUBJECT"`
	Tree    string    `json:"tree"`
	Commit  string    `json:"commit" table:"COMMIT,code,format=%.9s"`
	At      time.Time `json:"at" table:"AGO,dim,ago"`
	Author  string    `json:"author"`
	Subject string    `json:"subject" table:"SUBJECT,flex"`
	Files   int       `json:"file_count"`
	// Session, Address and Agent name its owner, and By how that is known, as in files.
	Session string `json:"session,omitempty" names:"session"`
	Address string `json:"address,omitempty" names:"session" table:"BY,or=Author"`
	Agent   string `json:"agent,omitempty"`
	By      string `json:"by,omitempty"`
}

// alertEdge is a change of an alert.
type alertEdge struct {
	At time.Time `json:"at" table:"AGO,dim,ago"`
	// Event is raised, resolved or dismissed.
	Event    string         `json:"event" table:"WHAT"`
	ID       string         `json:"id"`
	Type     core.AlertType `json:"type"`
	Severity core.Severity  `json:"severity" table:"SEVERITY,word"`
	Subject  string         `json:"subject" names:"session" table:"WHERE,strong"`
	Session  string         `json:"session,omitempty" names:"session"`
	Message  string         `json:"message,omitempty" table:"MESSAGE,flex"`
}

// changeRow is a change of a session or pane.
type changeRow struct {
	_       struct{}       `table:"AGO,WHERE,AGENT,WHAT"`
	At      time.Time      `json:"at" table:"AGO,dim,ago"`
	Type    core.EventType `json:"type" table:"WHAT,word,flex"`
	Session string         `json:"session,omitempty" names:"session"`
	Address string         `json:"address,omitempty" names:"session" table:"WHERE,strong,or=Session"`
	Agent   string         `json:"agent,omitempty" table:"AGENT"`
	From    string         `json:"from,omitempty"`
	To      string         `json:"to,omitempty"`
	Message string         `json:"message,omitempty"`
}

// lookingBack are the error codes of summary and diff.
var lookingBack = append([]core.Code{core.SessionNotFound, core.StoreError, core.StoreLocked, core.MigrationFailed},
	core.EngineUnavailable, core.PermissionDenied)

var diff = registry.Define(registry.Spec[verb.OnRecords, diffIn, diffOut]{
	Name: "diff", Of: "summary --changes", Group: verb.GroupSee,
	Short: "List what changed since a time or revision: states, prompts, answers, files, commits, alerts",
	Long: "Read from the records and from git. Events are recorded only while a dashboard, a watch or another " +
		"long-lived Cupola runs; if some may be missing, complete is false. --limit and --offset cut every list " +
		"equally; total_matches and count belong to the longest.",
	Scope: registry.Global, Effect: registry.Reads, List: "states",
	Deprecated: registry.Prefixed{Prefix: "diff", Flags: []string{"since"}},
	Examples:   []string{"", "--session=api --since=24h --limit=20"},
	Errors:     lookingBack, Run: runDiff,
}).SeeAlso("summary", "status")

func runDiff(ctx context.Context, deps verb.OnRecords, in diffIn) (diffOut, error) {
	h, err := happenedSince(ctx, deps, in.sinceWhen)
	if err != nil {
		return diffOut{}, err
	}
	return diffOut{reach: h.reach(), Session: in.Session, changes: h.changes(in.Page), at: h.to}, nil
}

// changes lists a page of what changed.
func (h *happened) changes(page registry.Page) changes {
	out := changes{
		Answers: answersOf(h.answers), Files: core.Map(h.work.Files, fileRowOf),
		Commits: core.Map(h.work.Commits, commitRowOf),
	}
	for i := len(h.events) - 1; i >= 0; i-- {
		out.event(&h.events[i])
	}
	for _, row := range slices.Backward(historyRows(h.prompts)) {
		out.Prompts = append(out.Prompts,
			promptRow{row.ID, row.At, row.Session, row.Panes, row.Agents, row.Origin, row.Outcome, row.Text})
	}
	out.Totals = diffTotals{
		len(out.States), len(out.Prompts), len(out.Answers), len(out.Files), len(out.Commits),
		len(out.Alerts), len(out.Changes),
	}
	out.cut(page)
	return out
}

// event adds a row for an event to the list that it belongs to.
func (o *changes) event(e *core.Event) {
	switch e.Type {
	case core.StateChanged:
		// Of a note or reason that changes, the list of states says nothing.
		if e.From == e.To {
			return
		}
		o.States = append(o.States,
			stateRow{e.At, e.Session, e.Pane, e.Agent, e.From, e.To, e.Reason, e.Message})
	case core.AlertRaised, core.AlertResolved, core.AlertDismissed:
		if a := e.Alert; a != nil {
			o.Alerts = append(o.Alerts,
				alertEdge{
					e.At, string(e.Type)[len("alert_"):], a.ID, a.Type, a.Severity,
					a.Subject, a.Session, a.Message,
				})
		}
	case core.PaneRetitled, core.KeeperChanged, core.Resynced:
	default:
		o.Changes = append(o.Changes, changeRow{
			At: e.At, Type: e.Type, Session: e.Session, Address: e.Pane, Agent: e.Agent,
			From: e.From, To: e.To, Message: e.Message,
		})
	}
}

// cut leaves a page of each list.
func (o *changes) cut(page registry.Page) {
	part(o, &o.States, page)
	part(o, &o.Prompts, page)
	part(o, &o.Answers, page)
	part(o, &o.Files, page)
	part(o, &o.Commits, page)
	part(o, &o.Alerts, page)
	part(o, &o.Changes, page)
}

// part leaves a page of one list, and records it if no other is longer.
func part[T any](o *changes, rows *[]T, page registry.Page) {
	shown, p := verb.Cut(*rows, page)
	if *rows = shown; p.TotalMatches >= o.TotalMatches {
		o.Paged = p
	}
}

func commitRowOf(c worklog.CommitMade) commitRow {
	row := commitRow{
		Tree: c.Tree, Commit: c.Hash, At: c.At, Author: c.Author, Subject: c.Subject(), Files: len(c.Files) + c.Left,
		Session: c.Session, Agent: c.Agent, By: c.By,
	}
	if c.Pane != "" {
		row.Address = c.Address()
	}
	return row
}

// Report shows each list that has rows.
func (o diffOut) Report() *report.Report {
	return o.show((&report.Report{}).Add(o.shown()), o.at)
}

// show adds each list that has rows to a report.
func (o *changes) show(r *report.Report, now time.Time) *report.Report {
	before := len(r.Blocks)
	for _, list := range []struct {
		heading     string
		rows        any
		shown, made int
	}{
		{"States", o.States, len(o.States), o.Totals.States},
		{"Prompts", o.Prompts, len(o.Prompts), o.Totals.Prompts},
		{"Answers", o.Answers, len(o.Answers), o.Totals.Answers},
		{"Files", o.Files, len(o.Files), o.Totals.Files},
		{"Commits", o.Commits, len(o.Commits), o.Totals.Commits},
		{"Alerts", o.Alerts, len(o.Alerts), o.Totals.Alerts},
		{"Sessions and panes", o.Changes, len(o.Changes), o.Totals.Changes},
	} {
		r.AddRows(headed(o.Paged, list.heading, list.shown, list.made), list.rows, now)
	}
	if len(r.Blocks) == before {
		nothing := "Nothing changed."
		if o.TotalMatches > 0 {
			nothing = "No list has that many rows."
		}
		r.AddLine(report.Text(nothing))
	}
	return r
}

// headed is the heading of a list, with the part of it that is shown if it is not all.
func headed(p verb.Paged, heading string, shown, total int) string {
	if shown == total {
		return heading
	}
	return fmt.Sprintf("%s (%d to %d of %d, the newest first)", heading, p.Offset+1, p.Offset+shown, total)
}

// shown says which times have records.
func (r reach) shown() report.Block {
	lines := []report.Line{{report.Toned(report.Dim, "Since "+core.Stamp(r.Since))}}
	if !r.Complete {
		lines = append(lines, report.Line{report.Toned(report.Warn, "Events may be missing: "), report.Text(r.Why)})
	}
	return report.Block{Lines: lines}
}

package overview

import (
	"cmp"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// eventRow is an event as lists and streams show it. Its snapshot has the rows of a status, and only
// streams have it and the alert.
type eventRow struct {
	_ struct{} `minimal:"type,session,address,to"`
	core.Event
	// Snapshot is the whole snapshot of a resync.
	Snapshot *resyncSnapshot `json:"snapshot,omitempty"`
}

// resyncSnapshot is the snapshot in a resync, in the rows of a status.
type resyncSnapshot struct {
	GeneratedAt time.Time         `json:"generated_at"`
	Revision    core.Revision     `json:"revision"`
	EngineUp    bool              `json:"engine_up"`
	Sessions    []verb.SessionRow `json:"sessions"`
	Panes       []verb.PaneRow    `json:"panes"`
	Alerts      []alertRow        `json:"alerts"`
}

// eventLineOf is an event as a line of a stream.
func eventLineOf(e *core.Event) eventRow {
	row := eventRow{Event: *e}
	if snap := e.Snapshot; snap != nil {
		row.Snapshot = &resyncSnapshot{
			GeneratedAt: snap.Taken, Revision: snap.Revision, EngineUp: snap.EngineUp,
			Sessions: verb.SessionRows(snap), Alerts: alertRows(snap.Alerts), Panes: core.Map(snap.Panes(), verb.RowOf),
		}
	}
	return row
}

// Report describes the event for people.
func (r eventRow) Report() *report.Report {
	cells := []report.Cell{
		report.Toned(report.Dim, r.At.Local().Format("15:04:05")+"  "),
		report.Text(fmt.Sprintf("%-16s ", r.Type)),
	}
	if where := cmp.Or(r.Pane, r.Session); where != "" {
		cells = append(cells, report.Toned(report.Strong, where+" "))
	}
	if r.Agent != "" {
		cells = append(cells, report.Text(r.Agent+" "))
	}
	switch {
	case r.From != "" && (r.Type == core.PaneClosed || r.Type == core.SessionClosed):
		cells = append(cells, report.Toned(report.Dim, "was in "+r.From+" "))
	case r.From != "" || r.To != "":
		cells = append(cells, report.Toned(report.Dim, r.From+" → "),
			report.Toned(report.StateTone(core.State(r.To)), r.To+" "))
	}
	if snap := r.Event.Snapshot; snap != nil {
		counts := snap.Counts()
		cells = append(cells, report.Text(fmt.Sprintf("%d sessions, %d agents ", counts.Sessions, counts.Agents)))
	}
	if r.Message != "" {
		cells = append(cells, report.Toned(report.Dim, r.Message))
	}
	return report.Say(cells...)
}

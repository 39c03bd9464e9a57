package command

import (
	"fmt"

	"cupola/core"
	"cupola/core/report"
)

// eventRow is an event as lists and streams show it. What does not apply is absent.
type eventRow struct {
	_ struct{} `minimal:"type,session,address,to"`
	// Type says what changed, in the past tense; a resync replaces all that was known.
	Type     string        `json:"type"`
	Revision core.Revision `json:"revision"`
	At       string        `json:"at"`
	// Late is true where nobody saw it happen: At is when it was found.
	Late    bool   `json:"late,omitempty"`
	Session string `json:"session,omitempty"`
	// Foreign is true for a session that holds nothing that Cupola made or adopted.
	Foreign bool `json:"foreign,omitempty"`
	// Address is that of the pane at that moment, Pane its engine id.
	Address string `json:"address,omitempty"`
	Pane    string `json:"pane,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Kind    string `json:"kind,omitempty"`
	// From and To are the states of a state_changed, the names of a session_renamed, the titles of a pane_retitled, or
	// the addresses of a pane_moved. From is the folder that a pane_closed was in, or that a
	// session_closed was made in.
	From   string `json:"from,omitempty"`
	To     string `json:"to,omitempty"`
	Reason string `json:"reason,omitempty"`
	// Message says in words what the fields do not.
	Message string `json:"message,omitempty"`
	// Alert is the alert that was raised, resolved or dismissed; only streams have it.
	Alert *alertRow `json:"alert,omitempty"`
	// Snapshot is the whole picture of a resync; only streams have it.
	Snapshot *picture `json:"snapshot,omitempty"`

	// event is what Report describes; only lines of a stream have it.
	event core.Event
}

// picture is what a resync carries, in the rows of a status.
type picture struct {
	GeneratedAt string        `json:"generated_at"`
	Revision    core.Revision `json:"revision"`
	EngineUp    bool          `json:"engine_up"`
	Sessions    []sessionRow  `json:"sessions"`
	Panes       []paneRow     `json:"panes"`
	Alerts      []alertRow    `json:"alerts"`
}

func eventRowOf(e *core.Event) eventRow {
	return eventRow{
		Type: string(e.Type), Revision: e.Revision, At: stamp(e.At), Late: e.Late, Session: e.Session,
		Foreign: e.Foreign, Address: e.Pane, Pane: string(e.PaneID), Agent: e.Agent, Kind: string(e.Kind), From: e.From,
		To: e.To, Reason: string(e.Reason), Message: e.Message,
	}
}

// eventLineOf is an event as a stream tells of it.
func eventLineOf(e *core.Event) eventRow {
	row := eventRowOf(e)
	row.event = *e
	if e.Alert != nil {
		alert := alertRowOf(e.Alert)
		row.Alert = &alert
	}
	if snap := e.Snapshot; snap != nil {
		row.Snapshot = &picture{
			GeneratedAt: stamp(snap.Taken), Revision: snap.Revision, EngineUp: snap.EngineUp,
			Sessions: sessionRows(snap), Panes: []paneRow{}, Alerts: rowsBy(snap.Alerts, alertRowOf),
		}
		for _, pane := range snap.Panes() {
			row.Snapshot.Panes = append(row.Snapshot.Panes, rowOf(pane))
		}
	}
	return row
}

// Report describes the event for people.
func (r eventRow) Report() *report.Report {
	cells := []report.Cell{
		report.Toned(report.Dim, r.event.At.Local().Format("15:04:05")+"  "),
		report.Text(fmt.Sprintf("%-16s ", r.Type)),
	}
	if where := orElse(r.Address, r.Session); where != "" {
		cells = append(cells, report.Toned(report.Strong, where+" "))
	}
	if r.Agent != "" {
		cells = append(cells, report.Text(r.Agent+" "))
	}
	switch {
	case r.From != "" && (r.event.Type == core.PaneClosed || r.event.Type == core.SessionClosed):
		cells = append(cells, report.Toned(report.Dim, "was in "+r.From+" "))
	case r.From != "" || r.To != "":
		cells = append(cells, report.Toned(report.Dim, r.From+" → "),
			report.Toned(report.StateTone(core.State(r.To)), r.To+" "))
	}
	if snap := r.event.Snapshot; snap != nil {
		counts := snap.Counts()
		cells = append(cells, report.Text(fmt.Sprintf("%d sessions, %d agents ", counts.Sessions, counts.Agents)))
	}
	if r.Message != "" {
		cells = append(cells, report.Toned(report.Dim, r.Message))
	}
	return report.Say(cells...)
}

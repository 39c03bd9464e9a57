package fleettest

import (
	"time"

	"cupola/core"
)

// WaitingSnapshot is a snapshot with an agent that waits for an approval.
func WaitingSnapshot() *core.Snapshot {
	snapshot := Snapshot(core.Session{Name: "api", Panes: []core.Pane{{ID: "%1", Session: "api", Ordinal: 1}}})
	pane := snapshot.Panes()[0]
	pane.Agent = core.Agent{Name: "cc_1", Kind: "claude"}
	pane.Status = core.Status{
		State: core.Waiting, Reason: core.ReasonApproval, Since: Noon,
		Evidence: []string{"screen approval: touch x?"},
	}
	return snapshot
}

// Dawn is when the sessions of fixtures were made.
var Dawn = time.Date(2026, 1, 2, 6, 0, 0, 0, time.UTC)

// Pane makes a pane from ordinal, id and what a test changes in it.
func Pane(ordinal int, id string, change func(*core.Pane)) core.Pane {
	p := core.Pane{
		ID: core.PaneID(id), Ordinal: ordinal, Window: core.Window{ID: core.WindowID("@" + id[1:])},
		Status: core.Status{State: core.Unknown},
	}
	if change != nil {
		change(&p)
	}
	return p
}

// Session makes a session of panes.
func Session(id, name string, panes ...core.Pane) core.Session {
	for i := range panes {
		panes[i].Session = name
	}
	return core.Session{ID: core.SessionID(id), Name: name, Created: Dawn, Panes: panes}
}

// Snapshot makes a snapshot of sessions.
func Snapshot(sessions ...core.Session) *core.Snapshot {
	return &core.Snapshot{EngineUp: true, Sessions: sessions, Alerts: []core.Alert{}}
}

// Claude makes a pane hold an agent of the kind claude in a state.
func Claude(state core.State) func(*core.Pane) {
	return func(p *core.Pane) {
		p.Agent = core.Agent{Name: "cc_1", Kind: "claude"}
		p.Status.State = state
	}
}

// EventLines returns events as short lines, for comparison.
func EventLines(events []core.Event) []string {
	lines := []string{}
	for _, e := range events {
		line := string(e.Type)
		for _, field := range []string{e.Session, e.Pane, e.Agent, e.From, e.To, string(e.Reason), e.Message} {
			line += "|" + field
		}
		lines = append(lines, line)
	}
	return lines
}

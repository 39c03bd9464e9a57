package command

import (
	"context"
	"math"
	"runtime"
	"time"

	"cupola/core"
	"cupola/core/report"
)

// paneRow is a pane as all answers show it. What is not known, or does not apply, is absent. It
// holds less than core.SeenPane: what proves a state is left to the verbs that are about it.
type paneRow struct {
	_ struct{} `minimal:"session,ordinal,state" standard:"session,ordinal,pane,agent,kind,state,reason,since"`
	core.PaneRef
	// State is unknown, starting, idle, working, waiting, limited, error or exited, as last observed.
	State core.State `json:"state,omitempty"`
	// Reason says why, from a closed list for each state.
	Reason core.Reason `json:"reason,omitempty"`
	// Since is when the state began.
	Since time.Time `json:"since,omitzero" table:"SINCE,dim,ago"`
	// Notes are what else is true.
	Notes []core.Note `json:"notes" table:"NOTES,warn"`
}

// Cell shows a pane by its address, what runs in it, and its state.
func (r *paneRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "PANE":
		return report.Toned(report.Strong, r.Address()), true
	case "AGENT":
		if r.Agent == "" {
			return report.Toned(report.Dim, "user"), true
		}
		return report.Text(r.Agent), true
	case "KIND":
		return report.Toned(report.Dim, string(r.Kind)), true
	case "MODEL":
		return report.Toned(report.Dim, r.Variant), true
	case "STATE":
		if r.State == "" {
			return report.Toned(report.Dim, "-"), true
		}
		return report.State(core.Status{State: r.State, Reason: r.Reason, Notes: r.Notes}), true
	}
	return report.Cell{}, false
}

func rowOf(pane *core.Pane) paneRow { return rowAt(pane.Ref(), &pane.Status) }

// rowAt is the row of a pane with the status that was seen there.
func rowAt(ref core.PaneRef, status *core.Status) paneRow {
	return paneRow{
		PaneRef: ref, State: status.State, Reason: status.Reason, Since: status.Since, Notes: status.Notes,
	}
}

// rowsOf are the rows of panes as they were seen.
func rowsOf(panes []core.SeenPane) []paneRow {
	rows := make([]paneRow, len(panes))
	for i := range panes {
		rows[i] = rowAt(panes[i].PaneRef, &panes[i].Status)
	}
	return rows
}

// rowsBy makes a row of each of some things.
func rowsBy[T, R any](things []T, row func(*T) R) []R {
	rows := make([]R, len(things))
	for i := range things {
		rows[i] = row(&things[i])
	}
	return rows
}

// sessionRow is a session as lists show it.
type sessionRow struct {
	_    struct{} `minimal:"name,agent_count" standard:"name,created_at,pane_count,agent_count,working,waiting,trouble"`
	Name string   `json:"name"`
	// ID is the engine's id, such as $3.
	ID        core.SessionID `json:"id"`
	CreatedAt time.Time      `json:"created_at"`
	// Attached counts the terminals that show the session now.
	Attached int `json:"attached"`
	// Foreign is true for sessions that Cupola did not make.
	Foreign bool `json:"foreign"`
	Panes   int  `json:"pane_count"`
	Agents  int  `json:"agent_count"`
	Working int  `json:"working"`
	Waiting int  `json:"waiting"`
	// Trouble counts agents that are limited, in error or exited.
	Trouble int `json:"trouble"`
}

func sessionRows(snap *core.Snapshot) []sessionRow {
	rows := make([]sessionRow, 0, len(snap.Sessions))
	for i := range snap.Sessions {
		s := &snap.Sessions[i]
		row := sessionRow{
			Name: s.Name, ID: s.ID, CreatedAt: s.Created, Attached: s.Attached,
			Foreign: s.Foreign, Panes: len(s.Panes),
		}
		for _, pane := range s.Agents() {
			row.Agents++
			switch pane.Status.State {
			case core.Working:
				row.Working++
			case core.Waiting:
				row.Waiting++
			case core.Limited, core.Errored, core.Exited:
				row.Trouble++
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// summary is the fleet in numbers. The states count agents.
type summary struct {
	Sessions int `json:"session_count"`
	Panes    int `json:"pane_count"`
	Agents   int `json:"agent_count"`
	Working  int `json:"working"`
	Waiting  int `json:"waiting"`
	Idle     int `json:"idle"`
	Limited  int `json:"limited"`
	Error    int `json:"error"`
	Starting int `json:"starting"`
	Exited   int `json:"exited"`
	Unknown  int `json:"unknown"`
}

func summarise(snap *core.Snapshot) summary { return summaryOf(snap.Counts()) }

func summaryOf(c core.Counts) summary {
	by := c.ByState
	return summary{
		Sessions: c.Sessions, Panes: c.Panes, Agents: c.Agents, Working: by[core.Working], Waiting: by[core.Waiting],
		Idle: by[core.Idle], Limited: by[core.Limited], Error: by[core.Errored], Starting: by[core.Starting],
		Exited: by[core.Exited], Unknown: by[core.Unknown],
	}
}

// rounded leaves so many digits of a number behind the point as are worth showing.
func rounded(n float64, digits int) float64 {
	grain := math.Pow10(digits)
	return math.Round(n*grain) / grain
}

// within bounds how long something takes; 0 does not.
func within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

func systemOf(snap *core.Snapshot) system {
	return system{OS: runtime.GOOS, Arch: runtime.GOARCH, EngineUp: snap.EngineUp}
}

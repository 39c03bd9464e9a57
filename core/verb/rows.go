package verb

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/text/report"
)

// PaneRow is a pane as all answers show it. What is not known, or does not apply, is absent. It
// holds less than core.SeenPane: what proves a state is left to the verbs that are about it.
type PaneRow struct {
	_ struct{} `minimal:"session,ordinal,state" standard:"session,ordinal,pane,agent,kind,state,reason,since"`
	core.PaneRef
	// Label is the user's own word for the agent.
	Label string `json:"label,omitempty" table:"LABEL,empty=-"`
	// Role is the agent's part among those that its own program runs: lead or member of a team, or overview, which is
	// no agent but a list of them; absent for one of its own. Team is the team, and Member its name there.
	Role   core.Role `json:"role,omitempty"`
	Team   string    `json:"team,omitempty"`
	Member string    `json:"member,omitempty"`
	// Maybe is the kind of agent that a user pane probably holds; 'adopt --kind' makes it one.
	Maybe core.Kind `json:"maybe,omitempty"`
	// State is unknown, starting, idle, working, waiting, limited, error or exited, as last observed.
	State core.State `json:"state,omitempty"`
	// Reason says why, from a closed list for each state.
	Reason core.Reason `json:"reason,omitempty"`
	// Since is when the state began.
	Since time.Time `json:"since,omitzero" table:"SINCE,dim,ago"`
	// Notes are further facts about the state.
	Notes []core.Note `json:"notes" table:"NOTES,warn"`
	// OnLimit is continue for an agent that continues by itself after a limit, and ContinuesAt when it does so next.
	OnLimit     core.OnLimit `json:"on_limit,omitempty"`
	ContinuesAt time.Time    `json:"continues_at,omitzero"`
	// RuleCount is how many rules approve commands of the agent by themselves; 'answer --rules' lists them.
	RuleCount int `json:"rule_count,omitempty"`
	// Queued is how many prompts wait until the agent is idle; 'queue' lists them.
	Queued int `json:"queued,omitempty"`
	// Pinned is true for an agent that is first in the lists of the dashboard. SnoozedUntil is until when one
	// neither needs its user nor notifies them.
	Pinned       bool      `json:"pinned,omitempty"`
	SnoozedUntil time.Time `json:"snoozed_until,omitzero"`
}

// mostNamed is the most panes that a line names.
const mostNamed = 3

// PanesNamed are the addresses of some panes in a line, or their number where they are many.
func PanesNamed[Row interface{ Address() string }](rows []Row) string {
	if len(rows) > mostNamed {
		return Plural(len(rows), "pane")
	}
	return strings.Join(core.Map(rows, Row.Address), ", ")
}

// Cell shows a pane by its address, what runs in it, and its state.
func (r *PaneRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "PANE":
		return report.Toned(report.Strong, r.Address()), true
	case "AGENT":
		return r.agentCell(), true
	case "KIND":
		words, tone := []string{string(r.Kind)}, report.Dim
		switch {
		case r.Mode.Dangerous():
			words, tone = append(words, "!"+string(r.Mode)), report.Warn
		case r.Mode != "":
			words = append(words, string(r.Mode))
		}
		if r.Sandbox != "" {
			words = append(words, "["+r.Sandbox+"]")
		}
		return report.Toned(tone, strings.Join(words, " ")), true
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

// agentCell describes the content of the pane, in words.
func (r *PaneRow) agentCell() report.Cell {
	switch {
	case r.Maybe != "":
		return report.Toned(report.Dim, "user, maybe "+string(r.Maybe))
	case r.Agent == "":
		return report.Toned(report.Dim, "user")
	}
	return report.Text(r.named())
}

// named is the agent's name with its label and its part in a team.
func (r *PaneRow) named() string {
	name := r.Agent
	if r.Label != "" {
		name = strings.TrimSpace(name + " #" + r.Label)
	}
	if words := r.Role.Words(r.Team); words != "" {
		name += " (" + words + ")"
	}
	if r.Pinned {
		name += ", pinned"
	}
	if words := core.QueuedWords(r.Queued); words != "" {
		name += ", " + words
	}
	if words := core.SnoozedWords(r.SnoozedUntil, time.Now()); words != "" {
		name += ", " + words
	}
	return name
}

// RowOf is the row of a pane.
func RowOf(pane *core.Pane) PaneRow {
	row := RowAt(pane.Ref(), &pane.Status)
	row.Label, row.Maybe = pane.Agent.Label, pane.Agent.Maybe
	row.OnLimit, row.ContinuesAt = pane.Agent.Continues.OnLimit(), pane.ContinuesAt()
	row.RuleCount = len(pane.Agent.LiveRules(time.Now()))
	row.Queued = pane.Agent.Queued
	row.Pinned, row.SnoozedUntil = pane.Agent.Pinned, pane.Agent.Snoozed
	row.Role, row.Team, row.Member = pane.Agent.Role, pane.Agent.Team, pane.Agent.Member
	return row
}

// RowAt is the row of a pane with the status that was seen there.
func RowAt(ref core.PaneRef, status *core.Status) PaneRow {
	return PaneRow{
		PaneRef: ref, State: status.State, Reason: status.Reason, Since: status.Since, Notes: status.Notes,
	}
}

// RowsOf are the rows of panes as they were seen.
func RowsOf(panes []core.SeenPane) []PaneRow {
	return core.Map(panes, func(s core.SeenPane) PaneRow { return RowAt(s.PaneRef, &s.Status) })
}

// SessionRow is a session as lists show it.
type SessionRow struct {
	_    struct{} `minimal:"name,agent_count" standard:"name,created_at,pane_count,agent_count,working,waiting,trouble"`
	Name string   `json:"name" names:"session"`
	// ID is the engine's id, such as $3.
	ID core.SessionID `json:"id"`
	// Engine is the terminal server that has it: tmux, or own for Cupola's own.
	Engine    string    `json:"engine"`
	CreatedAt time.Time `json:"created_at"`
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

// SessionRows are the rows of all sessions of a snapshot.
func SessionRows(snap *core.Snapshot) []SessionRow {
	return core.Map(snap.Sessions, func(s core.Session) SessionRow {
		row := SessionRow{
			Name: s.Name, ID: s.ID, Engine: s.Engine, CreatedAt: s.Created, Attached: s.Attached,
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
		return row
	})
}

// Summary is the fleet in numbers. The states count agents.
type Summary struct {
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
	// Done counts those among Idle that ended a turn not looked at yet.
	Done int `json:"done"`
	// Snoozed counts the agents that neither need the user nor notify them until a time.
	Snoozed int `json:"snoozed,omitempty"`
}

// Summarise counts what is in a snapshot.
func Summarise(snap *core.Snapshot) Summary { return SummaryOf(snap.Counts()) }

// SummaryOf is a count as answers show it.
func SummaryOf(c core.Counts) Summary {
	by := c.ByState
	return Summary{
		Sessions: c.Sessions, Panes: c.Panes, Agents: c.Agents, Working: by[core.Working], Waiting: by[core.Waiting],
		Idle: by[core.Idle], Limited: by[core.Limited], Error: by[core.Errored], Starting: by[core.Starting],
		Exited: by[core.Exited], Unknown: by[core.Unknown], Done: c.Done, Snoozed: c.Snoozed,
	}
}

// Rounded leaves so many digits of a number behind the point as are worth showing.
func Rounded(n float64, digits int) float64 {
	grain := math.Pow10(digits)
	return math.Round(n*grain) / grain
}

// Within bounds how long something takes; 0 does not.
func Within(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return context.WithCancel(ctx)
}

// WithDetails returns an error with the answer of its verb as details. An error without a code stays as it is.
func WithDetails(err error, out any) error {
	known := (*core.Error)(nil)
	if !errors.As(err, &known) {
		return err
	}
	e := *known
	e.Details, e.Err = out, err
	return &e
}

// SystemOf returns the system of the snapshot's maker.
func SystemOf(snap *core.Snapshot) System {
	return System{OS: runtime.GOOS, Arch: runtime.GOARCH, EngineUp: snap.EngineUp}
}

// Observing are the error codes of verbs that observe selected agents.
var Observing = []core.Code{
	core.EngineUnavailable, core.SessionNotFound, core.PaneNotFound, core.AgentNotFound, core.Ambiguous,
	core.PermissionDenied,
}

// System is the system that Cupola runs on.
type System struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	// EngineUp is false when no terminal server runs.
	EngineUp bool `json:"engine_up"`
}

// PaneDetail holds the fields that --verbose adds to a pane.
type PaneDetail struct {
	_       struct{}    `minimal:"pane,command" standard:"pane,pid,command,dir,title,launch"`
	Pane    core.PaneID `json:"pane"`
	PID     int         `json:"pid,omitempty"`
	Command string      `json:"command,omitempty" names:"command-line"`
	Dir     string      `json:"dir,omitempty"`
	Title   string      `json:"title"`
	Window  string      `json:"window,omitempty"`
	Width   int         `json:"width"`
	Height  int         `json:"height"`
	// AlternateOn is true for full-screen programs.
	AlternateOn bool `json:"alternate_on"`
	// Launch is the command line that Cupola started.
	Launch string `json:"launch,omitempty"`
	// Recognised is the evidence for the agent's kind: tag, process, or signs if several agree. Signs are the signs,
	// the strongest first, and Confidence is their reliability, from 0 to 1.
	Recognised string            `json:"recognised,omitempty"`
	Signs      []core.SignSource `json:"signs,omitempty"`
	Confidence float64           `json:"confidence,omitempty"`
	// Evidence is the sign that decided the state.
	Evidence []string `json:"evidence"`
}

// DetailOf returns the details of a pane that are shown on demand only.
func DetailOf(pane *core.Pane) PaneDetail {
	return PaneDetail{
		Pane: pane.ID, PID: pane.Process.PID, Command: pane.Process.Command, Dir: pane.Process.Dir,
		Title: pane.Title, Window: pane.Window.Name, Width: pane.View.Width, Height: pane.View.Height,
		AlternateOn: pane.View.AlternateOn, Launch: pane.Agent.Launch,
		Recognised: pane.Agent.Recognised, Signs: pane.Agent.Signs, Confidence: pane.Agent.Confidence,
		Evidence: pane.Status.Evidence,
	}
}

package health

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// agentRow is all that is known of how one agent fares.
type agentRow struct {
	_ struct{} `minimal:"session,ordinal,health" standard:"session,ordinal,agent,health,state,recommendation,why"`
	_ struct{} `table:"PANE,AGENT,HEALTH,STATE,SINCE,DO,WHY"`
	verb.PaneRow
	Health string `json:"health" table:"HEALTH,word"`
	workingState
	remedy
	// Confidence is how sure the evidence makes the state, from 0 to 1, and Evidence the signal that weighed most.
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidence"`
	outputRate
}

// remedy is why an agent fares as it does, and what helps.
type remedy struct {
	// ForSeconds is how long the state has held.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	Why      string    `json:"why,omitempty" table:"WHY,dim,flex"`
	// Command is the remedy; absent where nothing is wrong.
	Command string `json:"command,omitempty" names:"command-line"`
}

// workingState says whether an agent works, and what that means for others.
type workingState struct {
	// Working is true while it works or starts, Ready while it can take a prompt, NeedsUser while it cannot continue
	// without a person.
	Working   bool `json:"working"`
	Ready     bool `json:"ready"`
	NeedsUser bool `json:"needs_someone"`
	// Recommendation is one word of advice: the Advice of a Condition.
	Recommendation string `json:"recommendation" table:"DO"`
}

// outputRate is how fast an agent writes; a figure that is not known is absent.
type outputRate struct {
	// LinesPerMinute is how many lines of its screen are new in a minute, TokensPerMinute
	// how many tokens it wrote in each of the last five: lines
	// are of agents that a keeper watches, tokens of those with a transcript.
	LinesPerMinute  verb.MaybeNumber `json:"lines_per_min,omitzero" table:"LINES/MIN,format=%.0f,empty=-"`
	TokensPerMinute verb.MaybeNumber `json:"tokens_per_min,omitzero" table:"TOKENS/MIN,format=%.0f,empty=-"`
}

// agentRowOf judges an agent's pane. Its rate is not known.
func agentRowOf(pane *core.Pane, snap *core.Snapshot) agentRow {
	c, state := ConditionOf(pane), pane.Status.State
	row := agentRow{
		PaneRow: verb.RowOf(pane), Health: c.Health,
		remedy: remedy{Lasted(pane.Status.Since, snap.Taken), pane.Status.ResetsAt, c.Why, c.Command},
		workingState: workingState{
			Working: state == core.Working || state == core.Starting, Ready: state == core.Idle,
			NeedsUser: pane.NeedsUser(), Recommendation: c.Advice,
		},
		Confidence: pane.Status.Confidence, outputRate: outputRate{-1, -1},
	}
	if len(pane.Status.Evidence) > 0 {
		row.Evidence = pane.Status.Evidence[:1]
	}
	return row
}

// Cell shows what to do with the agent, the more urgent the louder.
func (r *agentRow) Cell(title string) (report.Cell, bool) {
	if title == "DO" {
		return r.shown(), true
	}
	return r.PaneRow.Cell(title)
}

type isWorkingIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Detail
}

type isWorkingOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Working is true if any of the agents works; Idle if all of them can take a
	// prompt now.
	Working bool `json:"working"`
	Idle    bool `json:"idle"`
	// Panes has one row per agent.
	Panes   []isWorkingRow `json:"panes" empty:"no agent here"`
	Summary verb.Summary   `json:"summary"`
	// Details has one row per agent with --verbose, as agent-health has.
	Details []agentDetail `json:"agent_details,omitempty"`
}

// isWorkingRow says whether one agent works, and what that means for others.
type isWorkingRow struct {
	_ struct{} `minimal:"session,ordinal,working" table:"PANE,AGENT,STATE,DO,WHY"`
	_ struct{} `standard:"session,ordinal,agent,state,working,ready,recommendation"`
	verb.PaneRow
	workingState
	Why string `json:"why,omitempty" table:"WHY,dim,flex"`
}

var isWorking = registry.Define(registry.Spec[verb.OnFleet, isWorkingIn, isWorkingOut]{
	Name: "is-working", Of: "health --show=agents", Group: verb.GroupSee,
	Short: "Say whether agents are working, and whether they may be interrupted",
	Scope: registry.Session, Effect: registry.Reads, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "is-working", Flags: []string{"verbose"}}, Schema: "is_working",
	Examples: []string{"api", "api.1"},
	Errors:   verb.Observing, Run: runIsWorking,
}).SeeAlso("wait", "tail")

func runIsWorking(ctx context.Context, deps verb.OnFleet, in isWorkingIn) (isWorkingOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return isWorkingOut{}, err
	}
	out := isWorkingOut{
		Filters: verb.Echo(target), Idle: len(panes) > 0, Panes: make([]isWorkingRow, 0, len(panes)),
		Summary: summariseOf(panes),
	}
	for _, pane := range panes {
		row := agentRowOf(pane, snap)
		out.Panes = append(out.Panes, isWorkingRow{PaneRow: row.PaneRow, workingState: row.workingState, Why: row.Why})
		if in.Verbose {
			out.Details = append(out.Details, agentDetailOf(pane))
		}
		out.Working = out.Working || row.Working
		out.Idle = out.Idle && row.Ready
	}
	return out, nil
}

// Cell shows what to do with the agent, the more urgent the louder.
func (r *isWorkingRow) Cell(title string) (report.Cell, bool) {
	if title != "DO" {
		return r.PaneRow.Cell(title)
	}
	return r.shown(), true
}

func (r *workingState) shown() report.Cell {
	switch {
	case r.NeedsUser:
		return report.Toned(report.Bad, r.Recommendation)
	case r.Working:
		return report.Toned(report.Dim, r.Recommendation)
	}
	return report.Toned(report.Good, r.Recommendation)
}

type agentHealthIn struct {
	registry.AnySession
	registry.OfPanes
	registry.Detail
}

type agentHealthOut struct {
	Filters verb.Filters `json:"filters,omitzero"`
	// Health is the worst of the agents': ok, waiting, unknown, degraded, bad or
	// gone; ok where there is none.
	Health string `json:"health"`
	// Panes has one row per agent.
	Panes []agentHealthRow `json:"panes"`
	// Details has one row per agent with --verbose: process, age, evidence.
	Details []agentDetail `json:"agent_details,omitempty"`

	at time.Time
}

// agentHealthRow is how one agent fares.
type agentHealthRow struct {
	_ struct{} `minimal:"session,ordinal,health" standard:"session,ordinal,agent,health,state,reason,why"`
	_ struct{} `table:"PANE,AGENT,HEALTH,STATE,SINCE,WHY"`
	verb.PaneRow
	Health string `json:"health" table:"HEALTH,word"`
	remedy
}

// agentDetail holds the fields that --verbose adds.
type agentDetail struct {
	_       struct{}    `minimal:"pane,program"`
	Pane    core.PaneID `json:"pane"`
	PID     int         `json:"pid,omitempty"`
	Program string      `json:"program,omitempty"`
	// StartedAt is when Cupola started the agent; absent if it did not.
	StartedAt time.Time `json:"started_at,omitzero"`
	// ExitStatus and Signal say how the program ended, where it did.
	ExitStatus verb.MaybeInt `json:"exit_status,omitzero"`
	Signal     int           `json:"signal,omitempty"`
	Confidence float64       `json:"confidence"`
	Evidence   []string      `json:"evidence"`
}

var agentHealth = registry.Define(registry.Spec[verb.OnFleet, agentHealthIn, agentHealthOut]{
	Name: "agent-health", Of: "health --show=agents", Group: verb.GroupSee,
	Short: "Report agents in trouble: limits, errors, full context, ended processes", Scope: registry.Session,
	Effect: registry.Reads, OnTerminals: true, List: "panes",
	Deprecated: registry.Prefixed{Prefix: "agent-health", Flags: []string{"verbose"}}, Schema: "agent_health",
	Examples: []string{"api", "--verbose"},
	Errors:   verb.Observing, Run: runAgentHealth,
}).SeeAlso("attention", "health")

func runAgentHealth(ctx context.Context, deps verb.OnFleet, in agentHealthIn) (agentHealthOut, error) {
	target := verb.TargetOf(in.Session, in.OfPanes, false, nil).ForPrompts()
	snap, panes, err := deps.Chosen(ctx, target)
	if err != nil {
		return agentHealthOut{}, err
	}
	out := agentHealthOut{
		Filters: verb.Echo(target), Health: healthOK, Panes: make([]agentHealthRow, 0, len(panes)), at: snap.Taken,
	}
	for _, pane := range panes {
		row := healthOf(pane, snap)
		out.Health = worst(out.Health, row.Health)
		out.Panes = append(out.Panes, row)
		if in.Verbose {
			out.Details = append(out.Details, agentDetailOf(pane))
		}
	}
	return out, nil
}

func agentDetailOf(pane *core.Pane) agentDetail {
	return agentDetail{
		Pane: pane.ID, PID: pane.Process.PID, Program: pane.Process.Command,
		StartedAt: pane.Agent.Started, ExitStatus: exitOf(&pane.Process), Signal: pane.Process.Signal,
		Confidence: pane.Status.Confidence, Evidence: pane.Status.Evidence,
	}
}

// exitOf is with what a program ended; -1 while it runs, or where a signal ended it.
func exitOf(process *core.Process) verb.MaybeInt {
	if !process.Dead || process.Signal != 0 {
		return -1
	}
	return verb.MaybeInt(process.ExitStatus)
}

func healthOf(pane *core.Pane, snap *core.Snapshot) agentHealthRow {
	row := agentRowOf(pane, snap)
	return agentHealthRow{PaneRow: row.PaneRow, Health: row.Health, remedy: row.remedy}
}

func (o agentHealthOut) Next() []registry.Action {
	return remedies(o.Panes)
}

// remedies are the commands that help, the worst first, at most three.
func remedies(rows []agentHealthRow) []registry.Action {
	const most = 3
	var actions []registry.Action
	for i := len(healths) - 1; i > 0; i-- {
		for _, row := range rows {
			if row.Health == healths[i] && row.Command != "" && len(actions) < most {
				actions = append(actions, registry.Action{
					Action: verb.ActionLook, Description: row.Address() + ": " + row.Why,
					Command: row.Command,
				})
			}
		}
	}
	return actions
}

func (o agentHealthOut) Report() *report.Report {
	r := report.TableOf(o.Panes, o.at, "no agent here").Report()
	r.Next = verb.Tips(remedies(o.Panes))
	return r
}

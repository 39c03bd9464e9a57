package health

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

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
	// ForSeconds is how long the state has held.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	Why      string    `json:"why,omitempty" table:"WHY,dim,flex"`
	// Command is the remedy; absent where nothing is wrong.
	Command string `json:"command,omitempty" names:"command-line"`
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
	return agentHealthRow{
		PaneRow: row.PaneRow, Health: row.Health, ForSeconds: row.ForSeconds, ResetsAt: row.ResetsAt, Why: row.Why,
		Command: row.Command,
	}
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

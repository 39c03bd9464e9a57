package health

import (
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// agentRow is all that is known of how one agent fares.
type agentRow struct {
	_ struct{} `minimal:"session,ordinal,health" standard:"session,ordinal,agent,health,state,recommendation,why"`
	_ struct{} `table:"PANE,AGENT,HEALTH,STATE,SINCE,DO,WHY"`
	verb.PaneRow
	Health string `json:"health" table:"HEALTH,word"`
	workingState
	// ForSeconds is how long the state has held.
	ForSeconds verb.MaybeInt `json:"for_s,omitzero"`
	// ResetsAt is when a limit ends, where the agent shows it.
	ResetsAt time.Time `json:"resets_at,omitzero"`
	Why      string    `json:"why,omitempty" table:"WHY,dim,flex"`
	// Command is the remedy; absent where nothing is wrong.
	Command string `json:"command,omitempty" names:"command-line"`
	// Confidence is how sure the evidence makes the state, from 0 to 1, and Evidence the signal that weighed most.
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidence"`
	outputRate
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
		PaneRow: verb.RowOf(pane), Health: c.Health, Why: c.Why, Command: c.Command,
		workingState: workingState{
			Working: state == core.Working || state == core.Starting, Ready: state == core.Idle,
			NeedsUser: pane.NeedsUser(), Recommendation: c.Advice,
		},
		ForSeconds: Lasted(pane.Status.Since, snap.Taken), ResetsAt: pane.Status.ResetsAt,
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

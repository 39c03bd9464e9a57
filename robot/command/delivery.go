package command

import (
	"cupola/core"
	"cupola/core/store"
	"cupola/robot/advice"
)

// deliveryRow is what became of a prompt at one pane.
type deliveryRow struct {
	_ struct{} `minimal:"session,ordinal,outcome" standard:"session,ordinal,pane,agent,outcome,why"`
	_ struct{} `table:"PANE,AGENT,OUTCOME,WHAT WAS SEEN"`
	paneRow
	// Outcome is delivered, queued, steered, typed, refused, unconfirmed or planned.
	Outcome core.Outcome `json:"outcome" table:"OUTCOME,word,with=Why"`
	// Why says in one word why a pane refused: dialog, draft, copy_mode, dead, agent_gone, gone,
	// starting, busy, held, budget, command.
	Why string `json:"why,omitempty"`
	// Evidence says in words what was seen.
	Evidence []string `json:"evidence" table:"WHAT WAS SEEN,dim,flex,join=;"`
	// Enters counts how often Enter was pressed.
	Enters    int   `json:"enters"`
	ElapsedMS int64 `json:"elapsed_ms"`
}

func deliveryRows(deliveries []core.Delivery) []deliveryRow {
	rows := make([]deliveryRow, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		seen := d.Evidence
		if way := advice.Clause(d.Remedy); way != "" {
			seen += "; " + way
		}
		rows[i] = deliveryRow{
			paneRow: rowAt(d.PaneRef, &d.Status), Outcome: d.Outcome, Why: d.Why, Evidence: evident(seen),
			Enters: d.Enters, ElapsedMS: d.ElapsedMS,
		}
	}
	return rows
}

// refOf is the pane that a delivery on record went to.
func refOf(d *store.Delivery) core.PaneRef {
	return core.PaneRef{Session: d.Session, Ordinal: d.Ordinal, Pane: d.Pane, Agent: d.Agent, Kind: d.Kind}
}

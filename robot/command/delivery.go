package command

import (
	"slices"

	"cupola/core"
	"cupola/robot/advice"
)

// deliveryRow is the outcome of a prompt at one pane, and the state that the pane was in.
type deliveryRow struct {
	_ struct{} `minimal:"session,ordinal,outcome" standard:"session,ordinal,pane,agent,outcome,why"`
	_ struct{} `table:"PANE,AGENT,OUTCOME,WHAT WAS SEEN"`
	paneRow
	core.Result
}

func deliveryRows(deliveries []core.Delivery) []deliveryRow {
	rows := make([]deliveryRow, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		rows[i] = deliveryRow{paneRow: rowAt(d.PaneRef, &d.Status), Result: d.Result}
		if way := advice.Clause(d.Remedy); way != "" {
			rows[i].Evidence = append(slices.Clip(d.Evidence), way)
		}
	}
	return rows
}

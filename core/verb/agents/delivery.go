package agents

import (
	"slices"

	"cupola/core"
	"cupola/core/verb"
	"cupola/core/verb/advice"
)

// DeliveryRow is the outcome of a prompt at one pane, and the state that the pane was in.
type DeliveryRow struct {
	_ struct{} `minimal:"session,ordinal,outcome" standard:"session,ordinal,pane,agent,outcome,why"`
	_ struct{} `table:"PANE,AGENT,OUTCOME,WHAT WAS SEEN"`
	verb.PaneRow
	core.Result
}

// DeliveryRows are the rows of deliveries.
func DeliveryRows(deliveries []core.Delivery) []DeliveryRow {
	rows := make([]DeliveryRow, len(deliveries))
	for i := range deliveries {
		d := &deliveries[i]
		rows[i] = DeliveryRow{PaneRow: verb.RowAt(d.PaneRef, &d.Status), Result: d.Result}
		if way := advice.Clause(d.Remedy); way != "" {
			rows[i].Evidence = append(slices.Clip(d.Evidence), way)
		}
	}
	return rows
}

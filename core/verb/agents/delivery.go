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
	return core.Map(deliveries, func(d core.Delivery) DeliveryRow {
		row := DeliveryRow{PaneRow: verb.RowAt(d.PaneRef, &d.Status), Result: d.Result}
		if way := advice.Clause(d.Remedy); way != "" {
			row.Evidence = append(slices.Clip(d.Evidence), way)
		}
		return row
	})
}

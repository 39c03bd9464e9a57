package agents

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/fleet/terminal"
	"cupola/core/verb"
	"cupola/core/verb/advice"
)

// Said returns the outcome of the prompt: of one pane in full; of several as a count of each outcome, with the panes
// that did not take it by their reason.
func (o SendOut) Said() string {
	if len(o.Deliveries) == 1 {
		d := &o.Deliveries[0]
		if d.Outcome.Failed() {
			return d.Address() + " " + string(d.Outcome) + ": " + d.Saw()
		}
		return d.Address() + " " + string(d.Outcome)
	}
	counts := map[core.Outcome]int{}
	for i := range o.Deliveries {
		counts[o.Deliveries[i].Outcome]++
	}
	var counted []string
	failing := func(outcome core.Outcome) int {
		if outcome.Failed() {
			return 1
		}
		return 0
	}
	for _, outcome := range slices.SortedFunc(maps.Keys(counts), func(a, b core.Outcome) int {
		return cmp.Or(failing(a)-failing(b), strings.Compare(string(a), string(b)))
	}) {
		counted = append(counted, fmt.Sprintf("%d %s", counts[outcome], outcome))
	}
	said := strings.Join(counted, ", ")
	if reasons := o.reasons(); reasons != "" {
		said += ": " + reasons
	}
	return said
}

// mostFailed is how many panes of one reason are named.
const mostFailed = 4

// reasons names the panes that did not take the prompt, by their reason.
func (o SendOut) reasons() string {
	var order []ways
	panes := map[ways][]string{}
	for i := range o.Deliveries {
		d := &o.Deliveries[i]
		if !d.Outcome.Failed() {
			continue
		}
		way := wayOf(d)
		if panes[way] == nil {
			order = append(order, way)
		}
		panes[way] = append(panes[way], d.Address())
	}
	parts := make([]string, len(order))
	for i, way := range order {
		named, word := panes[way], way.several
		if len(named) == 1 {
			word = way.one
		}
		if more := len(named) - mostFailed; more > 0 {
			named = append(named[:mostFailed:mostFailed], fmt.Sprintf("and %d more", more))
		}
		parts[i] = strings.Join(named, " ") + word
	}
	return strings.Join(parts, ", ")
}

// ways says why one pane did not take a prompt, and why several did not, after their addresses.
type ways struct{ one, several string }

// waysOf are the ways by core.Result.Why.
var waysOf = map[string]ways{
	terminal.WhyDialog: {" waits", " wait"}, terminal.WhyDraft: {" holds a draft", " hold a draft"},
	terminal.WhyDead: {" ended", " ended"}, terminal.WhyLeft: {" ended", " ended"},
	terminal.WhyGone:    {" ended", " ended"},
	terminal.WhyPartial: {" cannot be read", " cannot be read"}, terminal.WhyStarting: {" starts", " start"},
	terminal.WhyBusy: {" is busy", " are busy"}, terminal.WhyHeld: {" is locked", " are locked"},
	terminal.WhyBudget:  {" is over its ceiling", " are over their ceilings"},
	terminal.WhyCommand: {" would run it as a command", " would run it as a command"},
	"copy_mode":         {" is scrolled", " are scrolled"},
}

// wayOf is why a pane did not take a prompt.
func wayOf(d *DeliveryRow) ways {
	if way, known := waysOf[d.Why]; known {
		return way
	}
	if d.Outcome == core.Unconfirmed {
		return ways{" did not show it", " did not show it"}
	}
	return ways{": " + d.Saw(), ": " + d.Saw()}
}

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

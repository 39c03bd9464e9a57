package dashboard

import (
	"maps"
	"testing"
	"time"

	"cupola/core"
)

func TestAPaneIsNotCreditedWithThePromptsOfAnEarlierOneOfItsID(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	sent := func(after time.Duration, text string, outcome core.Outcome, panes ...core.PaneID) core.Prompt {
		p := core.Prompt{At: began.Add(after), Text: text}
		for _, pane := range panes {
			p.Deliveries = append(p.Deliveries, core.Delivery{
				PaneRef: core.PaneRef{Pane: pane}, Result: core.Result{Outcome: outcome},
			})
		}
		return p
	}
	snapshot := &core.Snapshot{Sessions: []core.Session{{
		Name: "api", Created: began, Panes: []core.Pane{{ID: "%o1"}, {ID: "%o2"}, {ID: "%o3"}},
	}}}
	got := lastOf([]core.Prompt{
		sent(3*time.Second, "refused", core.Refused, "%o1"),
		sent(2*time.Second, "new", core.Delivered, "%o1"),
		sent(time.Second, "older", core.Delivered, "%o1", "%o2"),
		sent(-time.Second, "to another", core.Delivered, "%o1", "%o2", "%o3"),
	}, snapshot)
	if want := map[core.PaneID]string{"%o1": "new", "%o2": "older"}; !maps.Equal(got, want) {
		t.Errorf("last are %v, not %v", got, want)
	}
}

package approval

import (
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/schedule"
)

// asks is a snapshot of an agent in a state, with rules that hold until a time.
func asks(status core.Status, until time.Time, rules int) *core.Snapshot {
	pane := core.Pane{ID: "%1", Agent: core.Agent{Kind: "claude"}, Status: status}
	for range rules {
		pane.Agent.Rules = append(pane.Agent.Rules, core.Rule{ID: "r", Allow: "go test", Most: 1, Until: until})
	}
	return &core.Snapshot{Sessions: []core.Session{{ID: "$1", Panes: []core.Pane{pane}}}}
}

func TestARequestIsTriedOnceAndOnlyWhereARuleHolds(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var tried schedule.Occasion
	approval := core.Status{State: core.Waiting, Reason: core.ReasonApproval, Since: now, Asks: "go test"}
	question, later, working := approval, approval, core.Status{State: core.Working}
	question.Reason, later.Since = core.ReasonQuestion, now.Add(time.Minute)
	for _, step := range []struct {
		name     string
		snapshot *core.Snapshot
		tries    bool
	}{
		{"no rule", asks(approval, now, 0), false},
		{"a rule that has ended", asks(approval, now, 1), false},
		{"a question", asks(question, now.Add(time.Hour), 1), false},
		{"an approval", asks(approval, now.Add(time.Hour), 1), true},
		{"the same again", asks(approval, now.Add(time.Hour), 1), false},
		{"with another rule", asks(approval, now.Add(time.Hour), 2), true},
		{"work", asks(working, now.Add(time.Hour), 2), false},
		{"the same later", asks(later, now.Add(time.Hour), 2), true},
	} {
		asked := requests(step.snapshot, now)["%1"]
		if tries := asked.Of != nil && asked != tried; tries != step.tries {
			t.Errorf("%s: %+v is tried: %v", step.name, asked, tries)
		}
		tried = asked
	}
}

package run_test

import (
	"testing"

	"cupola/core/run"
)

// Every pair of states is in the table: a new state is decided on, and no transition is added by accident.
func TestEveryTransitionIsDecided(t *testing.T) {
	allowed := map[run.State]string{
		run.Pending:     "running failed cancelled interrupted",
		run.Running:     "paused needs_you done failed cancelled interrupted",
		run.Paused:      "running needs_you failed cancelled interrupted",
		run.NeedsYou:    "running cancelled",
		run.Done:        "running",
		run.Failed:      "running",
		run.Cancelled:   "running",
		run.Interrupted: "running cancelled",
	}
	if len(allowed) != len(run.States()) {
		t.Fatalf("%d states are decided on, of %d", len(allowed), len(run.States()))
	}
	for _, from := range run.States() {
		got := ""
		for _, to := range run.States() {
			if from.May(to) {
				got += " " + string(to)
			}
		}
		if got != " "+allowed[from] {
			t.Errorf("%s may become%s, want %s", from, got, allowed[from])
		}
		if from.Ended() && (from.May(run.Paused) || from.May(run.Interrupted)) {
			t.Errorf("%s has ended, and may yet be paused or interrupted", from)
		}
		if !from.Ended() && !from.May(run.Interrupted) {
			t.Errorf("the process of a run that is %s cannot be killed", from)
		}
	}
}

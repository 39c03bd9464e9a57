package core_test

import (
	"slices"
	"testing"
	"time"

	"cupola/core"
)

func TestPanesNeedingUserAreOrderedByUrgencyThenAge(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	pane := func(id core.PaneID, state core.State, reason core.Reason, since time.Duration) core.Pane {
		return core.Pane{
			ID: id, Agent: core.Agent{Kind: "claude"},
			Status: core.Status{State: state, Reason: reason, Since: at.Add(-since)},
		}
	}
	user := pane("%9", core.Waiting, core.ReasonApproval, 0)
	user.Agent = core.Agent{}
	snapshot := &core.Snapshot{Sessions: []core.Session{
		{Panes: []core.Pane{
			pane("%1", core.Working, "", 0), pane("%2", core.Limited, core.ReasonRateLimit, time.Hour),
			pane("%3", core.Waiting, core.ReasonApproval, time.Minute),
		}},
		{Panes: []core.Pane{
			pane("%4", core.Exited, core.ReasonFinished, 0), pane("%5", core.Exited, core.ReasonKilled, 0),
			pane("%6", core.Errored, core.ReasonAuth, 0), pane("%7", core.Waiting, core.ReasonQuestion, time.Hour),
			user,
		}},
	}}
	var ids []core.PaneID
	for _, pane := range snapshot.PanesNeedingUser() {
		ids = append(ids, pane.ID)
	}
	if want := []core.PaneID{"%7", "%3", "%6", "%5", "%2"}; !slices.Equal(ids, want) {
		t.Errorf("got %q, want %q", ids, want)
	}
}

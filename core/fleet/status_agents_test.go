//go:build agents

package fleet_test

import (
	"fmt"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/resolve"
)

// TestRealClaudeTellsItsTerminalItsState starts Claude on Cupola's own server, whose terminals confirm that they
// receive states. Claude then reports that it is idle, and what blocks it.
func TestRealClaudeTellsItsTerminalItsState(t *testing.T) {
	if !enginetest.OnOwn() {
		t.Skip("tmux answers no such question")
	}
	for range tries() {
		t.Run("claude", func(t *testing.T) {
			r := hire(t, "claude")
			r.start(t)
			target := resolve.Target{Session: "real.1"}
			reports := func(state core.State, reason core.Reason) {
				t.Helper()
				var last *detect.ProgramStatus
				enginetest.Eventually(t, time.Minute, func() bool {
					why, err := r.Observer.Explain(t.Context(), target)
					if err != nil || len(why) != 1 {
						t.Fatal(why, err)
					}
					last = why[0].ProgramStatus
					return last != nil && last.State == state && last.Reason == reason
				}, func() string { return fmt.Sprintf("it told %+v", last) })
			}
			reports(core.Idle, "")
			request := deliver.Request{Target: target, Text: "tool-bash `touch made` " + fleettest.Token()}
			if _, err := r.Sender.Send(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			reports(core.Waiting, core.ReasonApproval)
		})
	}
}

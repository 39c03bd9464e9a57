//go:build agents

package fleet_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// TestNoShellRunsAPrompt kills agents, those that a user started by hand in his own
// pane and those that Cupola started, and sends at once to what is left.
func TestNoShellRunsAPrompt(t *testing.T) {
	for _, kind := range allKinds {
		t.Run(kind, func(t *testing.T) {
			r := hire(t, kind)
			if _, err := r.Launcher.Spawn(t.Context(),
				lifecycle.SpawnRequest{Session: "real", Launch: lifecycle.LaunchRequest{
					Dir: r.dir, Agents: []lifecycle.AgentCount{{Kind: kind, Count: 1}},
				}}); err != nil {
				t.Fatal(err)
			}
			for _, address := range []string{"real.0", "real.1"} {
				r.killedAt(t, address)
			}
		})
	}
}

// killedAt lets an agent take a prompt, kills it, and wants no other one to be typed.
func (r *hired) killedAt(t *testing.T, address string) {
	t.Helper()
	target := resolve.Target{Session: address}
	shell := r.pane(t, address)
	if !shell.IsAgent() {
		if _, err := r.Sender.Send(t.Context(),
			deliver.Request{Target: target, Text: filepath.Join(r.harness.Path(t), r.kind)}); err != nil {
			t.Fatal(err)
		}
		enginetest.Eventually(t, 20*time.Second,
			func() bool { return r.pane(t, address).IsAgent() && r.stateAt(t, address) == core.Idle }, func() string {
				return fmt.Sprintf("never started: %+v\n%s", r.pane(t, address), pair{r}.shows(t, address))
			})
	}
	if sent, err := r.Sender.Send(t.Context(),
		deliver.Request{Target: target, Text: "hello " + fleettest.Token()}); err != nil {
		t.Fatalf("%+v, %v", sent, err)
	}
	made := filepath.Join(r.dir, fleettest.Token())
	started := time.Now()
	if err := exec.Command("pkill", "-9", "-P", fmt.Sprint(shell.Process.PID)).Run(); err != nil && !shell.IsAgent() {
		t.Fatal(err)
	}
	if shell.IsAgent() {
		_ = exec.Command("kill", "-9", fmt.Sprint(shell.Process.PID)).Run()
	}
	for range 20 {
		sent, err := r.Sender.Send(t.Context(),
			deliver.Request{Target: target, Text: "touch " + made, ReplaceDraft: true})
		if err == nil || len(sent.Deliveries) == 1 && sent.Deliveries[0].Enters > 0 {
			t.Errorf("%s, %v after it was killed: %+v, %v", address, time.Since(started), sent.Deliveries, err)
		}
		<-time.After(50 * time.Millisecond)
	}
	if _, err := os.Stat(made); err == nil {
		t.Errorf("%s: the shell ran the prompt", address)
	}
}

func (r *hired) pane(t *testing.T, address string) *core.Pane {
	t.Helper()
	snapshot, err := r.Overview.Snapshot(t.Context(), observe.View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, pane := range snapshot.Panes() {
		if pane.Address() == address {
			return pane
		}
	}
	t.Fatalf("no pane %s", address)
	return nil
}

func (r *hired) stateAt(t *testing.T, address string) core.State {
	t.Helper()
	answer, err := r.Sender.Interrupt(t.Context(),
		deliver.InterruptRequest{Target: resolve.Target{Session: address}, DryRun: true})
	if err != nil {
		t.Log(err)
		return core.Unknown
	}
	return answer[0].Before.State
}

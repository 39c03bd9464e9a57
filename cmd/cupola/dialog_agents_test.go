//go:build agents

package main

import (
	"bufio"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/fleet/fleettest"
)

// TestRealAgentsDialogsRaiseAlerts measures how long after a real agent drew a box for an
// approval its alert appears in a watch, with hooks and without.
func TestRealAgentsDialogsRaiseAlerts(t *testing.T) {
	const rounds = 9
	for kind, drawn := range map[string]string{
		"claude": "1. Yes", "codex": "1. Yes", "gemini": "1. Allow once",
		"opencode": "Allow once",
	} {
		for name, budget := range map[string]time.Duration{
			"without hooks": 300 * time.Millisecond,
			"with hooks":    150 * time.Millisecond,
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				m := withReal(t, kind)
				if name == "with hooks" {
					m.must("plugin", "install", kind, "--yes")
				}
				startReal(t, m, kind)
				raised := watching(t, m, "alert_raised")
				var took []time.Duration
				for range rounds {
					seen := make(chan time.Time, 1)
					go func() { seen <- appears(t, m, drawn) }()
					m.must("send", "real.1", "tool-bash `touch made` "+fleettest.Token())
					alerted := <-raised
					took = append(took, alerted.Sub(<-seen))
					m.must("answer", "real.1", "--deny")
					m.must("wait", "real.1", "--timeout", "60s")
				}
				t.Log(took)
				slices.Sort(took)
				t.Logf("%s %s: from box to alert, median %v, worst %v", kind, name, took[rounds/2], took[rounds-1])
				if took[rounds/2] > budget {
					t.Errorf("median %v, budget %v: %v", took[rounds/2], budget, took)
				}
			})
		}
	}
}

// watching follows the events of a type, and sends when each came.
func watching(t *testing.T, m *machine, event string) <-chan time.Time {
	t.Helper()
	cmd := m.command(m.program, "watch", "--types", event)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	came := make(chan time.Time, 100)
	go func() {
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.Contains(lines.Text(), `"`+event+`"`) && strings.Contains(lines.Text(), "waiting_approval") {
				came <- time.Now()
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return came
}

// appears polls the agent's screen as fast as the server answers, and returns when a text is on
// it.
func appears(t *testing.T, m *machine, text string) time.Time {
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		at := time.Now()
		if strings.Contains(m.screenOf(paneID(1)), text) {
			return at
		}
	}
	t.Errorf("%q never stood on the screen", text)
	return time.Now()
}

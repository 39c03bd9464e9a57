//go:build agents

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
)

// reported is an edge as it was seen on the pane.
type reported struct {
	event, state string
	// after is how long before the hook began.
	after time.Duration
}

// edgeRecorder records every edge of a pane.
type edgeRecorder struct {
	mu   sync.Mutex
	seen []reported
	// stop ends the recording.
	stop func()
}

// watch polls the option of an agent's pane as fast as tmux answers, until stop is called.
func (l *edgeRecorder) watch(t *testing.T, m *machine) {
	done := make(chan struct{})
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		last := m.listed(paneID(1)).Tags[engine.TagHook] // an edge from before is older
		for {
			select {
			case <-done:
				return
			default:
			}
			text, now := m.listed(paneID(1)).Tags[engine.TagHook], time.Now()
			if text != last && text != "" {
				last = text
				l.note(text, now)
			}
		}
	}()
	l.stop = func() {
		close(done)
		<-stopped
	}
}

func (l *edgeRecorder) note(text string, now time.Time) {
	edge := panetag.DecodeHook(text)
	if edge == nil {
		return
	}
	state := strings.TrimSuffix(string(edge.State)+"/"+string(edge.Reason), "/")
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = append(l.seen, reported{edge.Event, state, now.Sub(edge.At)})
}

func (l *edgeRecorder) all() []reported {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.seen)
}

func (l *edgeRecorder) String() string {
	var b strings.Builder
	for _, a := range l.all() {
		fmt.Fprintf(&b, "%-22s %-20s %v\n", a.event, a.state, a.after.Round(time.Millisecond))
	}
	return b.String()
}

// TestRealAgentsReportThroughTheirHooks installs the hooks into a home of each agent's own, and checks that each edge
// of a turn is on the pane while the turn lasts.
func TestRealAgentsReportThroughTheirHooks(t *testing.T) {
	for kind, want := range map[string]struct{ begin, ask, dialog, end string }{
		"claude": {"UserPromptSubmit working/thinking", "PermissionRequest waiting/approval", "1. Yes", "Stop idle"},
		"codex":  {"UserPromptSubmit working/thinking", "PermissionRequest waiting/approval", "1. Yes", "Stop idle"},
		"gemini": {
			"BeforeAgent working/thinking", "Notification waiting/approval", "1. Allow once",
			"AfterAgent idle",
		},
		"opencode": {
			"session.status working", "permission.asked waiting/approval", "Allow once",
			"session.status idle",
		},
	} {
		t.Run(kind, func(t *testing.T) {
			m, lookout := reporting(t, kind)
			defer func() {
				lookout.stop()
				t.Logf("\n%s", lookout)
			}()
			from := 0
			until := func(edge string) {
				t.Helper()
				enginetest.Eventually(t, 40*time.Second, func() bool {
					for i, a := range lookout.all() {
						if i >= from && a.event+" "+a.state == edge {
							from = i + 1
							return true
						}
					}
					return false
				}, func() string {
					return edge + " never came:\n" + lookout.String() + m.cupola("tail", "real.1", "--human").stdout
				})
			}
			m.must("send", "real.1", "slow 2 "+fleettest.Token())
			until(want.begin)
			until(want.end)
			m.must("send", "real.1", "tool-bash `touch made` "+fleettest.Token())
			until(want.ask)
			// The hook reports before the dialog is drawn.
			enginetest.Eventually(t, 20*time.Second,
				func() bool { return strings.Contains(m.cupola("tail", "real.1").stdout, want.dialog) },
				func() string { return m.cupola("tail", "real.1", "--human").stdout })
			m.must("answer", "real.1", "--approve")
			until(want.end)
			seen := lookout.all()
			slices.SortFunc(seen, func(a, b reported) int { return int(a.after - b.after) })
			if median, worst := seen[len(seen)/2].after, seen[len(seen)-1].after; median > 100*time.Millisecond ||
				worst > 500*time.Millisecond {
				t.Errorf("edges came %v after their hooks began, and %v at worst", median, worst)
			}
			m.must("plugin", "remove", kind, "--yes")
			if status := m.cupola("plugin", "status", kind); !strings.Contains(status.stdout, `"state":"absent"`) {
				t.Errorf("after it was removed: %s", status.stdout)
			}
		})
	}
}

// reporting starts an agent with hooks, and records the edges of its pane.
func reporting(t *testing.T, kind string) (*machine, *edgeRecorder) {
	t.Helper()
	m, l := withReal(t, kind), &edgeRecorder{}
	m.must("plugin", "install", kind, "--yes")
	startReal(t, m, kind)
	l.watch(t, m)
	return m, l
}

// withReal is a machine on which a real agent can be started.
func withReal(t *testing.T, kind string) *machine {
	t.Helper()
	harness := fleettest.Real(t)
	m := newMachine(t)
	m.more = append(m.more, "COLORTERM=truecolor", "PATH="+harness.Path(t)+":"+variable(m.environ(), "PATH"),
		"REAL_AGENTS_HOME_"+strings.ToUpper(kind)+"="+m.home)
	return m
}

// startReal starts the agent and waits until it rests.
func startReal(t *testing.T, m *machine, kind string) {
	t.Helper()
	dir := filepath.Join(m.tmux.Dir, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	m.must("spawn", "real", "--dir", dir, "--agents", kind+"=1", "--wait-ready")
	enginetest.Eventually(t, 90*time.Second,
		func() bool { return strings.Contains(m.cupola("status").stdout, `"state":"idle"`) },
		func() string { return m.cupola("tail", "real.1", "--human").stdout })
	t.Cleanup(func() { m.cupola("kill", "real", "--yes") })
}

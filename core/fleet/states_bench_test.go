package fleet_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
)

// mime is a pane that shows whatever screen of an agent a test wants.
type mime struct {
	th   *tmuxFleet
	pane core.PaneID
	tty  *os.File
}

// mimes starts a pane, tagged as an agent of a kind, in a session of 120x40.
func mimes(tb testing.TB, th *tmuxFleet, kind core.Kind) *mime {
	tb.Helper()
	id := core.PaneID(strings.TrimSpace(th.tmux.Run("new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "mime", "-x",
		"120", "-y", "40", "--", "sleep", "100000")))
	if err := th.options.Engine.Tag(tb.Context(),
		engine.Tag{Pane: id, Name: engine.TagKind, Value: string(kind)}); err != nil {
		tb.Fatal(err)
	}
	path := strings.TrimSpace(th.tmux.Run("display-message", "-p", "-t", string(id), "#{pane_tty}"))
	tty, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { tty.Close() })
	return &mime{th, id, tty}
}

// shows draws the first screen of Claude's that was recorded in a state.
func (m *mime) shows(tb testing.TB, state string) time.Time {
	tb.Helper()
	drawn := fleettest.Drawing(tb, "claude", state)
	at := time.Now()
	if _, err := m.tty.WriteString(drawn); err != nil {
		tb.Fatal(err)
	}
	return at
}

// BenchmarkBoxToEvent is from a permission box on the screen of an agent that
// works to the event in a subscription, in milliseconds: without hooks, and
// with one that reports it in the same moment.
func BenchmarkBoxToEvent(b *testing.B) {
	for _, hooks := range []bool{false, true} {
		b.Run(fmt.Sprintf("hooks=%t", hooks), func(b *testing.B) {
			th := open(b, tmux.Auto)
			m := mimes(b, th, "claude")
			m.shows(b, "working")
			r := subscribed(b, th.Fleet, keeper.Interest{Watched: true})
			r.next()
			var lags []time.Duration
			for n := 0; b.Loop(); n++ {
				m.shows(b, "working")
				if n > 0 {
					r.states(core.Working)
				}
				// The phase of the feed must not follow the test's.
				<-time.After(time.Second + time.Duration(n*67%250)*time.Millisecond)
				at := m.shows(b, "waiting_permission")
				if hooks {
					m.reports(b, at)
				}
				r.states(core.Waiting)
				lags = append(lags, time.Since(at))
			}
			slices.Sort(lags)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(lags[len(lags)/2].Seconds()*1000, "ms-median")
			b.ReportMetric(lags[len(lags)-1].Seconds()*1000, "ms-worst")
		})
	}
}

// reports leaves the edge that Claude's hook would.
func (m *mime) reports(tb testing.TB, at time.Time) {
	tb.Helper()
	edge := agent.Edge{Event: "Notification", State: core.Waiting, Reason: core.ReasonApproval}
	if err := m.th.Announcer.Hooked(tb.Context(), announce.HookReport{Pane: m.pane, Edge: edge, At: at}); err != nil {
		tb.Fatal(err)
	}
}

package keeper

import (
	"fmt"
	"runtime"
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// hundred is a snapshot of ten sessions with ten agents each.
func hundred() *core.Snapshot {
	var sessions []core.Session
	for i := range 10 {
		var panes []core.Pane
		for j := range 10 {
			panes = append(panes, fleettest.Pane(j, fmt.Sprintf("%%%d", 10*i+j), func(p *core.Pane) {
				fleettest.Claude(core.Unknown)(p)
				p.Title = "⠂ write the tests"
				p.Process = core.Process{PID: 1000 + 10*i + j, Command: "claude", Dir: "/home/user/project"}
				p.Agent.Launch, p.Status.Evidence = "claude --model opus", []string{"it runs; its screen was not read"}
			}))
		}
		sessions = append(sessions, fleettest.Session(fmt.Sprintf("$%d", i), fmt.Sprintf("project-%d", i), panes...))
	}
	return fleettest.Snapshot(sessions...)
}

func BenchmarkDiffOfHundredPanes(b *testing.B) {
	before, after := hundred(), hundred()
	for i := range after.Panes() {
		after.Panes()[i].Title = "⠐ write the tests"
	}
	b.ReportAllocs()
	for b.Loop() {
		if events := observe.Diff(before, after, fleettest.Dawn); len(events) > 0 {
			b.Fatal(fleettest.EventLines(events))
		}
	}
}

func BenchmarkFrameOfHundredPanes(b *testing.B) {
	f := wire.Frame{Type: wire.FrameBatch, Snapshot: hundred()}
	for b.Loop() {
		line, err := wire.Encode(f)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(line)), "bytes")
	}
}

func BenchmarkRecordOfHundredPanes(b *testing.B) {
	r, path := rundir.Record{Revision: 1, Ceiling: 2, Snapshot: hundred()}, b.TempDir()+"/keeper.json"
	for b.Loop() {
		if err := r.Write(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFullRing measures what a full ring of state changes keeps in memory.
func BenchmarkFullRing(b *testing.B) {
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		var r ring
		for i := range ringSize {
			in := func(state core.State) *core.Snapshot {
				pane := fleettest.Pane(i%100, fmt.Sprintf("%%%d", i%100), fleettest.Claude(state))
				return fleettest.Snapshot(fleettest.Session("$1", fmt.Sprintf("project-%d", i%10), pane))
			}
			r.add(observe.Diff(in(core.Idle), in(core.Working), fleettest.Dawn)[0])
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "B/ring")
		runtime.KeepAlive(&r)
	}
}

package fleet

import (
	"fmt"
	"runtime"
	"testing"

	"cupola/core"
)

// hundred is a picture of ten sessions with ten agents each.
func hundred() *core.Snapshot {
	var sessions []core.Session
	for i := range 10 {
		var panes []core.Pane
		for j := range 10 {
			panes = append(panes, aPane(j, fmt.Sprintf("%%%d", 10*i+j), func(p *core.Pane) {
				claude(core.Unknown)(p)
				p.Title, p.Process = "⠂ write the tests", core.Process{PID: 1000 + 10*i + j, Command: "claude", Dir: "/home/user/project"}
				p.Agent.Launch, p.Status.Evidence = "claude --model opus", []string{"it runs; its screen was not read"}
			}))
		}
		sessions = append(sessions, aSession(fmt.Sprintf("$%d", i), fmt.Sprintf("project-%d", i), panes...))
	}
	return aPicture(sessions...)
}

func BenchmarkDiffOfHundredPanes(b *testing.B) {
	before, after := hundred(), hundred()
	for i := range after.Panes() {
		after.Panes()[i].Title = "⠐ write the tests"
	}
	b.ReportAllocs()
	for b.Loop() {
		if events := Diff(before, after, dawn); len(events) > 0 {
			b.Fatal(told(events))
		}
	}
}

func BenchmarkFrameOfHundredPanes(b *testing.B) {
	f := frame{Type: frameBatch, Picture: hundred()}
	for b.Loop() {
		line, err := encode(f)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(line)), "bytes")
	}
}

func BenchmarkRecordOfHundredPanes(b *testing.B) {
	r, path := record{Revision: 1, Ceiling: 2, Snapshot: hundred()}, b.TempDir()+"/keeper.json"
	for b.Loop() {
		if err := r.write(path); err != nil {
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
			pane := aPane(i%100, fmt.Sprintf("%%%d", i%100), claude(core.Working))
			pane.Session = fmt.Sprintf("project-%d", i%10)
			d := differ{at: dawn}
			d.agent(&core.Pane{Agent: pane.Agent, Status: core.Status{State: core.Idle}}, &pane)
			r.add(d.events[0])
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc), "B/ring")
		runtime.KeepAlive(&r)
	}
}

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"cupola/core/engine"
)

// BenchmarkAlertByProtocol measures how long after an agent wrote a request for permission a reader of the event stream
// has its alert: alert-ms is the median, alert-worst-ms the worst. The budget of the median is 10 ms on both engines.
func BenchmarkAlertByProtocol(b *testing.B) {
	program := buildProgram(b)
	for _, by := range []string{engine.Own, engine.Tmux} {
		b.Run(by, func(b *testing.B) {
			m := newMachine(b)
			m.program = program
			m.putFirst(filepath.Dir(program))
			log := filepath.Join(m.tmux.Dir, "asked")
			m.must("kind", "new", "asker", "--acp=cupola scripted --acp --speed=0 --log="+log)
			m.must("spawn", "api", "--agents=asker=1", "--wait-ready", "--engine", by)
			raised := m.alerts(b)
			var late []time.Duration
			for b.Loop() {
				m.must("send", "api.1", "approve")
				select {
				case at := <-raised:
					late = append(late, at.Sub(lastAsked(b, log)))
				case <-time.After(testTimeout):
					b.Fatal("no alert was raised: " + m.cupola("status", "api").stdout)
				}
				m.must("answer", "api.1", "--deny")
				m.must("wait", "api.1", "--for=idle", "--timeout=1m")
			}
			slices.Sort(late)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(milliseconds(late[len(late)/2]), "alert-ms")
			b.ReportMetric(milliseconds(late[len(late)-1]), "alert-worst-ms")
		})
	}
}

// alerts follows the event stream, and returns when each alert of a request came.
func (m *machine) alerts(b *testing.B) <-chan time.Time {
	b.Helper()
	watch := m.command(m.program, "watch", "--types=alert_raised")
	out, err := watch.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = watch.Process.Signal(os.Interrupt); _ = watch.Wait() })
	came, started := make(chan time.Time, 100), make(chan struct{})
	go func() {
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 4<<20)
		for first := true; lines.Scan(); first = false {
			if first {
				close(started)
			}
			if bytes.Contains(lines.Bytes(), []byte(`"waiting_approval"`)) {
				came <- time.Now()
			}
		}
	}()
	select {
	case <-started:
	case <-time.After(testTimeout):
		b.Fatal("the event stream does not begin")
	}
	return came
}

// lastAsked returns when a scripted agent wrote its last request.
func lastAsked(b *testing.B, log string) time.Time {
	b.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		b.Fatal(err)
	}
	var asked time.Time
	for line := range bytes.Lines(text) {
		var e struct {
			Event string
			At    time.Time
		}
		if json.Unmarshal(line, &e) == nil && e.Event == "ask" {
			asked = e.At
		}
	}
	return asked
}

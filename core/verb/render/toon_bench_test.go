package render

import (
	"bytes"
	"fmt"
	"testing"
	"time"
)

type benchAgent struct {
	Pane       string    `json:"pane"`
	ID         string    `json:"id"`
	Session    string    `json:"session"`
	Agent      string    `json:"agent"`
	Kind       string    `json:"kind"`
	State      string    `json:"state"`
	Reason     string    `json:"reason"`
	Since      time.Time `json:"since"`
	Confidence float64   `json:"confidence"`
	PID        int       `json:"pid"`
	Title      string    `json:"title"`
	Visible    bool      `json:"visible"`
}

type benchStatus struct {
	Success   bool           `json:"success"`
	Timestamp time.Time      `json:"timestamp"`
	Agents    []benchAgent   `json:"agents"`
	Counts    map[string]int `json:"counts"`
	Meta      struct {
		Elapsed  float64 `json:"elapsed_ms"`
		Version  string  `json:"version"`
		Command  string  `json:"command"`
		Revision int     `json:"revision"`
	} `json:"_meta"`
}

// status is an answer about ten agents in each of ten sessions.
func status() benchStatus {
	states := []struct{ state, reason string }{
		{"working", "tool"},
		{"waiting", "approval"},
		{"idle", ""},
		{"limited", "rate_limit"},
	}
	kinds := []string{"claude", "codex", "gemini"}
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	s := benchStatus{
		Success: true, Timestamp: now,
		Counts: map[string]int{"working": 25, "waiting": 25, "idle": 25, "limited": 25},
	}
	for i := range 100 {
		session, state := fmt.Sprintf("project-%d", i/10), states[i%len(states)]
		s.Agents = append(s.Agents, benchAgent{
			Pane: fmt.Sprintf("%s.%d", session, i%10+1), ID: fmt.Sprintf("%%%d", i), Session: session,
			Agent: fmt.Sprintf("cc_%d", i%10+1), Kind: kinds[i%len(kinds)], State: state.state, Reason: state.reason,
			Since: now.Add(-time.Duration(i) * time.Minute), Confidence: 0.95, PID: 40_000 + i,
			Title: fmt.Sprintf("✳ Fix the tests of part %d", i), Visible: i%2 == 0,
		})
	}
	s.Meta.Elapsed, s.Meta.Version, s.Meta.Command, s.Meta.Revision = 12.5, "0.1.0", "status", 4711
	return s
}

func TestTOONSavesAThirdOnAStatus(t *testing.T) {
	var json bytes.Buffer
	if err := JSON(&json, status(), false); err != nil {
		t.Fatal(err)
	}
	if short := toon(t, status()); len(short)*10 > json.Len()*7 {
		t.Errorf("TOON takes %d bytes, JSON %d; want at least 30%% fewer", len(short), json.Len())
	}
}

func BenchmarkStatus(b *testing.B) {
	formats := []struct {
		name  string
		write func(*bytes.Buffer, any) error
	}{
		{"json", func(w *bytes.Buffer, v any) error { return JSON(w, v, false) }},
		{"toon", func(w *bytes.Buffer, v any) error { return TOON(w, v) }},
	}
	v := status()
	for _, format := range formats {
		b.Run(format.name, func(b *testing.B) {
			var w bytes.Buffer
			for b.Loop() {
				w.Reset()
				if err := format.write(&w, v); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(w.Len()), "bytes")
			b.ReportAllocs()
		})
	}
}

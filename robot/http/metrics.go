package http

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core/verb/render"
)

// counters counts answers by their status.
type counters struct {
	mu       sync.Mutex
	byStatus map[int]int
}

func newCounters() *counters { return &counters{byStatus: map[int]int{}} }

// wrap counts the answers of a handler.
func (c *counters) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counted := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(counted, r)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.byStatus[counted.status]++
	})
}

func (c *counters) copied() map[int]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.byStatus)
}

// statusWriter keeps the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader keeps the status.
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap returns the writer below, which http.ResponseController looks for.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// metrics answers in the text form of OpenMetrics.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	gauge := func(name, help string, value any) {
		fmt.Fprintf(&b, "# HELP cupola_%s %s\n# TYPE cupola_%s gauge\ncupola_%s %v\n", name, help, name, name, value)
	}
	gauge("uptime_seconds", "Time since the server began.", int(time.Since(s.started).Seconds()))
	gauge("event_clients", "Clients that follow events.", s.feed.counted()+s.crews.counted())
	gauge("revision", "Revision of the newest event.", s.feed.latest())
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	gauge("heap_bytes", "Memory in use.", memory.HeapAlloc)
	b.WriteString("# HELP cupola_requests Answers by their status.\n# TYPE cupola_requests counter\n")
	byStatus := s.calls.copied()
	for _, status := range slices.Sorted(maps.Keys(byStatus)) {
		fmt.Fprintf(&b, "cupola_requests_total{status=\"%d\"} %d\n", status, byStatus[status])
	}
	s.fleetMetrics(r, &b)
	b.WriteString("# EOF\n")
	w.Header().Set("Content-Type", "application/openmetrics-text; version=1.0.0; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // a client that has gone reads no answer
}

// fleetMetrics adds how many agents are in each state, and alerts of each severity.
func (s *Server) fleetMetrics(r *http.Request, b *bytes.Buffer) {
	status := s.read(r.Context(), "status", nil)
	if status.Code != "" {
		return
	}
	counts := func(of, as string) {
		value, _ := status.Document.Get(of)
		object, _ := value.(render.Object)
		for _, m := range slices.SortedFunc(slices.Values(object), byKey) {
			fmt.Fprintf(b, "%s=%q} %v\n", as, m.Key, m.Value)
		}
	}
	b.WriteString("# HELP cupola_fleet Sessions, panes, and agents by their state.\n# TYPE cupola_fleet gauge\n")
	counts("summary", "cupola_fleet{what")
	b.WriteString("# HELP cupola_alerts Open alerts by their severity.\n# TYPE cupola_alerts gauge\n")
	counts("alerts", "cupola_alerts{severity")
}

func byKey(a, b render.Member) int { return strings.Compare(a.Key, b.Key) }

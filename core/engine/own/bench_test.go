package own_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// BenchmarkUpgrade replaces the program of a server with 100 panes, each with 5,000 lines that scrolled off, and
// reports what the server's memory is before, in megabytes.
func BenchmarkUpgrade(b *testing.B) {
	const panes, lines = 100, 5000
	s := private(b)
	script := fmt.Sprintf("seq -f 'line %%g of the output of an agent that is at work' %d; echo END; exec cat", lines)
	var locs []engine.Location
	for i := range panes {
		locs = append(locs, createIn(b, s, fmt.Sprintf("s%d", i), script))
	}
	for _, loc := range locs {
		shows(b, s, loc.Pane, "END")
	}
	memory := residentMB(b, pidOf(b, s))
	for b.Loop() {
		if upgraded, err := s.Upgrade(b.Context(), os.Args[0]); err != nil || upgraded.Panes != panes {
			b.Fatalf("%+v, %v", upgraded, err)
		}
	}
	b.ReportMetric(memory, "MB")
	for _, loc := range locs {
		if text := shown(b, s, loc.Pane); strings.Count(text, "\n") < lines {
			b.Fatalf("%s lost lines:\n%s", loc.Pane, text)
		}
	}
}

// residentMB is the memory of a process, in megabytes.
func residentMB(b *testing.B, pid int) float64 {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		b.Skip("needs /proc: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(text))[1])
	if err != nil {
		b.Fatal(err)
	}
	return float64(pages*os.Getpagesize()) / (1 << 20)
}

// BenchmarkCreate makes sessions of a shell each, up to 500 of them.
func BenchmarkCreate(b *testing.B) {
	const panes = 500
	s := private(b)
	for b.Loop() {
		for i := range panes {
			createIn(b, s, fmt.Sprintf("s%d", i), "exec cat")
		}
		b.StopTimer()
		l, err := s.List(b.Context(), engine.WithCommand|engine.WithDir)
		if err != nil || len(l.Panes) != panes {
			b.Fatalf("%d panes, %v", len(l.Panes), err)
		}
		enginetest.StopOwn(b, s.SocketPath())
		b.StartTimer()
	}
}

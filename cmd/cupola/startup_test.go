package main

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// initLine is a line of GODEBUG=inittrace=1.
var initLine = regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock`)

// BenchmarkStartup runs the shipped program and reports how long its packages
// take to initialise: all of them (the median), the slowest, and the slowest of ours,
// which must stay under 2 ms. BenchmarkCommandTree of cmd/cli has what follows.
func BenchmarkStartup(b *testing.B) {
	m := newMachine(b)
	var totals []time.Duration
	var ours, worst time.Duration
	name, our := "", ""
	for b.Loop() {
		cmd := m.command(m.program, "--robot-status")
		cmd.Env = append(cmd.Env, "GODEBUG=inittrace=1")
		got := m.run(cmd)
		if got.status != 0 || !bytes.HasPrefix([]byte(got.stdout), []byte(`{"success":true`)) {
			b.Fatalf("%+v", got)
		}
		total := time.Duration(0)
		for _, match := range initLine.FindAllStringSubmatch(got.stderr, -1) {
			ms, err := strconv.ParseFloat(match[2], 64)
			if err != nil {
				b.Fatal(err)
			}
			took := time.Duration(ms * float64(time.Millisecond))
			total += took
			if took > worst {
				worst, name = took, match[1]
			}
			if isOurs(match[1]) && took > ours {
				ours, our = took, match[1]
			}
		}
		totals = append(totals, total)
	}
	b.ReportMetric(float64(median(totals).Microseconds()), "init-µs/op")
	b.ReportMetric(float64(worst.Microseconds()), "slowest-µs")
	b.ReportMetric(float64(ours.Microseconds()), "slowest-own-µs")
	b.Logf("slowest: %s; of ours: %s", name, our)
	if ours > 2*time.Millisecond {
		b.Errorf("%s takes %v to initialise", our, ours)
	}
}

func isOurs(pkg string) bool { return pkg == "main" || strings.HasPrefix(pkg, "cupola/") }

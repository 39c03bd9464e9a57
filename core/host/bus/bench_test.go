package bus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"cupola/core"
	"cupola/core/fleet/keeper"
	"cupola/core/host"
	"cupola/core/host/bus"
	"cupola/core/host/bus/bustest"
)

// viewerOf is the variable with the address of the bus that the test binary follows as a viewer, in place of tests.
const viewerOf = "CUPOLA_TEST_VIEWER"

func TestMain(m *testing.M) {
	if url := os.Getenv(viewerOf); url != "" {
		view50(url)
		return
	}
	goleak.VerifyTestMain(m)
}

// phases of a viewer: it settles, then nothing happens, then a lot.
const settles, quiet, busy = 15 * time.Second, 20 * time.Second, 20 * time.Second

// viewed is the report of one viewer process.
type viewed struct {
	Hosts      int
	Latencies  []time.Duration
	Idle, Busy time.Duration
	// Memory is the most that the process had, in kilobytes.
	Memory int64
}

// view50 follows the bus, and writes what it measured.
func view50(url string) {
	ctx, stop := context.WithTimeout(context.Background(), settles+quiet+busy)
	defer stop()
	c, err := bus.Connect(ctx, &host.Bus{URL: url}, quietLog)
	if err != nil {
		panic(err)
	}
	defer c.Close()
	var got viewed
	var at [3]time.Duration
	go func() {
		for i, phase := range []time.Duration{settles, quiet} {
			_ = core.Sleep(ctx, phase)
			at[i] = spent()
		}
	}()
	hosts := map[string]bool{}
	if err := c.Follow(ctx, func(seen *bus.HostState) {
		hosts[seen.Host] = true
		for i := range seen.Events {
			got.Latencies = append(got.Latencies, time.Since(seen.Events[i].At))
		}
	}); err != nil {
		panic(err)
	}
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	got.Hosts, got.Idle, got.Busy, got.Memory = len(hosts), at[1]-at[0], spent()-at[1], usage.Maxrss
	_ = json.NewEncoder(os.Stdout).Encode(got)
}

// spent is the processor time of this process.
func spent() time.Duration {
	var usage syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// Fifty hosts with a hundred panes each, and two hundred events a second, as one viewer in a process of its own has
// them.
func BenchmarkFiftyHosts(b *testing.B) {
	const hosts, panes, each = 50, 100, 250 * time.Millisecond
	for b.Loop() {
		s := bustest.New(b)
		ctx, stop := context.WithCancel(b.Context())
		var publishing sync.WaitGroup
		begin := time.Now().Add(settles + quiet)
		for i := range hosts {
			c := connect(b, s, "")
			name := fmt.Sprint("host", i)
			frames := make(chan keeper.Frame)
			publishing.Go(func() {
				c.Publish(ctx, name, func() host.Hello { return host.NewHello("1", name) }, frames)
			})
			publishing.Go(func() {
				defer close(frames)
				snapshot := pictured(1, panes)
				frames <- keeper.Frame{Snapshot: snapshot}
				if core.Sleep(ctx, time.Until(begin.Add(time.Duration(i)*each/hosts))) != nil {
					return
				}
				for n := 0; core.Sleep(ctx, each) == nil; n++ {
					next := *snapshot
					next.Revision++
					next.Sessions = slices.Clone(next.Sessions)
					next.Sessions[0].Panes = slices.Clone(next.Sessions[0].Panes)
					next.Sessions[0].Panes[n%panes].Title = fmt.Sprint("turn ", n)
					snapshot = &next
					frames <- keeper.Frame{Snapshot: snapshot, Events: []core.Event{{
						Type: core.StateChanged, At: time.Now(), Revision: next.Revision, Session: "api",
					}}}
				}
			})
		}
		viewer := exec.CommandContext(ctx, os.Args[0])
		viewer.Env = append(os.Environ(), viewerOf+"="+s.ClientURL())
		viewer.Stderr = os.Stderr
		text, err := viewer.Output()
		stop()
		publishing.Wait()
		if err != nil {
			b.Fatal(err)
		}
		var got viewed
		if err := json.Unmarshal(text, &got); err != nil || got.Hosts != hosts || len(got.Latencies) == 0 {
			b.Fatalf("%v: %.200s", err, text)
		}
		slices.Sort(got.Latencies)
		milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
		b.ReportMetric(milliseconds(got.Latencies[len(got.Latencies)/2]), "median-ms")
		b.ReportMetric(milliseconds(got.Latencies[len(got.Latencies)*99/100]), "p99-ms")
		b.ReportMetric(float64(len(got.Latencies))/busy.Seconds(), "events/s")
		b.ReportMetric(100*got.Idle.Seconds()/quiet.Seconds(), "idle-%")
		b.ReportMetric(100*got.Busy.Seconds()/busy.Seconds(), "busy-%")
		b.ReportMetric(float64(got.Memory)/1024, "MB")
	}
}

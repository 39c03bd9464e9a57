package wire

import (
	"bytes"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestServerSurvivesManyConcurrentCalls(t *testing.T) {
	const calls = int64(4000)
	h := launch(t)
	furnish(t, h)
	pid := h.pid(t)
	questions := [][]string{
		{"display-message", "-p", "#{pid} " + exotic},
		{"list-panes", "-a"},
		{"capture-pane", "-p", "-e", "-t", "=main:long", "-S", "-200"},
		{"has-session", "-t", "=none"},
		{"show-buffer", "-b", "big", ";", "no-such-command"},
		{"set-buffer", "-b", "load", strings.Repeat("é", 5000)},
		{"save-buffer", "-b", "big", "-"},
	}
	var want []Result
	for _, argv := range questions {
		want = append(want, h.exec(t, argv...))
	}
	client, ctx := open(h.socket), t.Context()
	var group sync.WaitGroup
	var next atomic.Int64
	for range 16 {
		group.Go(func() {
			for n := next.Add(1); n <= calls && !t.Failed(); n = next.Add(1) {
				i := int(n) % len(questions)
				got, err := client.Run(ctx, questions[i])
				if err != nil {
					t.Errorf("%q: %v", questions[i], err)
					return
				}
				same(t, questions[i], got, want[i])
			}
		})
	}
	group.Wait()
	if again := h.pid(t); again != pid {
		t.Errorf("the server is now %d, was %d", again, pid)
	}
}

// More callers than the server's queue has places for.
func TestManyCallersWaitForAPlace(t *testing.T) {
	h := launch(t)
	client, ctx := open(h.socket), within(t)
	var group sync.WaitGroup
	for i := range 400 {
		group.Go(func() {
			got, err := client.Run(ctx, []string{"display-message", "-p", strconv.Itoa(i)})
			if err != nil || string(got.Stdout) != strconv.Itoa(i)+"\n" {
				t.Errorf("call %d: %v %s", i, err, brief(got))
			}
		})
	}
	group.Wait()
}

func TestOutputOfManyMegabytes(t *testing.T) {
	h := launch(t)
	furnish(t, h)
	ask := []string{"capture-pane", "-p", "-t", "=main:long", "-S", "-"}
	once := h.exec(t, ask...).Stdout
	var argv []string
	for range 30 {
		argv = append(append(argv, ask...), ";")
	}
	got, err := open(h.socket).Run(within(t), argv)
	if err != nil || !bytes.Equal(got.Stdout, bytes.Repeat(once, 30)) {
		t.Errorf("%d bytes, %v; want 30 times %d", len(got.Stdout), err, len(once))
	}
}

func BenchmarkRun(b *testing.B) {
	for name, argv := range map[string][]string{
		"display-message": {"display-message", "-p", "#{session_name}"},
		"list-panes":      {"list-panes", "-a", "-F", "#{pane_id} #{pane_width} #{pane_height} #{pane_title}"},
	} {
		b.Run(name, func(b *testing.B) {
			h := launch(b)
			client := open(h.socket)
			if _, err := client.Probe(b.Context()); err != nil {
				b.Fatal(err)
			}
			var program time.Duration
			const runs = 50
			for range runs {
				start := time.Now()
				h.exec(b, argv...)
				program += time.Since(start)
			}
			for b.Loop() {
				if _, err := client.Run(b.Context(), argv); err != nil {
					b.Fatal(err)
				}
			}
			call := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(program/runs)/float64(call), "exec/socket")
			b.ReportMetric(float64((program / runs).Nanoseconds()), "exec-ns/op")
		})
	}
}

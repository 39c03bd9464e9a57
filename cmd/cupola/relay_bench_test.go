package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"cupola/core/system/shell/shelltest"
)

// relayProgram answers after a while, as a program does that waits for its model, and says when.
const relayProgram = "#!/bin/sh\ncat >/dev/null\nsleep 0.1\ndate +%s%N\nsleep 0.1\n"

const relayKind = `id = "bench"
short = "be"
name = "Bench"
[launch]
command = ["bench"]
[headless]
format = "text"
[headless.sandbox.read-only]
guarantee = "It only prints."
`

// BenchmarkRelay asks a program through a relay and calls it directly, in turn. It reports what the
// relay adds (budget: 30 ms), the memory of Cupola itself (20 MB), and how long after the
// program's first word the caller reads it (50 ms).
func BenchmarkRelay(b *testing.B) {
	program := buildProgram(b)
	m := newMachine(b)
	bench := m.backend(b)
	for _, atOnce := range []int{1, 20} {
		b.Run(fmt.Sprintf("at-once=%d", atOnce), func(b *testing.B) {
			var added, late []time.Duration
			var memory int64
			var mu sync.Mutex
			for b.Loop() {
				began := time.Now()
				inParallel(atOnce, func() { m.timed(bench, "")() })
				direct := time.Since(began)
				began = time.Now()
				inParallel(atOnce, func() {
					wait, rss := m.firstWord(program)
					mu.Lock()
					defer mu.Unlock()
					late, memory = append(late, wait), max(memory, rss)
				})
				added = append(added, time.Since(began)-direct)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(added).Seconds()*1000, "ms-added")
			b.ReportMetric(median(late).Seconds()*1000, "ms-to-first-text")
			b.ReportMetric(float64(memory)/1024, "MB")
		})
	}
}

func inParallel(n int, do func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(do)
	}
	all.Wait()
}

// backend makes a program that relays can ask, and returns its path.
func (m *machine) backend(b *testing.B) string {
	b.Helper()
	bin, kinds := b.TempDir(), filepath.Join(m.home, ".config", "cupola", "agents")
	path := filepath.Join(bin, "bench")
	if err := os.MkdirAll(kinds, 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(kinds, "bench.toml"), []byte(relayKind), 0o600); err != nil {
		b.Fatal(err)
	}
	if err := shelltest.WriteProgram(path, []byte(relayProgram)); err != nil {
		b.Fatal(err)
	}
	m.putFirst(bin)
	return path
}

// firstWord asks a relay, and returns how long after the program's word it was read, and the most
// memory that the relay used, in KB.
func (m *machine) firstWord(program string) (late time.Duration, memory int64) {
	cmd := m.command(program, "relay", "when?", "--to=bench", "--stream")
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		m.t.Fatal(err)
	}
	last := ""
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		now := time.Now()
		last = lines.Text()
		event := struct{ Type, Text string }{}
		if json.Unmarshal(lines.Bytes(), &event) != nil || event.Type != "text" || late != 0 {
			continue
		}
		if said, err := strconv.ParseInt(strings.TrimSpace(event.Text), 10, 64); err == nil {
			late = now.Sub(time.Unix(0, said))
		}
	}
	if err := cmd.Wait(); err != nil || late == 0 {
		m.t.Errorf("no word came: %v\n%s", err, last)
	}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = usage.Maxrss
	}
	return late, memory
}

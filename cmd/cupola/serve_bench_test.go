package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

const (
	// followers is how many clients follow the events of a server at once.
	followers = 200
	// callsEachSecond is how often clients together ask for the status.
	callsEachSecond = 50
)

// arrivals are the times at which an event came to each of those who follow, by its revision.
type arrivals struct {
	mu sync.Mutex
	at map[int][]time.Time
}

// add notes that an event has come.
func (a *arrivals) add(event []byte) {
	now := time.Now()
	var head struct {
		Type     string
		Revision int
	}
	if json.Unmarshal(event, &head) != nil || head.Type != "session_renamed" {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.at[head.Revision] = append(a.at[head.Revision], now)
}

// whole is how many events have come to all of a number.
func (a *arrivals) whole(number int) (events int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, times := range a.at {
		if len(times) == number {
			events++
		}
	}
	return events
}

// follow reads a stream, in which an event is a line after a prefix.
func (a *arrivals) follow(stream io.Reader, prefix string) {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		if event, is := bytes.CutPrefix(lines.Bytes(), []byte(prefix)); is {
			a.add(event)
		}
	}
}

// BenchmarkServe measures how much later events come to all clients of a server than to the verb watch, while others
// call, and how much memory the server needs for that.
func BenchmarkServe(b *testing.B) {
	c := newBenchMachine(b, 100)
	s := c.serving("127.0.0.1:0")
	watch := c.command("cupola", "watch", "--types=session_renamed")
	out, err := watch.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := watch.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = watch.Process.Signal(os.Interrupt); _ = watch.Wait() })
	direct, served := &arrivals{at: map[int][]time.Time{}}, &arrivals{at: map[int][]time.Time{}}
	go direct.follow(out, "")
	for range followers {
		response := s.ask(b, "/api/v1/events?types=session_renamed")
		b.Cleanup(func() { _ = response.Body.Close() })
		go served.follow(response.Body, "data: ")
	}
	calls := s.callOften(b)
	name, events := "bulk0", 0
	for b.Loop() {
		events++
		next := fmt.Sprintf("renamed%d", events)
		c.tmux.Run("rename-session", "-t", "="+name, next)
		name = next
		enginetest.Eventually(b, testTimeout,
			func() bool { return direct.whole(1) == events && served.whole(followers) == events }, nil)
	}
	took := calls()
	var late []time.Duration
	for revision, first := range direct.at {
		for _, at := range served.at[revision] {
			late = append(late, max(at.Sub(first[0]), 0))
		}
	}
	slices.Sort(late)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(milliseconds(late[len(late)/2]), "event-ms")
	b.ReportMetric(milliseconds(late[len(late)*99/100]), "event-p99-ms")
	b.ReportMetric(milliseconds(median(took)), "call-ms")
	b.ReportMetric(memoryMB(b, s.pid, resident), "MB")
}

// callOften asks for the status all the time; what it returns ends that, and returns how long each call took.
func (r *running) callOften(b *testing.B) func() []time.Duration {
	var mu sync.Mutex
	var took []time.Duration
	call := func() {
		began := time.Now()
		r.get(b, "/api/v1/status?session=agents")
		mu.Lock()
		defer mu.Unlock()
		took = append(took, time.Since(began))
	}
	stop := make(chan struct{})
	var calling sync.WaitGroup
	calling.Go(func() {
		tick := time.NewTicker(time.Second / callsEachSecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				calling.Go(call)
			}
		}
	})
	return func() []time.Duration {
		close(stop)
		calling.Wait()
		return took
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

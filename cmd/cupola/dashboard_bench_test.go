package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

// BenchmarkDashboard opens the dashboard on terminals, beside terminal servers of several sizes: of Cupola's own where
// $CUPOLA_TEST_ENGINE says so. Its budgets are in docs/PERFORMANCE.md. Waiting is most of what it does: times are of
// the wall, shares are of a processor's time.
func BenchmarkDashboard(b *testing.B) {
	for _, panes := range []int{1, 12, 100, 500} {
		b.Run(fmt.Sprintf("panes=%d", panes), func(b *testing.B) {
			c := newBenchMachine(b, panes)
			b.Run("first-frame", c.benchFirstFrame)
			b.Run("lag", func(b *testing.B) { c.benchLag(b, c.open(b)) })
			if panes == 100 && !enginetest.OnOwn() {
				b.Run("lag-in-tmux", func(b *testing.B) { c.benchLag(b, c.openInTmux(b)) })
			}
			if panes == 100 {
				b.Run("lag-after-quiet", c.benchLagAfterQuiet)
			}
			b.Run("idle", c.benchIdle)
			if panes >= agents {
				b.Run("busy", c.benchBusy)
			}
			if panes == agents && !enginetest.OnOwn() {
				b.Run("busy-bare-tmux", c.benchBusyTmux)
			}
		})
	}
}

// BenchmarkBinary reports the size of the program as it is shipped.
func BenchmarkBinary(b *testing.B) {
	path, err := shipped()
	if err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(info.Size())/(1<<20), "MB")
}

// benchFirstFrame measures from the start of the program to its first whole frame.
func (c *benchMachine) benchFirstFrame(b *testing.B) {
	var times []time.Duration
	for b.Loop() {
		d := c.open(b)
		times = append(times, d.appeared)
		d.quit()
	}
	reportTimes(b, times)
}

// prints is how often a pane prints while its lag is measured.
const prints = 100

// benchLag is from a print in the selected pane, in its place and without moving
// the cursor, to the display, while the pane is active.
func (c *benchMachine) benchLag(b *testing.B, d *dashboard) {
	c.lag(d, "warm-up")
	var times []time.Duration
	for b.Loop() {
		for i := range prints {
			// Out of step with the polling.
			pass(time.Duration(50+i*37%101) * time.Millisecond)
			times = append(times, c.lag(d, fmt.Sprintf("print-%d-%d", b.N, i)))
		}
	}
	reportTimes(b, times)
	d.quit()
}

// benchLagAfterQuiet is the same for the first print after four quiet seconds.
func (c *benchMachine) benchLagAfterQuiet(b *testing.B) {
	d := c.open(b)
	var times []time.Duration
	for b.Loop() {
		for i := range 10 {
			pass(4*time.Second + time.Duration(i*83%251)*time.Millisecond)
			times = append(times, c.lag(d, fmt.Sprintf("print-%d-%d", b.N, i)))
		}
	}
	reportTimes(b, times)
	d.quit()
}

// lag prints a word in the selected pane and returns how long it takes to the
// display.
func (c *benchMachine) lag(d *dashboard, word string) time.Duration {
	shown := d.await(word)
	printed := time.Now()
	fmt.Fprintf(c.ttys[0], "\x1b7\x1b[30;5H%-20s\x1b8", word)
	return d.within(shown).Sub(printed)
}

const (
	idleWindow = 20 * time.Second
	busyWindow = 8 * time.Second
)

// benchIdle measures a dashboard while nothing happens.
func (c *benchMachine) benchIdle(b *testing.B) {
	d := c.open(b)
	pass(5 * time.Second)
	before, began := switches(b, d.pid), time.Now()
	for b.Loop() {
		c.share(b, d, func() { pass(idleWindow) })
	}
	b.ReportMetric(float64(switches(b, d.pid)-before)/time.Since(began).Seconds(), "wakeups/s")
	d.quit()
}

// switches is how often the threads of a process were put on a processor; 0 where the system does not say.
func switches(b *testing.B, pid int) (all int) {
	b.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread may have ended
		for line := range strings.Lines(string(text)) {
			if name, count, is := strings.Cut(line, ":"); is && strings.HasSuffix(name, "ctxt_switches") {
				n, _ := strconv.Atoi(strings.TrimSpace(count))
				all += n
			}
		}
	}
	return all
}

// benchBusy measures it while the twelve panes of the grid print ten lines a second each.
func (c *benchMachine) benchBusy(b *testing.B) {
	d := c.open(b)
	d.press("g", "┏", fmt.Sprintf("scr_%d", agents))
	c.chatter(time.Second)
	for b.Loop() {
		c.share(b, d, func() { c.chatter(busyWindow) })
	}
	d.quit()
}

// benchBusyTmux measures a client of tmux itself with the same panes, tiled in one window. It moves the panes there,
// so that it is the last one of a machine.
func (c *benchMachine) benchBusyTmux(b *testing.B) {
	for i := 1; i < agents; i++ {
		c.tmux.Run("join-pane", "-d", "-s", fmt.Sprintf("=agents:%d", i), "-t", "=agents:0")
		c.tmux.Run("select-layout", "-t", "=agents:0", "tiled")
	}
	cmd := exec.Command(c.tmux.Binary, "-u", "-f", os.DevNull, "-S", c.tmux.Socket, "attach-session", "-t", "=agents:0")
	cmd.Env, cmd.Dir = c.environ(), c.tmux.Dir
	screen, _ := show(b, cmd, "agents")
	c.chatter(time.Second)
	for b.Loop() {
		c.share(b, &dashboard{monitor: screen, pid: cmd.Process.Pid}, func() { c.chatter(busyWindow) })
	}
	c.tmux.Run("detach-client", "-s", "=agents")
}

// chatter makes all agents print ten lines a second, as long as many that
// agents print.
func (c *benchMachine) chatter(d time.Duration) {
	beat := time.NewTicker(100 * time.Millisecond)
	defer beat.Stop()
	end := time.Now().Add(d)
	for n := 0; time.Now().Before(end); n++ {
		<-beat.C
		for _, tty := range c.ttys {
			fmt.Fprintf(tty, "\x1b[40;1H\r\n\x1b[3%dm%6d\x1b[m a line of the length that agents print, more or less",
				n%8, n)
		}
	}
}

// share reports what the dashboard and the server use meanwhile, as shares of a
// core, and what the dashboard writes.
func (c *benchMachine) share(b *testing.B, d *dashboard, meanwhile func()) {
	b.Helper()
	began, own, server := time.Now(), usageOf(b, d.pid), usageOf(b, c.server)
	meanwhile()
	ownNow, serverNow, took := usageOf(b, d.pid), usageOf(b, c.server), time.Since(began)
	minutely, others := d.written(began)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(100*(ownNow.processor-own.processor).Seconds()/took.Seconds(), "%cupola")
	b.ReportMetric(100*(serverNow.processor-server.processor).Seconds()/took.Seconds(), "%server")
	b.ReportMetric(float64(ownNow.childPages-own.childPages+serverNow.childPages-server.childPages), "child-pages")
	b.ReportMetric(float64(others)/took.Seconds(), "B/s")
	b.ReportMetric(float64(minutely), "B-minutely")
	b.ReportMetric(memoryMB(b, d.pid, resident), "MB")
	b.ReportMetric(memoryMB(b, d.pid, private), "MB-private")
	b.ReportMetric(load(), "load")
}

// reportTimes reports the median and the worst.
func reportTimes(b *testing.B, times []time.Duration) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(times).Seconds()*1000, "ms-median")
	b.ReportMetric(slices.Max(times).Seconds()*1000, "ms-worst")
	b.ReportMetric(load(), "load")
}

// pass lets time pass.
func pass(d time.Duration) { <-time.After(d) }

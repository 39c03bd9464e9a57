package fleet_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
)

// crowded is a private server with 100 quiet panes and a Live that looks at 12
// of them.
type crowded struct {
	*display
	tmux    *enginetest.Tmux
	panes   []core.PaneID
	tty     []*os.File
	server  int
	screens map[core.PaneID]core.Screen
}

const benchVisible = 12

func crowdedHall(b *testing.B, follower bool) *crowded {
	b.Helper()
	th := open(b, tmux.Socket)
	th.reopen(func(o *fleet.Options) { o.Runtime = fleettest.RuntimeDir(b) })
	crowd(b, th, "exec sleep 100000")
	if follower {
		subscribed(b, th.Fleet, keeper.Interest{}).next()
	}
	h := &crowded{display: displayed(b, th.Fleet), tmux: th.tmux, screens: map[core.PaneID]core.Screen{}}
	for line := range strings.Lines(th.tmux.Run("list-panes", "-a", "-F", "#{pid} #{pane_id} #{pane_tty}")) {
		fields := strings.Fields(line)
		h.server, _ = strconv.Atoi(fields[0])
		tty, err := os.OpenFile(fields[2], os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { tty.Close() })
		h.panes, h.tty = append(h.panes, core.PaneID(fields[1])), append(h.tty, tty)
	}
	if len(h.panes) != benchPanes {
		b.Fatalf("%d panes", len(h.panes))
	}
	h.Display(h.panes[:benchVisible])
	h.drain(4 * time.Second)
	return h
}

// drain reads frames for a time and counts them.
func (h *crowded) drain(d time.Duration) (frames int) {
	end := time.After(d)
	for {
		select {
		case <-h.Frames:
			frames++
		case <-end:
			return frames
		}
	}
}

// lag prints a word on a pane and returns how long it takes to be in a frame.
func (h *crowded) lag(pane int, word string) time.Duration {
	began := time.Now()
	fmt.Fprintf(h.tty[pane], "%s\r\n", word)
	for {
		frame := h.next()
		if screen := frame.Screens[h.panes[pane]]; strings.Contains(screen.Text(), word) {
			return time.Since(began)
		}
	}
}

func eachSeat(b *testing.B, bench func(b *testing.B, h *crowded)) {
	b.Run("keeper", func(b *testing.B) { bench(b, crowdedHall(b, false)) })
	b.Run("follower", func(b *testing.B) { bench(b, crowdedHall(b, true)) })
}

func reportLags(b *testing.B, lags []time.Duration) {
	slices.Sort(lags)
	b.ReportMetric(float64(lags[len(lags)/2].Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(lags[len(lags)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(lags[len(lags)-1].Microseconds())/1000, "worst-ms")
}

// BenchmarkLiveLagActive is from a pane that prints to the frame that shows it,
// while the pane is active. The pauses keep it off the beat of the looks.
func BenchmarkLiveLagActive(b *testing.B) {
	eachSeat(b, func(b *testing.B, h *crowded) {
		h.lag(0, "warm")
		var lags []time.Duration
		for n := 0; b.Loop(); n++ {
			h.drain(time.Duration(100+n*37%113) * time.Millisecond)
			lags = append(lags, h.lag(0, fmt.Sprintf("=%d=", n)))
		}
		reportLags(b, lags)
	})
}

// BenchmarkLiveLagQuiet is the same for the first print after a long quiet.
func BenchmarkLiveLagQuiet(b *testing.B) {
	eachSeat(b, func(b *testing.B, h *crowded) {
		var lags []time.Duration
		for n := 0; b.Loop(); n++ {
			h.drain(4*time.Second + time.Duration(n*83%251)*time.Millisecond)
			lags = append(lags, h.lag(n%benchVisible, fmt.Sprintf("=%d=", n)))
		}
		reportLags(b, lags)
	})
}

// BenchmarkLiveIdle is the cost of a Live that shows 12 of 100 quiet panes, as shares of a core.
func BenchmarkLiveIdle(b *testing.B) {
	eachSeat(b, func(b *testing.B, h *crowded) {
		h.shares(b, func() {})
	})
}

// BenchmarkLiveBusy is the same while all that it looks at print ten lines a
// second. What tmux spends includes reading them.
func BenchmarkLiveBusy(b *testing.B) {
	eachSeat(b, func(b *testing.B, h *crowded) {
		beat := time.NewTicker(100 * time.Millisecond)
		defer beat.Stop()
		n := 0
		h.shares(b, func() {
			for end := time.Now().Add(benchWindow); time.Now().Before(end); n++ {
				<-beat.C
				for i := range benchVisible {
					fmt.Fprintf(h.tty[i], "\x1b[3%dm%6d\x1b[m a line of the length that agents print, more or less\r\n",
						n%8, n)
				}
			}
		})
	})
}

const benchWindow = 5 * time.Second

// shares measures this process and tmux in windows of five seconds.
func (h *crowded) shares(b *testing.B, during func()) {
	var own, theirs, took time.Duration
	var frames int
	var children int64
	for b.Loop() {
		began, usedOwn, usedTheirs, touched := time.Now(), spent(b), h.spent(b), childPages(b)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			during()
		}()
		frames += h.drain(benchWindow)
		<-ended
		took += time.Since(began)
		own += spent(b) - usedOwn
		theirs += h.spent(b) - usedTheirs
		children += childPages(b) - touched
	}
	b.ReportMetric(100*float64(own)/float64(took), "%cupola")
	b.ReportMetric(100*float64(theirs)/float64(took), "%tmux")
	b.ReportMetric(float64(frames)/took.Seconds(), "frames/s")
	b.ReportMetric(float64(children), "child-pages")
}

// spent is the processor time of this process.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// childPages counts the pages that children of this process touched: none where
// no process was forked.
func childPages(b *testing.B) int64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Minflt
}

// spent is the processor time of the tmux server.
func (h *crowded) spent(b *testing.B) time.Duration {
	b.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", h.server))
	if err != nil {
		b.Skipf("needs /proc: %v", err)
	}
	ran, _, _ := strings.Cut(string(stat), " ")
	ns, err := strconv.ParseInt(ran, 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	return time.Duration(ns)
}

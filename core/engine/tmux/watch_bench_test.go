package tmux_test

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// From what a visible pane prints, which has printed lately, to the change.
func BenchmarkPrintToChange(b *testing.B) {
	for _, transport := range transports {
		b.Run(transport, func(b *testing.B) {
			s := open(b, crowd(b, 100), transport)
			l, err := s.List(b.Context(), 0)
			if err != nil {
				b.Fatal(err)
			}
			pane := l.Panes[7]
			tty, err := os.OpenFile(pane.TTY, os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			defer tty.Close()
			feed := s.Watch(b.Context())
			feed.SetFocus(engine.Focus{Watched: true, Visible: []core.PaneID{pane.ID}})
			<-feed.Changes()
			var worst time.Duration
			for n := 0; b.Loop(); n++ {
				began := time.Now()
				fmt.Fprintf(tty, "%d\r\n", n)
				// In its active second the pane is reported whether it printed or not.
				for seen := false; !seen; {
					c := <-feed.Changes()
					at := slices.IndexFunc(c.Listing.Panes, func(p engine.Pane) bool { return p.ID == pane.ID })
					y := c.Listing.Panes[at].View
					seen = y.Cursor.Y+y.History == n+1
				}
				worst = max(worst, time.Since(began))
			}
			b.ReportMetric(float64(worst.Milliseconds()), "worst-ms")
		})
	}
}

// What watching 100 quiet panes closely costs, as a share of a core.
func BenchmarkWatchQuietPanes(b *testing.B) {
	for _, transport := range transports {
		b.Run(transport, func(b *testing.B) {
			server := crowd(b, 100)
			feed := open(b, server, transport).Watch(b.Context())
			feed.SetFocus(engine.Focus{Watched: true})
			settled := time.After(4 * time.Second)
			for waiting := true; waiting; {
				select {
				case <-feed.Changes():
				case <-settled:
					waiting = false
				}
			}
			began, used := time.Now(), spent(b)
			for b.Loop() {
				<-time.After(4 * time.Second)
			}
			b.ReportMetric(100*float64(spent(b)-used)/float64(time.Since(began)), "%cpu")
		})
	}
}

// spent is the processor time of this process and of those it waited for.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var total time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			b.Fatal(err)
		}
		total += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return total
}

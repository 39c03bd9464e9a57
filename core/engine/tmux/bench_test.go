package tmux_test

import (
	"fmt"
	"os/exec"
	"slices"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// crowd starts a server with n panes.
func crowd(b *testing.B, n int) *enginetest.Tmux {
	b.Helper()
	server := enginetest.Private(b).Start()
	for range n - 1 {
		server.Run("new-window", "-d", "-t", "first:", "--", "sleep", "100000")
	}
	return server
}

// beside runs a tmux process and something else in turn, and reports the medians
// and, as x-bare, their ratio.
func beside(b *testing.B, server *enginetest.Tmux, bare []string, ask func() error) {
	b.Helper()
	var ours, theirs []time.Duration
	for b.Loop() {
		began := time.Now()
		if err := ask(); err != nil {
			b.Fatal(err)
		}
		ours = append(ours, time.Since(began))
		cmd := exec.CommandContext(b.Context(), server.Binary, append([]string{"-S", server.Socket}, bare...)...)
		cmd.Env = server.Environ
		began = time.Now()
		if _, err := cmd.Output(); err != nil {
			b.Fatal(err)
		}
		theirs = append(theirs, time.Since(began))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	our, their := ours[len(ours)/2], theirs[len(theirs)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(our.Seconds()*1000, "ms")
	b.ReportMetric(their.Seconds()*1000, "ms-bare")
	b.ReportMetric(float64(our)/float64(their), "x-bare")
}

// BenchmarkList compares lists with a bare tmux process that lists panes.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 100} {
		server := crowd(b, n)
		for _, transport := range transports {
			s := open(b, server, transport)
			for _, level := range []struct {
				name   string
				detail engine.Detail
			}{
				{"brief", engine.Brief | engine.WithCommand},
				{"cheap", 0},
				{"whole", engine.WithCommand | engine.WithDir},
			} {
				b.Run(fmt.Sprintf("panes=%d/%s/%s", n, transport, level.name), func(b *testing.B) {
					beside(b, server, []string{"list-panes", "-a"}, func() error {
						_, err := s.List(b.Context(), level.detail)
						return err
					})
				})
			}
		}
	}
}

// BenchmarkCapture compares captures of some panes with a bare tmux process that
// captures one.
func BenchmarkCapture(b *testing.B) {
	server := crowd(b, 100)
	for _, transport := range transports {
		s := open(b, server, transport)
		l, err := s.List(b.Context(), 0)
		if err != nil {
			b.Fatal(err)
		}
		for _, n := range []int{1, 12, 100} {
			asks := make([]engine.Ask, n)
			for i := range asks {
				asks[i] = engine.Ask{Pane: l.Panes[i].ID, Escapes: true}
			}
			b.Run(fmt.Sprintf("%s/panes=%d", transport, n), func(b *testing.B) {
				beside(b, server, []string{"capture-pane", "-p", "-e", "-t", string(asks[0].Pane)}, func() error {
					screens, err := s.Capture(b.Context(), asks...)
					if err == nil && len(screens) != n {
						err = fmt.Errorf("%d screens", len(screens))
					}
					return err
				})
			})
		}
	}
}

package tmux_test

import (
	"fmt"
	"os/exec"
	"testing"

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

func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 100} {
		server := crowd(b, n)
		b.Run(fmt.Sprintf("panes=%d/bare tmux list-panes", n), func(b *testing.B) {
			for b.Loop() {
				cmd := exec.CommandContext(b.Context(), server.Binary, "-S", server.Socket, "list-panes", "-a")
				cmd.Env = server.Environ
				if _, err := cmd.Output(); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, transport := range transports {
			s := open(b, server, transport)
			for name, detail := range map[string]engine.Detail{"cheap": 0, "whole": engine.WithCommand | engine.WithDir} {
				b.Run(fmt.Sprintf("panes=%d/%s/%s", n, transport, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if _, err := s.List(b.Context(), detail); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

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
				for b.Loop() {
					if screens, err := s.Capture(b.Context(), asks...); err != nil || len(screens) != n {
						b.Fatal(len(screens), err)
					}
				}
			})
		}
	}
}

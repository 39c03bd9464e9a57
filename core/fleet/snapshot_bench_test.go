package fleet_test

import (
	"fmt"
	"os/exec"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/observe"
)

const benchPanes = 100

// crowd fills a server with panes in ten sessions, each running a program.
func crowd(b *testing.B, th *tmuxFleet, program string) {
	b.Helper()
	for session := range 10 {
		name := fmt.Sprintf("s%d", session)
		th.tmux.Run("new-session", "-d", "-s", name, "-x", "80", "-y", "24", "--", "sh", "-c", program)
		for range benchPanes/10 - 1 {
			th.tmux.Run("new-window", "-d", "-t", name+":", "--", "sh", "-c", program)
		}
	}
}

// BenchmarkSnapshot compares a snapshot of 100 panes with a bare tmux process that lists them; its budget is relative
// to that.
func BenchmarkSnapshot(b *testing.B) {
	for _, c := range []struct{ name, program string }{
		{"shells", "exec sleep 1000"},
		// A host of agents by its name, so that its arguments must be looked at.
		{"hosts", `exec -a node sleep 1000`},
	} {
		for _, transport := range []string{tmux.Socket, tmux.Exec} {
			b.Run(c.name+"/"+transport, func(b *testing.B) {
				th := open(b, transport)
				program := c.program
				if c.name == "hosts" {
					program = "exec bash -c '" + c.program + "'"
				}
				crowd(b, th, program)
				for b.Loop() {
					snapshot, err := th.Overview.Snapshot(b.Context(), observe.View{})
					if err != nil || len(snapshot.Panes()) != benchPanes {
						b.Fatalf("%d panes, %v", len(snapshot.Panes()), err)
					}
				}
			})
		}
	}
	b.Run("bare", func(b *testing.B) {
		th := open(b, tmux.Exec)
		crowd(b, th, "exec sleep 1000")
		for b.Loop() {
			cmd := exec.Command(th.tmux.Binary, "-S", th.tmux.Socket, "list-panes", "-a")
			cmd.Env = th.tmux.Environ
			if err := cmd.Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("snapshot", func(b *testing.B) {
		th := open(b, tmux.Socket)
		crowd(b, th, "exec sleep 1000")
		seen, err := th.Observer.Outline(b.Context(), observe.View{})
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := th.Observer.Update(b.Context(), &engine.Change{Listing: seen.Listing},
				observe.NewTracker(false)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

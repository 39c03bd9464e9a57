package fleet_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
)

// recordedPanes fills a server with panes that show recorded screens of agents, ten a
// session, the kinds in turn.
func recordedPanes(b *testing.B, th *tmuxFleet) {
	b.Helper()
	all := fleettest.Recordings(b)
	kinds := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	var tags []engine.Tag
	for i := range benchPanes {
		of := all[kinds[i%len(kinds)]]
		file := filepath.Join(th.tmux.Dir, fmt.Sprintf("screen-%d", i))
		if err := os.WriteFile(file, []byte(of[i/len(kinds)%len(of)].Drawn(b)), 0o600); err != nil {
			b.Fatal(err)
		}
		session, program := fmt.Sprintf("s%d", i/10), fmt.Sprintf("cat %s; exec sleep 100000", file)
		args := []string{"new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=" + session + ":"}
		if i%10 == 0 {
			args = []string{"new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, "-x", "120", "-y", "40"}
		}
		id := core.PaneID(strings.TrimSpace(th.tmux.Run(append(args, "--", "sh", "-c", program)...)))
		tags = append(tags, engine.Tag{Pane: id, Name: engine.TagKind, Value: kinds[i%len(kinds)]})
	}
	if err := th.options.Engine.Tag(b.Context(), tags...); err != nil {
		b.Fatal(err)
	}
	th.until(b, func(s *core.Snapshot) bool { return s.Counts().ByState[core.Unknown] < benchPanes/10 })
}

// BenchmarkSnapshotOfAgents takes a snapshot with the states of 100 agents.
func BenchmarkSnapshotOfAgents(b *testing.B) {
	for _, transport := range []string{tmux.Socket, tmux.Exec} {
		b.Run(transport, func(b *testing.B) {
			th := open(b, transport)
			recordedPanes(b, th)
			for b.Loop() {
				snapshot, err := th.Overview.Snapshot(b.Context(), observe.View{})
				if err != nil || len(snapshot.Panes()) != benchPanes {
					b.Fatalf("%d panes, %v", len(snapshot.Panes()), err)
				}
			}
		})
	}
	b.Run("screens", func(b *testing.B) {
		th := open(b, tmux.Socket)
		recordedPanes(b, th)
		var asks []engine.Ask
		for _, pane := range th.until(b, func(*core.Snapshot) bool { return true }).Panes() {
			asks = append(asks, engine.Ask{Pane: pane.ID, Brief: true})
		}
		for b.Loop() {
			if _, err := th.options.Engine.Capture(b.Context(), asks...); err != nil {
				b.Fatal(err)
			}
		}
	})
}

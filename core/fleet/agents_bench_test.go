package fleet_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
	"cupola/core/fleet/observe"
)

// recording is a line of the index of recorded screens.
type recording struct {
	File, Agent, State, Size string
	Cursor                   [3]any
	Strict                   bool
}

// recordings are the screens of 120x40 of real agents that run, by kind.
func recordings(tb testing.TB) map[string][]recording {
	tb.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		tb.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	index, err := os.ReadFile(filepath.Join(data, "screens", "index.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	byKind := map[string][]recording{}
	for line := range bytes.Lines(index) {
		var r recording
		if err := json.Unmarshal(line, &r); err != nil {
			tb.Fatal(err)
		}
		if r.Size == "120x40" && r.State != "exited" {
			byKind[r.Agent] = append(byKind[r.Agent], r)
		}
	}
	return byKind
}

// drawn returns what draws a recorded screen on a terminal of its size.
func (r *recording) drawn(tb testing.TB) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("CUPOLA_TESTDATA"), "screens", r.File+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	x, _ := r.Cursor[0].(float64)
	y, _ := r.Cursor[1].(float64)
	shown := "l"
	if r.Cursor[2] == true || r.Cursor[2] == 1.0 {
		shown = "h"
	}
	return fmt.Sprintf("\x1b[H\x1b[2J%s\x1b[%d;%dH\x1b[?25%s",
		strings.ReplaceAll(strings.TrimRight(string(text), "\n"), "\n", "\r\n"), int(y)+1, int(x)+1, shown)
}

// drawing is the first screen of a kind that was recorded in a state.
func drawing(tb testing.TB, kind, state string) string {
	tb.Helper()
	for _, r := range recordings(tb)[kind] {
		if r.State == state && r.Strict {
			return r.drawn(tb)
		}
	}
	tb.Fatalf("no screen of %s was recorded in the state %s", kind, state)
	return ""
}

// ensemble fills a server with panes that show recorded screens of agents, ten a
// session, the kinds in turn.
func ensemble(b *testing.B, th *tmuxFleet) {
	b.Helper()
	all := recordings(b)
	kinds := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	var tags []engine.Tag
	for i := range benchPanes {
		of := all[kinds[i%len(kinds)]]
		file := filepath.Join(th.tmux.Dir, fmt.Sprintf("screen-%d", i))
		if err := os.WriteFile(file, []byte(of[i/len(kinds)%len(of)].drawn(b)), 0o600); err != nil {
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
			ensemble(b, th)
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
		ensemble(b, th)
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

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/tmux"
)

// recordings are screens of real agents, by kind.
func recordings(tb testing.TB) map[string][]string {
	tb.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		tb.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	files, err := filepath.Glob(filepath.Join(data, "screens", "*", "*", "*-120x40.txt"))
	if err != nil || len(files) < 100 {
		tb.Fatalf("%d recordings in %s, %v", len(files), data, err)
	}
	byKind := map[string][]string{}
	for _, file := range files {
		state := filepath.Dir(file)
		if filepath.Base(state) != "exited" {
			kind := filepath.Base(filepath.Dir(state))
			byKind[kind] = append(byKind[kind], file)
		}
	}
	return byKind
}

// ensemble fills a server with panes that show recorded screens of agents, ten a
// session, the kinds in turn.
func ensemble(b *testing.B, th *theatre) {
	b.Helper()
	files := recordings(b)
	kinds := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	var tags []engine.Tag
	for i := range benchPanes {
		kind := kinds[i%len(kinds)]
		file := files[kind][i/len(kinds)%len(files[kind])]
		session, program := fmt.Sprintf("s%d", i/10), fmt.Sprintf(`printf %%s "$(cat '%s')"; exec sleep 100000`, file)
		args := []string{"new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "=" + session + ":"}
		if i%10 == 0 {
			args = []string{"new-session", "-d", "-P", "-F", "#{pane_id}", "-s", session, "-x", "120", "-y", "40"}
		}
		id := core.PaneID(strings.TrimSpace(th.tmux.Run(append(args, "--", "sh", "-c", program)...)))
		tags = append(tags, engine.Tag{Pane: id, Name: engine.TagKind, Value: kind})
	}
	if err := th.engine.Tag(b.Context(), tags...); err != nil {
		b.Fatal(err)
	}
	th.until(b, func(s *core.Snapshot) bool { return s.Counts().ByState[core.Idle] > 20 })
}

// BenchmarkSnapshotOfAgents takes a picture with the states of 100 agents.
func BenchmarkSnapshotOfAgents(b *testing.B) {
	for _, transport := range []string{tmux.Socket, tmux.Exec} {
		b.Run(transport, func(b *testing.B) {
			th := open(b, transport)
			ensemble(b, th)
			for b.Loop() {
				snapshot, err := th.Snapshot(b.Context(), View{})
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
			asks = append(asks, engine.Ask{Pane: pane.ID, Join: true})
		}
		for b.Loop() {
			if _, err := th.engine.Capture(b.Context(), asks...); err != nil {
				b.Fatal(err)
			}
		}
	})
}

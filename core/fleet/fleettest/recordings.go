package fleettest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cupola/core"
	"cupola/core/agent"
)

// Recorded is a screen of a real agent that was recorded.
type Recorded struct {
	File, Agent, State, Size string
	// Cursor is its column, its row, and whether it is shown.
	Cursor [3]any
	Strict bool
}

// Recordings returns the recorded 120x40 screens of running real agents, by kind. Without
// recordings, the test is skipped.
func Recordings(tb testing.TB) map[string][]Recorded {
	tb.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		tb.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	index, err := os.ReadFile(filepath.Join(data, "screens", "index.jsonl"))
	if err != nil {
		tb.Fatal(err)
	}
	byKind := map[string][]Recorded{}
	for line := range bytes.Lines(index) {
		var r Recorded
		if err := json.Unmarshal(line, &r); err != nil {
			tb.Fatal(err)
		}
		if r.Size == "120x40" && r.State != "exited" {
			byKind[r.Agent] = append(byKind[r.Agent], r)
		}
	}
	return byKind
}

// Drawn returns what draws the screen on a terminal of its size.
func (r *Recorded) Drawn(tb testing.TB) string {
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

// Drawing draws the first screen of a kind that was recorded in a state.
func Drawing(tb testing.TB, kind, state string) string {
	tb.Helper()
	for _, r := range Recordings(tb)[kind] {
		if r.State == state && r.Strict {
			return r.Drawn(tb)
		}
	}
	tb.Fatalf("no screen of %s was recorded in the state %s", kind, state)
	return ""
}

// KindsWithout returns the kinds without the rules that know one of some states, as they are for screens of versions to
// come. Dir is the folder of their files.
func KindsWithout(tb testing.TB, dir string, states ...core.State) *agent.Kinds {
	tb.Helper()
	files := fstest.MapFS{}
	paths, err := filepath.Glob(filepath.Join(dir, "*.toml"))
	if err != nil || len(paths) == 0 {
		tb.Fatal(dir, err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			tb.Fatal(err)
		}
		var off strings.Builder
		fmt.Fprintf(&off, "id = %q\n", strings.TrimSuffix(filepath.Base(path), ".toml"))
		for _, table := range strings.Split(string(text), "\n[")[1:] {
			name, body, _ := strings.Cut(table, "]")
			knows := func(state core.State) bool { return strings.Contains(body, "\nstate = \""+string(state)+"\"\n") }
			if strings.HasPrefix(name, "rule.") && slices.ContainsFunc(states, knows) {
				fmt.Fprintf(&off, "[%s]\noff = true\n", name)
			}
		}
		files[filepath.Base(path)] = &fstest.MapFile{Data: []byte(off.String())}
	}
	kinds, err := agent.Load(files)
	if err != nil {
		tb.Fatal(err)
	}
	return kinds
}

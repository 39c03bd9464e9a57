package robot_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode"

	"github.com/spf13/pflag"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/system/process"
	"cupola/core/verb"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
	"cupola/robot"
)

// crowd is an engine with sessions of agents, each with a recorded screen.
type crowd struct {
	engine.Engine
	sessions, panes int // panes in each session
	shown           []recorded
}

// recorded is a screen as its agent drew it.
type recorded struct {
	File, Agent, State, Size, Title string
	Cursor                          [3]any
	lines                           []string
}

// noon is the clock of a crowd.
var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

func newCrowd(t *testing.T, sessions, panes int) *crowd {
	t.Helper()
	data := os.Getenv("CUPOLA_TESTDATA")
	if data == "" {
		t.Skip("needs recordings of real agents: set CUPOLA_TESTDATA to their folder")
	}
	index, err := os.ReadFile(filepath.Join(data, "screens", "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	c := &crowd{sessions: sessions, panes: panes}
	for line := range bytes.Lines(index) {
		var r recorded
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		if r.Size != "120x40" || r.State == "exited" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(data, "screens", r.File+".txt"))
		if err != nil {
			t.Fatal(err)
		}
		r.lines = strings.Split(strings.TrimRight(string(text), "\n"), "\n")
		c.shown = append(c.shown, r)
	}
	return c
}

// at returns the screen of the nth pane: screens from all over the recordings.
func (c *crowd) at(n int) *recorded { return &c.shown[n*37%len(c.shown)] }

func (c *crowd) Info(context.Context) (engine.Info, error) { return engine.Info{Socket: "/s"}, nil }

func (c *crowd) Overlaps() bool { return false }

func (c *crowd) Processes() process.Source { return process.Local{} }

func (c *crowd) Close() error { return nil }

func (c *crowd) Tag(context.Context, ...engine.Tag) error { return nil }

func (c *crowd) List(context.Context, engine.Detail) (engine.Listing, error) {
	list := engine.Listing{Taken: noon}
	for i := range c.sessions {
		id := core.SessionID(fmt.Sprintf("$%d", i))
		list.Sessions = append(list.Sessions, engine.Session{
			ID: id, Name: fmt.Sprintf("project-%d", i), Created: noon.Add(-time.Hour), Dir: "/srv",
			Tags: map[string]string{engine.TagOrigin: "spawn"},
		})
		for j := range c.panes {
			n := i*c.panes + j
			kind := c.at(n).Agent
			list.Panes = append(list.Panes, engine.Pane{
				ID: core.PaneID(fmt.Sprintf("%%%d", n)), Session: id,
				Window: core.Window{ID: core.WindowID(fmt.Sprintf("@%d", n)), Name: "w"},
				Title:  c.at(n).Title, View: core.Viewport{Width: 120, Height: 40, AlternateOn: true},
				Process: core.Process{PID: 40_000 + n, Command: kind, Dir: "/srv"},
				Tags: map[string]string{
					engine.TagRole: "agent", engine.TagKind: kind, engine.TagName: fmt.Sprintf("%s_%d", kind, j+1),
					engine.TagOrdinal: fmt.Sprint(j + 1), engine.TagLaunch: kind,
				},
			})
		}
	}
	return list, nil
}

func (c *crowd) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screens := make([]core.Screen, 0, len(asks))
	for _, ask := range asks {
		var n int
		if _, err := fmt.Sscanf(string(ask.Pane), "%%%d", &n); err != nil {
			return nil, err
		}
		shown := c.at(n)
		x, _ := shown.Cursor[0].(float64)
		y, _ := shown.Cursor[1].(float64)
		screens = append(screens, core.Screen{
			Pane: ask.Pane, Title: shown.Title, Lines: shown.lines, Visible: len(shown.lines),
			View: core.Viewport{
				Width: 120, Height: 40, AlternateOn: true,
				Cursor: core.Cursor{X: int(x), Y: int(y), Visible: shown.Cursor[2] == true},
			},
		})
	}
	return screens, nil
}

// answer returns the answer of a verb about the crowd.
func (c *crowd) answer(t *testing.T, globals registry.Globals, words ...string) string {
	t.Helper()
	kinds, err := agent.Load(fstest.MapFS{})
	if err != nil {
		t.Fatal(err)
	}
	catalog := catalog.All()
	env := &verb.Env{Local: verb.Local{Caller: registry.Caller{Version: "1.2.3", Catalog: catalog}}}
	env.Getenv = func(string) string { return "" }
	env.OpenFleet = func() (*fleet.Fleet, error) {
		return fleet.Open(fleet.Options{
			Engine: c, Kinds: kinds, Self: "/opt/cupola",
			Now: func() time.Time { return noon },
		}), nil
	}
	defer env.Close()
	var out bytes.Buffer
	face := &robot.Face{
		Env: env, Globals: globals, Stdout: &out, Stderr: &out, Now: func() time.Time { return noon },
		Started: noon,
	}
	verb := catalog.Find(words[0])
	flags := pflag.NewFlagSet(words[0], pflag.ContinueOnError)
	bound := verb.Bind(flags)
	if err := flags.Parse(words[1:]); err != nil {
		t.Fatal(err)
	}
	if err := bound.Args(flags.Args()); err != nil {
		t.Fatal(err)
	}
	if status := face.Run(t.Context(), verb, bound.Input()); status != 0 {
		t.Fatalf("%q: status %d, %s", words, status, &out)
	}
	return out.String()
}

// tokens estimates what a text costs to read: a token for every four letters or
// three digits in a row, every two other marks, and every blank run but single
// ones.
func tokens(text string) int {
	const letters, digits, marks, blanks = 4, 3, 2, 8
	size := func(r rune) int {
		switch {
		case unicode.IsLetter(r):
			return letters
		case unicode.IsDigit(r):
			return digits
		case unicode.IsSpace(r):
			return blanks
		}
		return marks
	}
	n, run, last := 0, 0, 0
	for _, r := range text {
		kind := size(r)
		if kind != last || run == kind {
			run = 0
			if r != ' ' {
				n++
			}
		}
		run++
		last = kind
	}
	return n
}

// sized are the forms of an answer whose size is limited.
var sized = []struct {
	name    string
	globals registry.Globals
}{
	{"json", registry.Globals{Format: "json"}},
	{"json, minimal", registry.Globals{Format: "json", Fields: []string{"minimal"}}},
	{"toon", registry.Globals{Format: "toon"}},
	{"toon, minimal", registry.Globals{Format: "toon", Fields: []string{"minimal"}}},
	{"markdown", registry.Globals{Format: "markdown"}},
	{"terse", registry.Globals{Format: "terse"}},
}

// TestSizesOfAnswers prints the table of docs/PERFORMANCE.md under -v.
func TestSizesOfAnswers(t *testing.T) {
	var page strings.Builder
	page.WriteString("| verb | form | 1 pane | 10 panes | 100 panes |\n|---|---|---|---|---|\n")
	for _, words := range [][]string{
		{"status"},
		{"snapshot", "--sections=sessions,panes,alerts"},
		{"tail", "project-0"},
		{"alerts"},
	} {
		for _, form := range sized {
			fmt.Fprintf(&page, "| %s | %s |", words[0], form.name)
			for _, panes := range []int{1, 10, 100} {
				c := newCrowd(t, max(1, panes/10), min(10, panes))
				if words[0] == "tail" {
					c = newCrowd(t, 1, panes)
				}
				text := c.answer(t, form.globals, words...)
				if text == "" {
					t.Errorf("%q, %s: nothing", words, form.name)
				}
				fmt.Fprintf(&page, " %d (%d) |", len(text), tokens(text))
			}
			page.WriteString("\n")
		}
	}
	t.Log("bytes and estimated tokens\n" + page.String())
}

func TestSmallFormsOfAStatusAreSmall(t *testing.T) {
	c := newCrowd(t, 10, 10)
	whole := len(c.answer(t, registry.Globals{Format: "json"}, "status"))
	for _, promise := range []struct {
		what    string
		globals registry.Globals
		percent int // fewer bytes than compact JSON
	}{
		{"toon", registry.Globals{Format: "toon"}, 30},
		{"minimal columns", registry.Globals{Format: "json", Fields: []string{"minimal"}}, 50},
		{"two columns", registry.Globals{Format: "json", Fields: []string{"agent", "state"}}, 60},
	} {
		small := len(c.answer(t, promise.globals, "status"))
		if small*100 > whole*(100-promise.percent) {
			t.Errorf("%s: %d bytes against %d, which is not %d %% fewer", promise.what, small, whole, promise.percent)
		}
	}
}

package detect_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
)

var noon = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

// capture is one recorded screen with its label.
type capture struct {
	File, Agent, Version, State, Phase, Size, Title, Command string
	Strict                                                   bool
	Alternate                                                bool   `json:"alternate_on"`
	Cursor                                                   [3]any `json:"cursor"`

	root string
}

// corpus reads the captures of a folder.
func corpus(t testing.TB, root string) []capture {
	t.Helper()
	file, err := os.Open(filepath.Join(root, "index.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var captures []capture
	for lines := bufio.NewScanner(file); lines.Scan(); {
		c := capture{root: root, Strict: true}
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		captures = append(captures, c)
	}
	return captures
}

// recordings is the folder of recorded screens; a test without it is skipped.
func recordings(t testing.TB) string {
	t.Helper()
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	return filepath.Join(folder, "screens")
}

// screen reads a capture, with escapes where ext is ".ansi".
func (c *capture) screen(t testing.TB, ext string) *core.Screen {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.root, c.File+ext))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	view := core.Viewport{AlternateOn: c.Alternate}
	if _, err := fmt.Sscanf(c.Size, "%dx%d", &view.Width, &view.Height); err != nil {
		t.Fatal(err)
	}
	x, okX := c.Cursor[0].(float64)
	y, okY := c.Cursor[1].(float64)
	visible, okV := c.Cursor[2].(bool)
	if !okX || !okY || !okV {
		t.Fatalf("%s: no cursor in %v", c.File, c.Cursor)
	}
	view.Cursor = core.Cursor{X: int(x), Y: int(y), Visible: visible}
	return &core.Screen{Lines: lines, Visible: len(lines), View: view, Title: c.Title}
}

// judged is the verdict on a screen of a capture.
func (c *capture) judged(kinds *agent.Kinds, screen *core.Screen) detect.Verdict {
	return detect.Judge(c.facts(kinds, screen))
}

// facts returns the facts about a screen of the capture.
func (c *capture) facts(kinds *agent.Kinds, screen *core.Screen) detect.Facts {
	kind, _ := kinds.Find(c.Agent)
	return detect.Facts{
		Now: noon, Kind: kind, Process: core.Process{Command: c.Command}, Gone: c.Command == "bash",
		Title: screen.Title, Screen: screen,
	}
}

// want is the expected verdict for a label. Several states are right where the label says more than a screen can show.
type want struct {
	states []core.State
	reason core.Reason
}

// wanted maps a label; ok is false for labels that mean nothing here.
func (c *capture) wanted() want {
	one := func(state core.State, reason core.Reason) want { return want{[]core.State{state}, reason} }
	switch state := c.State; {
	case c.Phase == "retrying", strings.HasPrefix(state, "working"), state == "compacting":
		return one(core.Working, "")
	case state == "waiting_permission":
		return one(core.Waiting, core.ReasonApproval)
	case state == "waiting_plan_approval":
		return one(core.Waiting, core.ReasonPlan)
	case state == "waiting_question":
		return one(core.Waiting, core.ReasonQuestion)
	case state == "startup_dialog":
		return one(core.Waiting, "")
	case state == "error_rate_limit":
		return one(core.Limited, "")
	case strings.HasPrefix(state, "error_"):
		return one(core.Errored, core.Reason(strings.TrimPrefix(state, "error_")))
	case state == "exited":
		return one(core.Exited, "")
	case state == "starting" && c.Phase == "drawn":
		// the screen also looks as it does when the agent is ready
		return want{[]core.State{core.Starting, core.Idle}, ""}
	case state == "starting":
		return one(core.Starting, "")
	}
	return one(core.Idle, "")
}

func (w want) right(v detect.Verdict) bool {
	return slices.Contains(w.states, v.State) && (w.reason == "" || w.reason == v.Reason)
}

// dangerous reports whether an agent would be left waiting: a dialog, a limit or
// an error that is taken for work or rest.
func (w want) dangerous(v detect.Verdict) bool {
	needs := w.states[0] == core.Waiting || w.states[0] == core.Limited || w.states[0] == core.Errored
	return needs && (v.State == core.Working || v.State == core.Idle)
}

package fleet

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

func TestATranscriptIsReadForItsContextOnlyWhereItHasGrown(t *testing.T) {
	now := noon
	f := Open(Options{Kinds: kindsFor(t), Now: func() time.Time { return now }})
	path := filepath.Join(t.TempDir(), "s.jsonl")
	says := func(tokens, pad int, at time.Time) {
		t.Helper()
		line := fmt.Sprintf(`{"type":"assistant","message":{"model":"claude-haiku-5","usage":{"input_tokens":%06d}},"pad":"%s"}`+"\n", tokens, strings.Repeat("x", pad))
		line = strings.Replace(line, ":0", ":", 1)
		if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	g := gauge{observer: &f.observer, panes: map[core.PaneID]*gauged{
		"%1": {pane: core.Pane{ID: "%1", Agent: core.Agent{Kind: "claude"}}, moved: now, path: path, shown: -1, counted: -1},
	}}
	measured := func() string {
		t.Helper()
		news := g.measure(t.Context())
		used, known := g.used()["%1"]
		return fmt.Sprint(news, used, known)
	}
	says(100_000, 0, noon)
	if got := measured(); got != "true 50 true" {
		t.Errorf("at first %s", got)
	}
	says(190_000, 0, noon)
	if got := measured(); got != "false 50 true" {
		t.Errorf("a file that did not change was read: %s", got)
	}
	says(190_000, 9, noon.Add(time.Second))
	if got := measured(); got != "true 95 true" {
		t.Errorf("grown %s", got)
	}
	// Nobody looks where the screen stands still.
	now = noon.Add(time.Minute)
	g.measure(t.Context())
	says(10_000, 99, now)
	now = noon.Add(2 * time.Minute)
	if got := measured(); got != "false 95 true" {
		t.Errorf("a still pane's transcript was read: %s", got)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	g.panes["%1"].moved = now
	if got := measured(); got != "false 95 true" || g.panes["%1"].path != "" {
		t.Errorf("gone %s", got)
	}
}

func TestHowMuchContextIsLeftSaysHowSevereItIs(t *testing.T) {
	for used, want := range map[int]core.Severity{-1: core.SeverityWarning, 10: core.SeverityWarning, 81: core.SeverityWarning, 95: core.SeverityWarning, 96: core.SeverityError} {
		picture := aWaiting()
		pane := picture.Panes()[0]
		pane.Status = core.Status{State: core.Idle, Notes: []core.Note{core.NoteContextLow}}
		w := newWarden(alert.Defaults())
		if used >= 0 {
			w.gauge.panes = map[core.PaneID]*gauged{pane.ID: {shown: used, counted: 3}}
		}
		w.take(nil, picture, nil, noon)
		if len(picture.Alerts) != 1 || picture.Alerts[0].Type != core.AlertContextLow || picture.Alerts[0].Severity != want {
			t.Errorf("%d %% used: %+v", used, picture.Alerts)
		}
	}
	picture := aWaiting()
	picture.Panes()[0].Status = core.Status{State: core.Idle}
	w := newWarden(alert.Defaults())
	w.gauge.panes = map[core.PaneID]*gauged{"%1": {shown: -1, counted: 79}}
	w.take(nil, picture, nil, noon)
	if len(picture.Alerts) != 0 {
		t.Errorf("enough is left: %+v", picture.Alerts)
	}
}

func TestAPaneThatHoldsAnotherAgentIsMeasuredAnew(t *testing.T) {
	f := Open(Options{Kinds: kindsFor(t)})
	g := gauge{observer: &f.observer}
	picture := aWaiting()
	pane := picture.Panes()[0]
	pane.Process.PID = 7
	g.note(picture, newMemory(true))
	g.panes[pane.ID].counted = 90
	g.note(picture, newMemory(true))
	if g.used()[pane.ID] != 90 {
		t.Errorf("forgot %+v", g.used())
	}
	pane.Process.PID = 8
	g.note(picture, newMemory(true))
	if len(g.used()) != 0 {
		t.Errorf("kept %+v", g.used())
	}
}

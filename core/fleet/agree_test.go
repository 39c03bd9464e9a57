package fleet_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/engine"
	"cupola/core/fleet"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// screenEngine is an engine with one pane that shows a recorded screen for ever.
type screenEngine struct {
	*fleettest.ScriptedEngine
	screen core.Screen
}

func (e *screenEngine) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	screen := e.screen
	screen.Taken = time.Now()
	return []core.Screen{screen}, ctx.Err()
}

// show returns the engine for a recording.
func show(t *testing.T, kind string, r *fleettest.Recorded) *screenEngine {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv("CUPOLA_TESTDATA"), "screens", r.File+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	e := &screenEngine{ScriptedEngine: fleettest.NewScriptedEngine()}
	e.Listing.Panes[0] = fleettest.Row("$1", "%1", "node", engine.TagKind, kind, engine.TagRole, panetag.RoleAgent,
		engine.TagName, "a_1", engine.TagOrdinal, "1")
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	x, _ := r.Cursor[0].(float64)
	y, _ := r.Cursor[1].(float64)
	e.screen = core.Screen{Pane: "%1", Lines: lines, Visible: len(lines), View: core.Viewport{
		Width: 120, Height: 40, Cursor: core.Cursor{X: int(x), Y: int(y), Visible: r.Cursor[2] == true},
	}}
	return e
}

// TestAllVerbsAgree asks each verb about each recorded screen: what it does follows from the state that status shows.
func TestAllVerbsAgree(t *testing.T) {
	t.Parallel()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	counts := map[core.State]int{}
	for kind, recorded := range fleettest.Recordings(t) {
		for i := range recorded {
			e := show(t, kind, &recorded[i])
			synctest.Test(t, func(t *testing.T) {
				f := fleet.Open(fleet.Options{Engine: e, Kinds: kinds, Environ: []string{}})
				counts[agree(t, f, recorded[i].File)]++
			})
		}
	}
	t.Logf("screens by state: %v", counts)
	for _, state := range []core.State{core.Idle, core.Working, core.Waiting, core.Errored, core.Limited} {
		if counts[state] == 0 {
			t.Errorf("no recorded screen is %s", state)
		}
	}
}

// agree asks all verbs about api.1 and returns its state.
func agree(t *testing.T, f *fleet.Fleet, file string) core.State {
	t.Helper()
	snapshot, err := f.Overview.Snapshot(t.Context(), observe.View{Session: "api"})
	if err != nil {
		t.Fatal(err)
	}
	pane := snapshot.Pane("%1")
	s, waits := pane.Status, pane.Status.State == core.Waiting
	target := resolve.Target{Session: "api"}
	sent, _ := f.Sender.Send(t.Context(), deliver.Request{Target: target, Text: "hello", DryRun: true})
	d := sent.Deliveries[0]
	later := strings.Contains(strings.Join(d.Evidence, ""), "would be waited for")
	answers, answerErr := f.Sender.Answer(t.Context(),
		deliver.AnswerRequest{Target: target, Act: core.ActDeny, DryRun: true})
	_, waitErr := f.Waiter.Wait(t.Context(), await.Request{
		Target: target, Poll: 100 * time.Millisecond, Timeout: 5 * time.Second,
	})
	attended := slices.Contains(snapshot.PanesNeedingUser(), pane)
	var failed *core.Error
	notReady := errors.As(waitErr, &failed) && failed.Code == core.NotReady
	for claim, holds := range map[string]bool{
		"send refuses where a dialog is open, and only there": waits == (d.Why == "dialog"),
		"attention has a row where it waits":                  !waits || attended,
		"a wait ends where it waits":                          !waits || notReady,
		"answer has a dialog to answer, and only there":       waits == isDialog(answers, answerErr),
		"an idle agent takes a prompt": s.State != core.Idle ||
			d.Outcome == core.Planned && !later || s.Has(core.NoteDraft) && d.Why == "draft",
		"a draft is a draft for send":            !s.Has(core.NoteDraft) || waits || later || d.Why == "draft",
		"a wait for idle ends, and only at idle": (s.State == core.Idle) == (waitErr == nil) || unsettled(s),
		"what is not known takes no prompt":      s.State != core.Unknown || later || d.Outcome != core.Planned,
	} {
		if !holds {
			t.Errorf("%s is %s %s: not %s: send %s %s %q, answer %v, wait %v", file, s.State, s.Reason, claim,
				d.Outcome, d.Why, d.Evidence, answerErr, waitErr)
		}
	}
	return s.State
}

// unsettled reports whether an idle agent will continue by itself.
func unsettled(s core.Status) bool {
	return s.Has(core.NoteQueued) || s.Has(core.NoteRetrying) || s.Has(core.NoteSubagents)
}

// isDialog reports whether an answer found a dialog, even if it has no way to deny it.
func isDialog(answers []deliver.Answered, err error) bool {
	var failed *core.Error
	return err == nil && len(answers) > 0 || errors.As(err, &failed) && failed.Code != core.NotReady
}

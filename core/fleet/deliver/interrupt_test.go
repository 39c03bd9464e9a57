package deliver

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/terminal"
)

func TestATurnThatWaitsForALimitToEndIsOneThatRuns(t *testing.T) {
	kinds := fleettest.Kinds(t, nil)
	kind, _ := kinds.Find("opencode")
	screen := &core.Screen{Lines: []string{
		"┃", "┃  write the report", "┃", "", "", "┃", "┃  ", "┃", "┃  Build  Mock Model",
		"╹▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
		" ⬝⬝■■■■⬝⬝ rate limit [retrying in 1h 28m attempt #2]  esc interrupt",
	}}
	screen.Visible = len(screen.Lines)
	screen.View = core.Viewport{
		Width: 80, Height: screen.Visible, AlternateOn: true,
		Cursor: core.Cursor{X: 3, Y: 6, Visible: true},
	}
	reading := kind.Read(screen)
	if _, found := reading.Composer(); !found {
		t.Fatal("no composer is read")
	}
	pane := &terminal.Terminal{Kind: kind}
	status := pane.Status(&terminal.Capture{Screen: screen, Reading: reading})
	if status.State != core.Limited || !status.Has(core.NoteRetrying) || !inTurn(&status) {
		t.Errorf("%+v", status)
	}
	b := &interrupter{
		Terminal: pane, keys: []string{"Escape"}, request: &InterruptRequest{},
		answer: Interrupted{Before: status},
	}
	if err := b.permitted(); err != nil {
		t.Errorf("it is not interrupted: %v", err)
	}
}

// TestATurnIsInterruptedOnceItHasStarted interrupts an agent that was given a prompt and has not shown anything since.
// Keys do nothing until its turn starts, a second later or never.
func TestATurnIsInterruptedOnceItHasStarted(t *testing.T) {
	for _, starts := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.Listing.Panes[0] = fleettest.Row("$1", "%1", "cupola", engine.TagKind, "scripted", engine.TagRole,
				panetag.RoleAgent, engine.TagName, "scr_1", engine.TagOrdinal, "1",
				engine.TagAsked, strconv.FormatInt(time.Now().UnixMilli(), 10))
			early := false
			a.OnPress = func(string) { early, a.Working = early || !a.Working, false }
			if starts {
				a.Later(time.Second, func() { a.Working = true })
			}
			s := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
			planned, err := s.Interrupt(t.Context(),
				InterruptRequest{Target: resolve.Target{Session: "api"}, DryRun: true})
			if err != nil || planned[0].Before.State != core.Working || len(planned[0].Keys) == 0 {
				t.Errorf("dry run: %+v, %v", planned, err)
			}
			got, err := s.Interrupt(t.Context(), InterruptRequest{Target: resolve.Target{Session: "api"}})
			if err != nil || len(got) != 1 || early || len(got[0].Keys) > 0 != starts ||
				got[0].After.State != core.Idle || got[0].Why == "" != starts {
				t.Errorf("starts %v: pressed early %v, %+v, %v", starts, early, got, err)
			}
		})
	}
}

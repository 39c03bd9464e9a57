package deliver

import (
	"testing"

	"cupola/core"
	"cupola/core/fleet/fleettest"
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

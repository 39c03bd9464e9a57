package fleet

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// actor is an engine with one pane in which an agent of the kind scripted is
// played by the test.
type actor struct {
	puppet
	mu      sync.Mutex
	draft   string
	dialog  bool
	command string // what the dialog is about; empty is make
	blank   bool   // it shows no composer
	working bool
	inMode  bool
	gone    bool
	// lineOf is the prompt of a shell that is shown instead.
	lineOf string

	pasted  []string
	pressed []string
	// paste and press act instead of taking the text.
	paste func(text string)
	press func(key string)
}

func newActor() *actor {
	pane := row("$1", "%1", "cupola", engine.TagKind, "scripted", engine.TagRole, roleAgent, engine.TagName, "scr_1", engine.TagOrdinal, "1")
	a := &actor{}
	a.listing = engine.Listing{Taken: noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}}, Panes: []engine.Pane{pane}}
	return a
}

func (a *actor) List(ctx context.Context, _ engine.Detail) (engine.Listing, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	listing := a.listing
	listing.Taken = time.Now()
	if a.gone {
		listing.Panes = nil
	}
	return listing, ctx.Err()
}

// later changes the agent after some time.
func (a *actor) later(after time.Duration, change func()) {
	time.AfterFunc(after, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		change()
	})
}

func (a *actor) lines() []string {
	rule := strings.Repeat("─", 40)
	switch {
	case a.lineOf != "":
		return []string{"", a.lineOf + a.draft, "", ""}
	case a.blank:
		return []string{"loading"}
	case a.dialog:
		return []string{rule, "Allow this command?", "  $ " + cmp.Or(a.command, "make"), "", "› 1. Yes", "  2. No", "", "enter to confirm · esc to cancel"}
	}
	draft := strings.Split("› "+a.draft, "\n")
	if a.draft == "" {
		draft = []string{"› Type a prompt"}
	}
	footer := "  ? for help"
	if a.working {
		footer = "  esc to interrupt"
	}
	return slices.Concat([]string{"◆ scripted 1.0.0", rule}, draft, []string{rule, footer})
}

func (a *actor) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone || len(asks) == 0 {
		return nil, ctx.Err()
	}
	lines := a.lines()
	if asks[0].Escapes {
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "› ", "› \x1b[39m", 1)
			lines[i] = strings.Replace(lines[i], "\x1b[39mType a prompt", "\x1b[2mType a prompt\x1b[0m", 1)
		}
	}
	view := core.Viewport{Width: 40, Height: len(lines), InMode: a.inMode, Cursor: core.Cursor{X: 2, Y: len(lines) - 3, Visible: !a.dialog}}
	return []core.Screen{{Pane: "%1", Lines: lines, Visible: len(lines), View: view}}, ctx.Err()
}

func (a *actor) Paste(_ context.Context, _ core.PaneID, text []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return engine.ErrNoPane
	}
	a.pasted = append(a.pasted, string(text))
	if a.paste != nil {
		a.paste(string(text))
	} else {
		a.draft += strings.ReplaceAll(string(text), "\n", "\n  ")
	}
	return nil
}

func (a *actor) Press(_ context.Context, _ core.PaneID, keys ...string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gone {
		return engine.ErrNoPane
	}
	a.pressed = append(a.pressed, keys...)
	for _, key := range keys {
		switch {
		case a.press != nil:
			a.press(key)
		case key == "Enter" || key == "Tab":
			a.draft = ""
		}
	}
	return nil
}

// deliverTo delivers a text in virtual time and returns what became of it and
// how long that took.
func deliverTo(t *testing.T, a *actor, change func(*SendRequest), files ...fstest.MapFS) (d Delivery, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		kinds := stub
		if len(files) > 0 {
			kinds = files[0]
		}
		f := Open(Options{Engine: a, Kinds: kindsOf(t, kinds)})
		request := SendRequest{Target: Target{Session: "api"}, Text: "run the tests"}
		if change != nil {
			change(&request)
		}
		begun := time.Now()
		sent, err := f.Send(t.Context(), request)
		took = time.Since(begun)
		if len(sent.Deliveries) != 1 || (err != nil) != sent.Deliveries[0].Outcome.Failed() {
			t.Fatalf("%+v, %v", sent, err)
		}
		d = sent.Deliveries[0]
	})
	return d, took
}

// wantDelivery checks a delivery and what was typed for it.
func wantDelivery(t *testing.T, a *actor, d Delivery, outcome Outcome, why string, pastes, enters int, evidence string) {
	t.Helper()
	pressed := 0
	for _, key := range a.pressed {
		if key == "Enter" {
			pressed++
		}
	}
	if d.Outcome != outcome || d.Why != why || d.Enters != enters || pressed != enters || len(a.pasted) != pastes || !strings.Contains(d.Evidence, evidence) {
		t.Errorf("%+v; pasted %q, pressed %q; want %s %s with %d Enters and %q", d, a.pasted, a.pressed, outcome, why, enters, evidence)
	}
}

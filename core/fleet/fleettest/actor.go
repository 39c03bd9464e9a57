package fleettest

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
)

// ScriptedEngine is a fake engine with one pane, which shows an agent of the kind scripted in the state that the fields
// describe.
type ScriptedEngine struct {
	Engine
	Mu      sync.Mutex
	Draft   string
	Dialog  bool
	Command string // the subject of the dialog; empty is make
	Second  bool   // the dialog's second option is selected
	Blank   bool   // it shows no composer
	Working bool
	Queued  string // a prompt that waits above the composer
	InMode  bool
	Gone    bool
	// Partial is true if the screen is partial.
	Partial bool
	// Banner is the last row of the turn before; empty for none.
	Banner string
	// LineOf is the prompt of a shell that is shown instead.
	LineOf string

	Pasted  []string
	Pressed []string
	// OnPaste and OnPress act instead of taking the text.
	OnPaste func(text string)
	OnPress func(key string)
}

// NewScriptedEngine returns an engine with the pane api.1, whose agent is idle.
func NewScriptedEngine() *ScriptedEngine {
	pane := Row("$1", "%1", "cupola", engine.TagKind, "scripted", engine.TagRole, panetag.RoleAgent, engine.TagName,
		"scr_1", engine.TagOrdinal, "1")
	a := &ScriptedEngine{}
	a.Listing = engine.Listing{
		Taken: Noon, Sessions: []engine.Session{{ID: "$1", Name: "api"}},
		Panes: []engine.Pane{pane},
	}
	return a
}

// List returns the listing, without the pane once it is gone.
func (a *ScriptedEngine) List(ctx context.Context, _ engine.Detail) (engine.Listing, error) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	listing := a.Listing
	listing.Taken = time.Now()
	if a.Gone {
		listing.Panes = nil
	}
	return listing, ctx.Err()
}

// Later changes the agent after some time.
func (a *ScriptedEngine) Later(after time.Duration, change func()) {
	time.AfterFunc(after, func() {
		a.Mu.Lock()
		defer a.Mu.Unlock()
		change()
	})
}

func (a *ScriptedEngine) lines() []string {
	rule := strings.Repeat("─", 40)
	switch {
	case a.LineOf != "":
		return []string{"", a.LineOf + a.Draft, "", ""}
	case a.Blank:
		return []string{"loading"}
	case a.Dialog:
		yes, no := "› 1. Yes", "  2. No"
		if a.Second {
			yes, no = "  1. Yes", "› 2. No"
		}
		return []string{
			rule, "Allow this command?", "  $ " + cmp.Or(a.Command, "make"), "", yes, no, "",
			"enter to confirm · esc to cancel",
		}
	}
	draft := strings.Split("› "+a.Draft, "\n")
	if a.Draft == "" {
		draft = []string{"› Type a prompt"}
	}
	footer := "  ? for help"
	if a.Working {
		footer = "  esc to interrupt"
	}
	above := []string{"◆ scripted 1.0.0"}
	if a.Queued != "" {
		above = append(above, "Queued: "+a.Queued)
	}
	if a.Banner != "" {
		above = append(above, "", "> do it", "", a.Banner, "")
	}
	return slices.Concat(above, []string{rule}, draft, []string{rule, footer})
}

// Capture returns the screen that the fields describe.
func (a *ScriptedEngine) Capture(ctx context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.Gone || len(asks) == 0 {
		return nil, ctx.Err()
	}
	lines := a.lines()
	if asks[0].Escapes {
		for i := range lines {
			lines[i] = strings.Replace(lines[i], "› ", "› \x1b[39m", 1)
			lines[i] = strings.Replace(lines[i], "\x1b[39mType a prompt", "\x1b[2mType a prompt\x1b[0m", 1)
		}
	}
	view := core.Viewport{
		Partial: a.Partial,
		Width:   40, Height: len(lines), InMode: a.InMode,
		Cursor: core.Cursor{X: 2, Y: len(lines) - 3, Visible: !a.Dialog},
	}
	return []core.Screen{{Pane: "%1", Lines: lines, Visible: len(lines), View: view}}, ctx.Err()
}

// Paste adds to the draft.
func (a *ScriptedEngine) Paste(_ context.Context, _ core.PaneID, text []byte) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.Gone {
		return engine.ErrNoPane
	}
	a.Pasted = append(a.Pasted, string(text))
	if a.OnPaste != nil {
		a.OnPaste(string(text))
	} else {
		a.Draft += strings.ReplaceAll(string(text), "\n", "\n  ")
	}
	return nil
}

// Press submits the draft on Enter and Tab.
func (a *ScriptedEngine) Press(_ context.Context, _ core.PaneID, keys ...string) error {
	a.Mu.Lock()
	defer a.Mu.Unlock()
	if a.Gone {
		return engine.ErrNoPane
	}
	a.Pressed = append(a.Pressed, keys...)
	for _, key := range keys {
		switch {
		case a.OnPress != nil:
			a.OnPress(key)
		case key == "Enter" || key == "Tab":
			a.Draft = ""
		}
	}
	return nil
}

package fleet

import (
	"context"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/engine"
)

// The sources of what Tail returns.
const (
	SourceScreen  = "screen"
	SourceHistory = "history"
)

// Tail returns what panes show, in the order of their ordinals. A full-screen
// program has no history: what the terminal keeps is the shell's from before,
// so it is never given for the agent's.
func (f *lookout) Tail(ctx context.Context, request TailRequest) (_ []Tailed, err error) {
	defer func() { err = translate("tail", err) }()
	if request.Lines < 0 {
		return nil, core.Errorf(core.InvalidInput, "%d lines were asked for; it must be 0 or more", request.Lines)
	}
	seen, err := f.glimpse(ctx, View{}.detail(), newMemory(false), f.of(request.Target))
	if err != nil {
		return nil, err
	}
	return f.read(ctx, seen.panes, &request)
}

// read captures panes in one question.
func (o *observer) read(ctx context.Context, panes []*core.Pane, request *TailRequest) ([]Tailed, error) {
	since, err := parseMarks(request.Since)
	if err != nil {
		return nil, err
	}
	asks := make([]engine.Ask, len(panes))
	for i, pane := range panes {
		asks[i] = engine.Ask{Pane: pane.ID, Escapes: request.Escapes, Join: true}
		_, marked := since[pane.ID]
		switch {
		case o.hasHistory(pane) && marked:
			asks[i].History = max(request.Lines, behind)
		case o.hasHistory(pane):
			asks[i].History = request.Lines
		}
	}
	captured, err := o.engine.Capture(ctx, asks...)
	if err != nil {
		return nil, err
	}
	screens := byPane(captured)
	tails := make([]Tailed, 0, len(panes))
	for _, pane := range panes {
		screen := screens[pane.ID]
		if screen == nil {
			return nil, core.Errorf(core.PaneNotFound, "pane %s went away", pane.Address())
		}
		var place *mark
		if known, marked := since[pane.ID]; marked {
			place = &known
		}
		tails = append(tails, o.tailed(pane, screen, request, place))
	}
	return tails, nil
}

// hasHistory reports whether lines that scrolled off are the program's own.
func (o *observer) hasHistory(pane *core.Pane) bool {
	kind := o.kindOf(pane)
	return kind == nil || kind.History
}

// tailed is what was said since a mark or, where there is none or its place has
// gone, the last lines.
func (o *observer) tailed(pane *core.Pane, screen *core.Screen, request *TailRequest, since *mark) Tailed {
	text := o.textOf(pane, screen, request.StripUI)
	t := Tailed{
		PaneRef: Ref(pane), Status: pane.Status, Source: SourceScreen, Complete: true, View: screen.View, Mark: text.mark.String(), Lines: text.lines,
	}
	from, found := 0, false
	if since != nil {
		from, found = since.after(text.spoken)
	}
	switch {
	case found && from < len(text.places):
		from = text.places[from]
	case found:
		from = len(text.lines)
	default:
		from = o.last(&t, pane, request)
	}
	if since != nil && !found {
		t.Complete, t.Why = false, "what the mark was at has gone from the screen, so these are the last lines"
	}
	if t.Lines = text.lines[from:]; from < text.above {
		t.Source = SourceHistory
	}
	return t
}

// last is where the last lines begin that were asked for. It notes what is missing
// of them.
func (o *observer) last(t *Tailed, pane *core.Pane, request *TailRequest) int {
	switch count := request.Lines; {
	case count > 0 && len(t.Lines) > count:
		return len(t.Lines) - count
	case count > len(t.Lines) && t.View.AlternateOn:
		t.Complete = false
		t.Why = fmt.Sprintf("the program fills the whole screen and leaves no history; on the screen are %d %s", len(t.Lines), ofWhat(request))
	case count > len(t.Lines) && !o.hasHistory(pane):
		t.Complete = false
		t.Why = "what scrolled off the screen is not the agent's own words"
	}
	return 0
}

// ofWhat says which lines of a screen were counted.
func ofWhat(request *TailRequest) string {
	if request.StripUI {
		return "lines of the agent's own words"
	}
	return "lines"
}

// written returns a capture's lines without trailing blanks and blank lines,
// and how many of them are above the visible screen.
func written(screen *core.Screen) (lines []string, above int) {
	lines = make([]string, len(screen.Lines))
	last := 0
	for i, line := range screen.Lines {
		lines[i] = strings.TrimRight(line, " ")
		if !blank(line) {
			last = i + 1
		}
	}
	return lines[:last], len(screen.Lines) - screen.Visible
}

// blank reports whether a line shows nothing, though it may set colours.
func blank(line string) bool {
	for {
		line = strings.TrimLeft(line, " \t")
		rest, found := strings.CutPrefix(line, "\x1b[")
		if !found {
			return line == ""
		}
		_, after, found := strings.Cut(rest, "m")
		if !found {
			return false
		}
		line = after
	}
}

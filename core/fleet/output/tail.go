// Package output reads the output of panes: their last lines, what is new since a mark, and a stream of
// lines, without the agents' interface.
package output

import (
	"context"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Options configures a Reader; all fields are required.
type Options struct {
	Engine   engine.Engine
	Resolver *resolve.Resolver
	Observer *observe.Observer
	Streams  *keeper.Streams
	Now      func() time.Time
}

// Reader reads the output of panes. Its methods may be called concurrently.
type Reader struct{ opts Options }

// New returns a Reader.
func New(o Options) *Reader { return &Reader{o} }

// The sources of what Tail returns.
const (
	SourceScreen  = "screen"
	SourceHistory = "history"
)

// Tail returns the output of panes, by ordinal. The history of a pane with a full-screen program is the
// shell's from before, so it is never returned as the agent's.
func (r *Reader) Tail(ctx context.Context, request Request) (_ []Tail, err error) {
	defer func() { err = fault.Wrap("tail", err) }()
	if request.Lines < 0 {
		return nil, core.Errorf(core.InvalidInput, "%d lines were asked for; it must be 0 or more", request.Lines)
	}
	seen, err := r.opts.Observer.Select(ctx, observe.View{}, r.opts.Resolver.Selector(request.Target))
	if err != nil {
		return nil, err
	}
	return r.read(ctx, seen.Panes, &request)
}

// read captures panes in one call.
func (r *Reader) read(ctx context.Context, panes []*core.Pane, request *Request) ([]Tail, error) {
	since, err := parseMarks(request.Since)
	if err != nil {
		return nil, err
	}
	asks := make([]engine.Ask, len(panes))
	for i, pane := range panes {
		asks[i] = engine.Ask{Pane: pane.ID, Escapes: request.Escapes, Join: true}
		_, marked := since[pane.ID]
		switch {
		case r.opts.Observer.HasHistory(pane) && marked:
			asks[i].History = max(request.Lines, behind)
		case r.opts.Observer.HasHistory(pane):
			asks[i].History = request.Lines
		}
	}
	captured, err := r.opts.Engine.Capture(ctx, asks...)
	if err != nil {
		return nil, err
	}
	screens := core.ScreensByPane(captured)
	tails := make([]Tail, 0, len(panes))
	for _, pane := range panes {
		screen := screens[pane.ID]
		if screen == nil {
			return nil, core.Errorf(core.PaneNotFound, "pane %s went away", pane.Address())
		}
		var from *mark
		if known, marked := since[pane.ID]; marked {
			from = &known
		}
		tails = append(tails, r.tailed(pane, screen, request, from))
	}
	return tails, nil
}

// tailed returns the output since a mark or, without one or if its place is gone, the last lines.
func (r *Reader) tailed(pane *core.Pane, screen *core.Screen, request *Request, since *mark) Tail {
	text := r.textOf(pane, screen, request.StripUI)
	t := Tail{
		PaneRef: pane.Ref(), Status: pane.Status, View: screen.View, Mark: text.mark.String(),
		Shown: Shown{Source: SourceScreen, Complete: true, Lines: text.lines},
	}
	from, found := 0, false
	if since != nil {
		from, found = since.after(text.spoken)
	}
	switch {
	case found && from < len(text.indexes):
		from = text.indexes[from]
	case found:
		from = len(text.lines)
	default:
		from = r.last(&t, pane, request)
	}
	if since != nil && !found {
		t.Complete, t.Why = false, "what the mark was at has gone from the screen, so these are the last lines"
	}
	if screen.View.Partial {
		t.Complete, t.Why = false, core.PartialScreen
	}
	if t.Lines = text.lines[from:]; from < text.above {
		t.Source = SourceHistory
	}
	return t
}

// last returns the index of the first requested line, and records what is missing.
func (r *Reader) last(t *Tail, pane *core.Pane, request *Request) int {
	switch count := request.Lines; {
	case count > 0 && len(t.Lines) > count:
		return len(t.Lines) - count
	case count > len(t.Lines) && t.View.AlternateOn:
		t.Complete = false
		t.Why = fmt.Sprintf("the program fills the whole screen and leaves no history; on the screen are %d %s",
			len(t.Lines), describeRange(request))
	case count > len(t.Lines) && !r.opts.Observer.HasHistory(pane):
		t.Complete = false
		t.Why = "what scrolled off the screen is not the agent's own words"
	}
	return 0
}

// describeRange says which lines of a screen were counted.
func describeRange(request *Request) string {
	if request.StripUI {
		return "lines of the agent's own words"
	}
	return "lines"
}

// written returns a capture's lines without trailing blanks and blank lines, and how many of them are above
// the visible screen.
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

// blank reports whether a line shows nothing, colours aside.
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

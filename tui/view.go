package tui

import (
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/cells"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// The least display, in cells; below it the dashboard asks for room.
	leastWidth, leastHeight = 20, 4
	// headerHeight is the height from which there is a header.
	headerHeight = 8
	// From statusHeight on the status may take mostStatus lines, else one.
	statusHeight, mostStatus = 12, 3
)

// viewPart draws the dashboard.
type viewPart struct {
	model *model
}

// draw composes the frame and says which panes are in it. Drawing in Update keeps View pure
// and matches the mouse with what is on the display.
func (p *viewPart) draw() {
	p.model.zones = nil
	if p.model.size.W < leastWidth || p.model.size.H < leastHeight {
		rows := widget.Rows{Selected: -1, Empty: "too small"}
		p.model.shown.set(p.model.size.W, widget.List(p.model.world.Theme, p.model.size, rows))
		return
	}
	head, rest := p.model.size.Top(1)
	if p.model.size.H < headerHeight {
		head, rest = layout.Rect{}, p.model.size
	}
	status := statusLines(p.model.status.Text, p.model.size, p.model.form != nil)
	body, foot := rest.Bottom(max(1, len(status)))
	top := p.model.top()
	var zones layout.Zones
	lines := widget.Header(p.model.world.Theme, head, heading(&p.model.world, p.model.choice))
	notice := silence(&p.model.world, body)
	_, body = body.Top(len(notice))
	bar := p.model.typing.bar(body)
	_, body = body.Top(len(bar))
	shown := top.View(&p.model.world, body, &zones)
	if silent(p.model.world.Snapshot) || p.model.form != nil {
		shown = dimmed(p.model.world.Theme, shown)
	}
	lines = slices.Concat(lines, notice, bar, shown)
	if p.model.form != nil {
		at := p.model.form.Rect(body)
		lines = widget.Overlay(lines, p.model.size.W, at, p.model.form.View(&p.model.world, at, &zones))
	}
	lines = append(lines, p.footer(foot, status)...)
	p.model.shown.set(p.model.size.W, lines)
	p.model.zones = zones
	if visible := top.Visible(); !slices.Equal(visible, p.model.visible) {
		p.model.visible = slices.Clone(visible)
		p.model.act.Look(p.model.visible)
	}
}

func heading(w *screen.World, choice *screen.Choice) widget.Heading {
	h := widget.Heading{
		Name: "cupola", Filter: choice.Filter, Relays: w.Relays.Running(), Crews: w.Crews.Running(),
		Runs:  w.Stories.Running(),
		Clock: w.Now.Local().Format("15:04"),
	}
	if snap := w.Snapshot; snap != nil {
		counts := snap.Counts()
		h.Engines = enginesOf(snap)
		h.Sessions, h.Counts, h.Alerts = counts.Sessions, counts.ByState, core.CountAlerts(snap.Alerts)
	}
	if n := len(choice.Marks.Among(w.Snapshot)); n > 0 {
		h.Note = strconv.Itoa(n) + " marked"
	}
	return h
}

// enginesOf names the terminal servers that have the sessions of a snapshot.
func enginesOf(snap *core.Snapshot) string {
	var names []string
	for i := range snap.Sessions {
		if name := snap.Sessions[i].Engine; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(b, a) })
	switch {
	case len(names) > 1:
		return strings.Join(names, " + ")
	case len(names) == 1 && names[0] == core.OwnEngine:
		return "own server"
	}
	return strings.Join(names, "")
}

// statusLines wraps the status to the display; a form hides it.
func statusLines(status string, size layout.Rect, form bool) []string {
	if status == "" || form {
		return nil
	}
	lines := cells.Wrap(cells.Clean(status), size.W)
	most := 1
	if size.H >= statusHeight {
		most = mostStatus
	}
	if len(lines) > most {
		lines[most-1] = strings.Join(lines[most-1:], " ") // cut where it is drawn
		lines = lines[:most]
	}
	return lines
}

// applies reports whether a key of the footer has something to do now.
func (p *viewPart) applies(wanted intent.Intent) bool {
	switch p.model.top().Scope() {
	case &intent.Tree, &intent.Grid, &intent.Peeking:
	default:
		return true
	}
	var state core.State
	if pane := p.model.choice.Shown(p.model.world.Snapshot); pane != nil && !pane.IsUser() {
		state = pane.Status.State
	}
	switch wanted.(type) {
	case intent.AskAnswer:
		return state == core.Waiting
	case intent.Interrupt:
		return state == core.Working
	case intent.AskRestart:
		return state == core.Errored || state == core.Exited || state == core.Limited
	case intent.ShowInbox, intent.NextNeedsYou:
		return p.model.world.Snapshot != nil && len(p.model.choice.Seen.Needing(p.model.world.Snapshot)) > 0
	}
	return true
}

// footer draws the status or, without one, the keys of the active scope.
func (p *viewPart) footer(r layout.Rect, status []string) []string {
	switch {
	case p.model.form != nil:
		return widget.Footer(p.model.world.Theme, r, p.model.form.ShortHelp(p.model.world.Keys))
	case p.model.typing.pane.Pane != "":
		return widget.Footer(p.model.world.Theme, r, p.model.world.Keys.Of(&intent.Typing).ShortHelp())
	case len(status) == 0:
		return widget.Footer(p.model.world.Theme, r, p.model.world.Keys.Of(p.model.top().Scope()).HelpFor(p.applies))
	}
	var lines []string
	for i, line := range status {
		said := widget.Styled(p.model.status.Token, line)
		lines = append(lines, widget.Bar(p.model.world.Theme, r.Row(i), said, nil)...)
	}
	return lines
}

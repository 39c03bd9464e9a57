package tui

import (
	"slices"
	"strconv"
	"strings"

	keys "github.com/charmbracelet/bubbles/key"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/inbox"
	"cupola/tui/screen/runs"
	"cupola/tui/widget"
)

const (
	// The least display, in cells; below it the dashboard asks for room.
	leastWidth, leastHeight = 20, 4
	// headerHeight is the height from which there is a header.
	headerHeight = 8
	// tabsHeight is the height from which the screens are listed below the header.
	tabsHeight = 20
	// From statusHeight on the status may take mostStatus lines, else one.
	statusHeight, mostStatus = 12, 3
)

// drawFrame composes the frame and says which panes are in it. It is drawn in Update, so that the mouse is matched with
// what is on the display.
func drawFrame(m *model) {
	m.zones = nil
	if m.size.W < leastWidth || m.size.H < leastHeight {
		rows := widget.Rows{Selected: -1, Empty: "too small"}
		m.shown.Set(m.world.Theme, m.size.W, widget.List(m.world.Theme, m.size, rows))
		return
	}
	head, rest := m.size.Top(1)
	if m.size.H < headerHeight {
		head, rest = layout.Rect{}, m.size
	}
	tabs := layout.Rect{}
	if m.size.H >= tabsHeight {
		tabs, rest = rest.Top(1)
	}
	status := statusLines(m.status.Text, m.size, m.form != nil)
	body, foot := rest.Bottom(1 + len(status))
	news := m.newsLines(body)
	body, _ = body.Bottom(len(news))
	top := m.top()
	var zones layout.Zones
	lines := widget.Header(m.world.Theme, head, heading(&m.world, m.choice))
	lines = append(lines, m.tabs(tabs, &zones)...)
	notice := silence(&m.world, body)
	_, body = body.Top(len(notice))
	bar := m.typing.bar(&m.world, body)
	_, body = body.Top(len(bar))
	m.body = body
	m.world.Order, m.choice.Works = &m.choice.Order, m.world.Works()
	shown := top.View(&m.world, body, &zones)
	if silent(m.world.Snapshot) || m.form != nil {
		shown = dimmed(m.world.Theme, shown)
	}
	if m.form != nil && m.world.Theme.Accessible() {
		shown = widget.Bar(m.world.Theme, body, nil, nil) // the hints of the screen below are not for the form
	}
	lines = slices.Concat(lines, notice, bar)
	first := len(lines)
	lines = append(lines, shown...)
	if m.form != nil {
		at := m.form.Rect(body)
		lines = widget.Overlay(lines, m.size.W, at, m.form.View(&m.world, at, &zones))
	}
	lines = append(pointed(m.world.Theme, lines, first), news...)
	lines = append(lines, footer(m, foot, status)...)
	m.shown.Set(m.world.Theme, m.size.W, lines)
	m.zones = zones
	var visible []core.PaneID
	if viewer, is := top.(screen.Viewer); is {
		visible = viewer.Visible()
	}
	if !slices.Equal(visible, m.visible) {
		m.visible = slices.Clone(visible)
		m.act.Look(m.visible)
	}
}

// pointed sees to it that lines have a place for the terminal's cursor: a certain line if they say none.
func pointed(t *theme.Theme, lines []string, at int) []string {
	here := t.Here()
	says := func(line string) bool { return strings.Contains(line, here) }
	if here != "" && at < len(lines) && !slices.ContainsFunc(lines, says) {
		lines[at] = here + lines[at]
	}
	return lines
}

func heading(w *screen.World, choice *screen.Choice) widget.Heading {
	h := widget.Heading{
		Name: "cupola", Filter: choice.Filter, Runs: runs.Running(w),
	}
	if !w.Theme.Accessible() {
		h.Clock = w.Now.Local().Format("15:04")
	}
	if snap := w.Snapshot; snap != nil {
		counts := snap.Counts()
		h.Engines = enginesOf(snap)
		h.Sessions, h.Counts, h.Alerts = counts.Sessions, counts, core.CountAlerts(snap.Alerts)
	}
	if n := len(choice.Marks.Among(w.Snapshot)); n > 0 {
		h.Note = strconv.Itoa(n) + " marked"
	}
	return h
}

// terminalTitle is the title of the dashboard's terminal: how many agents need the user, and how many are done.
func terminalTitle(w *screen.World, choice *screen.Choice) string {
	title := "cupola"
	if w.Snapshot == nil {
		return title
	}
	if n := len(choice.Seen.Needing(w.Snapshot)); n > 0 {
		title += titlePart(w.Theme, core.Waiting, n, core.NeedYou(n))
	}
	done := slices.DeleteFunc(w.Snapshot.Panes(), func(p *core.Pane) bool { return !p.IsDone() })
	if n := len(done); n > 0 {
		title += titlePart(w.Theme, core.Done, n, strconv.Itoa(n)+" "+string(core.Done))
	}
	return title
}

func titlePart(t *theme.Theme, state core.State, n int, words string) string {
	if t.Accessible() {
		return ", " + words
	}
	return " " + t.Glyph(state) + strconv.Itoa(n)
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

// statusLines wraps a status that has no room beside the keys; a form hides it.
func statusLines(status string, size layout.Rect, form bool) []string {
	if status == "" || form || cells.Width(cells.Clean(status)) <= size.W/2 {
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
func applies(m *model, wanted intent.Intent) bool {
	switch m.top().Scope() {
	case &intent.Nothing:
		return wanted != intent.ListCheckpoints{} || len(m.world.Offers().Ran) > 0
	case &intent.Tree, &intent.Grid, &intent.Peeking:
	default:
		of, is := m.top().(screen.Applier)
		return !is || of.Applies(wanted)
	}
	if session, _ := m.choice.Chosen(m.world.Snapshot); session == nil && intent.Among(wanted, intent.Attach{},
		intent.AskSend{}, intent.AskKill{}, intent.AskAdd{}, intent.Mark{}, intent.Copy{}) {
		return false
	}
	var state core.State
	if pane := m.choice.Shown(m.world.Snapshot); pane != nil && !pane.IsUser() {
		state = pane.Status.State
	}
	if intent.Among(wanted, intent.NextNeedsYou{}) || wanted == (intent.Open{Screen: inbox.Entry.Name}) {
		return m.world.Snapshot != nil && len(m.choice.Seen.Calling(m.world.Snapshot)) > 0
	}
	_, chosen := m.choice.Chosen(m.world.Snapshot)
	ended := state == core.Errored || state == core.Exited || state == core.Limited
	return intent.When(wanted, chosen == nil || !chosen.IsUser(), intent.Mark{}) &&
		intent.When(wanted, state == core.Waiting, intent.AskAnswer{}) &&
		intent.When(wanted, state == core.Working, intent.Interrupt{}) &&
		intent.When(wanted, ended, intent.AskRestart{})
}

// bindingsOf returns the keys of the footer.
func bindingsOf(m *model) []keys.Binding {
	switch {
	case m.form != nil:
		return m.form.ShortHelp(m.world.Keys)
	case m.typing.pane.Pane != "":
		return m.world.Keys.Of(&intent.Typing).ShortHelp()
	}
	return m.world.Keys.Of(m.top().Scope()).HelpFor(func(wanted intent.Intent) bool { return applies(m, wanted) })
}

// footer draws the status, above the keys of the active scope or beside them.
func footer(m *model, r layout.Rect, status []string) []string {
	active := bindingsOf(m)
	var lines []string
	for i, line := range status {
		said := widget.Styled(m.status.Token, line)
		lines = append(lines, widget.Bar(m.world.Theme, r.Row(i), said, nil)...)
	}
	_, last := r.Bottom(1)
	if m.status.Text == "" || m.form != nil || len(status) > 0 {
		return append(lines, widget.Footer(m.world.Theme, last, active)...)
	}
	said := cells.Clean(m.status.Text)
	left, right := last.Left(cells.Width(said) + 3)
	return append(lines, widget.Beside(
		widget.Bar(m.world.Theme, left, widget.Styled(m.status.Token, said), nil),
		widget.Footer(m.world.Theme, right, active))...)
}

// tabs draws the screens that digits open.
func (m *model) tabs(r layout.Rect, zones *layout.Zones) []string {
	if r.Empty() {
		return nil
	}
	open := entries[0].Name
	for _, one := range m.stack {
		if digit(one.entry.Key) {
			open = one.entry.Name
		}
	}
	counts := map[intent.Screen]int{runs.Entries[0].Name: runs.Running(&m.world)}
	if m.world.Snapshot != nil {
		counts[inbox.Entry.Name] = len(m.choice.Seen.Needing(m.world.Snapshot))
	}
	active := m.world.Keys.Of(m.top().Scope())
	var tabs []widget.Tab
	var opens []intent.Intent
	for _, bound := range m.world.Keys.Of(&intent.Tree).Bindings {
		wanted, is := bound.Intent.(intent.Open)
		if at := slices.IndexFunc(bound.Keys, digit); is && wanted.Afresh && at >= 0 {
			tabs = append(tabs, widget.Tab{
				Key: bound.Keys[at], Name: string(wanted.Screen), Count: counts[wanted.Screen],
				Open: wanted.Screen == open, Idle: !means(active, bound.Keys[at], wanted),
			})
			opens = append(opens, wanted)
		}
	}
	lines, places := widget.Tabs(m.world.Theme, r, tabs)
	for i, place := range places {
		zones.Add(place, opens[i])
	}
	return lines
}

// means reports whether a key of a scope means an intent.
func means(scope *intent.Scope, key string, wanted intent.Intent) bool {
	bound := scope.Find(key)
	return bound != nil && bound.Intent == wanted
}

// digit reports whether a key is a digit.
func digit(key string) bool { return len(key) == 1 && key[0] >= '0' && key[0] <= '9' }

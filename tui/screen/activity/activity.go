// Package activity draws which agent was in which state when, and lists what the selected one did.
package activity

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/timesheet"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// spans are the times that can be looked at, the shortest first.
var spans = []struct {
	length time.Duration
	words  string
}{
	{15 * time.Minute, "the last 15 minutes"},
	{time.Hour, "the last hour"},
	{4 * time.Hour, "the last 4 hours"},
	{12 * time.Hour, "the last 12 hours"},
	{24 * time.Hour, "the last 24 hours"},
	{7 * 24 * time.Hour, "the last 7 days"},
}

// hour is the number of the one that is shown at first.
const hour = 1

// Question asks what the agents did in the time before now.
type Question struct{ Span time.Duration }

// Activity is the work of agents in a span of time.
type Activity struct {
	// From is when it begins, To when it was read.
	From, To time.Time
	// Spans are the times in states, by their beginning.
	Spans []timesheet.Span
	// Events and Prompts are the events, the oldest first, and the prompts, the newest first.
	Events  []core.Event
	Prompts []core.Prompt
}

// did is the activity of the agents.
var did = &screen.Slot[Activity]{}

// Screen is the timeline of all agents, above what the selected one did.
type Screen struct {
	// span is the number of the time that is shown; picked is true once the user chose it.
	span   int
	picked bool
	agents []*agent
	// from, to and snap are the span and the snapshot from which the agents were gathered.
	from, to time.Time
	snap     *core.Snapshot
	list     screen.List
	chosen   string
	// top is the first entry that shows, entries how many there are, height how many fit.
	top, entries, height int
}

// New makes the screen.
func New() *Screen { return &Screen{span: hour} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "activity", Key: "5", Does: "activity: who worked for how long", Alone: true,
	Keys: []*intent.Scope{&intent.Activity}, Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Activity }

// Wants asks for the activity: of a shorter time if all of it is recent, unless the user chose one.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	if read := &did.In(w).Value; !s.picked && len(read.Spans) > 0 {
		if s.picked = true; read.Spans[0].From.After(read.To.Add(-spans[0].length)) {
			s.span = 0
		}
	}
	return []screen.Want{{Slot: did, Question: Question{Span: spans[s.span].length}, Version: w.Moment()}}
}

// gather lists the agents, and finds the selected one again.
func (s *Screen) gather(w *screen.World) {
	if read := &did.In(w).Value; s.snap != w.Snapshot || !s.from.Equal(read.From) || !s.to.Equal(read.To) {
		s.snap, s.from, s.to, s.agents = w.Snapshot, read.From, read.To, agentsOf(w)
	}
	keys := core.Map(s.agents, func(a *agent) string { return a.key })
	at, chosen := s.list.At, s.chosen
	if s.list.At, s.chosen, _ = screen.Reselect(keys, s.chosen, "", s.list.At); s.chosen != chosen || s.list.At != at {
		s.top = 0
	}
}

// Handle moves, and changes the time that is looked at.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Shift:
		s.span, s.picked = max(0, min(s.span-w.By, len(spans)-1)), true
	case intent.Turn:
		s.top = max(0, min(s.top+w.By*max(1, s.height-1), s.entries-s.height))
	case intent.Pick:
		for i, a := range s.agents {
			if a.key == w.Key {
				s.list.At = i
			}
		}
		s.choose()
	case intent.GoTo:
		if s.list.At < len(s.agents) && s.agents[s.list.At].pane != nil {
			pane := s.agents[s.list.At].pane
			return intent.GoTo{Pane: pane.ID, Session: pane.Session}
		}
		return wanted
	default:
		if rest := s.list.Handle(wanted); rest != nil {
			return rest
		}
		s.choose()
	}
	return nil
}

// Applies reports whether the selected agent is there, and whether it has older entries.
func (s *Screen) Applies(wanted intent.Intent) bool {
	there := s.list.At < len(s.agents) && s.agents[s.list.At].pane != nil
	return intent.When(wanted, there, intent.GoTo{}) && intent.When(wanted, s.entries > s.height, intent.Turn{})
}

func (s *Screen) choose() {
	if s.list.At < len(s.agents) {
		s.chosen, s.top = s.agents[s.list.At].key, 0
	}
}

// timelineShare is the part of the height that the timeline takes at most, in percent, leastRows how many agents it
// shows at least.
const timelineShare, leastRows = 55, 3

// View draws the timeline, and below it what the selected agent did.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  Activity of "+spans[s.span].words), s.totals(r.W))
	read := did.In(w)
	if unread := screen.Unread(w, body, read); unread != nil {
		return append(lines, unread...)
	}
	if len(s.agents) == 0 {
		return append(lines, screen.Empty(w, body, "no agent did anything")...)
	}
	rows := max(min(leastRows, len(s.agents)), min(len(s.agents), body.H*timelineShare/100))
	top, rest := body.Top(min(body.H, 1+rows))
	lines = append(lines, s.timeline(w, top, zones)...)
	if rest.H < 2 {
		return append(lines, widget.Bar(w.Theme, rest, nil, nil)...)
	}
	rule, rest := rest.Top(1)
	lines = append(lines, widget.Rule(w.Theme, rule.W, rule.H)...)
	return append(lines, s.detail(w, rest)...)
}

// totals says how long agents worked and waited.
func (s *Screen) totals(w int) widget.Line {
	var working, waiting time.Duration
	for _, a := range s.agents {
		working, waiting = working+a.working, waiting+a.waiting
	}
	if working+waiting == 0 {
		return nil
	}
	words := "worked " + cmp.Or(screen.Took(working), "0s")
	if waiting >= time.Second && w >= roomyFrom {
		words += ", waited for you " + screen.Took(waiting)
	}
	return widget.Styled(theme.Dim, words+" ")
}

// The columns beside the timeline: the sign of the selection, agents, and times, which a narrow display lacks.
const (
	signWidth = 2
	wideFrom  = 100
	roomyFrom = 70
	timeWidth = 9
	nameWide  = 24
	nameSlim  = 13
)

// timeline draws a row an agent, below the times.
func (s *Screen) timeline(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	name, times := nameSlim, 0
	if r.W >= wideFrom || w.Theme.Accessible() {
		name, times = nameWide, 2*timeWidth
	}
	n := max(1, r.W-signWidth-name-1-times)
	head, body := r.Top(1)
	scale := axis(s.from, s.to, n)
	if w.Theme.Accessible() {
		scale = ""
	}
	title := widget.Line{{Text: strings.Repeat(" ", signWidth+name)}, {Token: theme.Dim, Text: scale}}
	if times > 0 {
		words := fmt.Sprintf(" %*s%*s", timeWidth, "worked", timeWidth, "waited")
		title = append(title, widget.Span{Token: theme.Dim, Text: words})
	}
	lines := widget.Bar(w.Theme, head, title, nil)
	var rows widget.Rows
	for _, a := range s.agents {
		state, label := theme.Dim, a.address
		if a.pane != nil {
			state = theme.Strong
		}
		if times > 0 {
			label += " " + a.name
		}
		row := widget.Line{{Token: state, Text: widget.Fit(w.Theme, label, name)}}
		if !w.Theme.Accessible() {
			row = append(row, drawn(w.Theme, a.band(s.from, s.to, n))...)
		}
		if times > 0 {
			worked := fmt.Sprintf(" %*s", timeWidth, screen.Took(a.working))
			waited := fmt.Sprintf("%*s", timeWidth, screen.Took(a.waiting))
			row = append(row, widget.Span{Token: theme.Dim, Text: worked},
				widget.Span{Token: theme.State(core.Waiting), Text: waited})
		}
		rows.Left = append(rows.Left, row)
	}
	table, top := s.list.View(w, body, rows)
	for i := top; i < len(s.agents) && i-top < body.H; i++ {
		zones.Add(body.Row(i-top), intent.Pick{Key: s.agents[i].key})
	}
	return append(lines, table...)
}

// drawn draws the states of cells, with a span for each run of equal ones.
func drawn(t *theme.Theme, states []core.State) widget.Line {
	var line widget.Line
	for i := 0; i < len(states); {
		end := i + 1
		for end < len(states) && states[end] == states[i] {
			end++
		}
		span := widget.Span{Text: strings.Repeat(" ", end-i)}
		if states[i] != "" {
			span = widget.Span{Token: theme.State(states[i]), Text: strings.Repeat(t.Band(states[i]), end-i)}
		}
		line, i = append(line, span), end
	}
	return line
}

// axis writes times above n cells, each where it begins.
func axis(from, to time.Time, n int) string {
	const apart = 14 // cells from one time to the next, at least
	format, step := "15:04", time.Minute
	for _, longer := range []time.Duration{5, 15, 30, 60, 120, 240, 480, 720, 1440} {
		if to.Sub(from)/step <= time.Duration(max(1, n/apart)) {
			break
		}
		step = longer * time.Minute
	}
	if step >= 24*time.Hour {
		format = "Mon 2"
	}
	cells := []byte(strings.Repeat(" ", n))
	zone := from.Local()
	_, offset := zone.Zone()
	shift := time.Duration(offset) * time.Second
	for at := zone.Add(shift).Truncate(step).Add(-shift); !at.After(to); at = at.Add(step) {
		label := at.Format(format)
		if x := int(at.Sub(from) * time.Duration(n) / to.Sub(from)); !at.Before(from) && x+len(label) <= n {
			copy(cells[x:], label)
		}
	}
	return string(cells)
}

// detail lists what the selected agent did, the newest first.
func (s *Screen) detail(w *screen.World, r layout.Rect) []string {
	a := s.agents[s.list.At]
	entries := a.entries(w)
	head, body := r.Top(1)
	title := widget.Line{{Token: theme.Header, Text: "  " + a.address + " " + a.name}}
	now := widget.Span{Token: theme.Dim, Text: "  ended"}
	if a.pane != nil {
		now = widget.Span{Token: theme.State(a.pane.Status.Shown()), Text: "  " + screen.StateWord(a.pane)}
	}
	title = append(title, now)
	s.entries, s.height = len(entries), body.H
	s.top = max(0, min(s.top, s.entries-s.height))
	var right widget.Line
	if s.entries > s.height {
		shown := fmt.Sprintf("%d to %d of %d ", s.top+1, min(s.entries, s.top+s.height), s.entries)
		right = widget.Styled(theme.Dim, shown)
	}
	lines := widget.Bar(w.Theme, head, title, right)
	rows := widget.Rows{Selected: -1, Top: s.top, Empty: "nothing is on record of it"}
	for _, e := range entries {
		rows.Left = append(rows.Left, line(e, s.to.Sub(s.from) > 24*time.Hour))
	}
	return append(lines, widget.List(w.Theme, body, rows)...)
}

// line is an entry of the list.
func line(e entry, dated bool) widget.Line {
	format := "15:04:05"
	if dated {
		format = "Mon 15:04"
	}
	return widget.Line{
		{Token: theme.Dim, Text: e.at.Local().Format(format)},
		{Token: e.token, Text: fmt.Sprintf("  %s %-9s ", e.sign, e.word)},
		{Token: theme.Dim, Text: fmt.Sprintf("%7s  ", screen.Took(e.took))},
		{Token: theme.Text, Text: e.text},
	}
}

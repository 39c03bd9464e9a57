package crews

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core/cells"
	"cupola/core/crew"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// talk shows one crew: its agents, and what they say. While the crew works it shows the end, until the
// user scrolls.
type talk struct {
	shown screen.Talk
	page  screen.Page
	// whole is true if the crew has the whole display, free once the user has scrolled, and following
	// if the end is to be shown. At is where it was drawn.
	whole, free, following bool
	at                     layout.Rect
	// part is what is shown of what was said, who the agents that it is limited to, search a text.
	part   part
	who    int
	search string
	matrix bool
	feed   feed
}

// part is a part of what was said.
type part int

const (
	everything part = iota
	messages
	notes
	parts
)

func (p part) String() string { return [...]string{"messages and notes", "messages", "notes"}[p] }

// show takes the crew with an id, as far as it was read.
func (t *talk) show(w *screen.World, id string) {
	if id != t.shown.Crew.ID {
		t.page, t.free, t.shown, t.who, t.feed = screen.Page{}, false, screen.Talk{}, 0, feed{}
	}
	if w.Talk.Crew.ID == id {
		live := !t.shown.Crew.State.Ended() && t.shown.Crew.ID != ""
		t.shown = w.Talk
		t.following = !t.free && (live || !t.shown.Crew.State.Ended())
	}
}

// enlarge gives the crew the whole display, or ends that.
func (t *talk) enlarge(whole bool) {
	t.whole, t.free, t.page, t.search = whole, false, screen.Page{}, ""
}

// handle scrolls, and returns other intents.
func (t *talk) handle(wanted intent.Intent) intent.Intent {
	if wanted = t.page.Handle(wanted); wanted == nil {
		t.free = true
	}
	return wanted
}

// choose changes what is shown of what was said.
func (t *talk) choose(wanted intent.Intent) {
	switch wanted.(type) {
	case intent.NextFeed:
		t.part = (t.part + 1) % parts
	case intent.NextTalker:
		t.who = (t.who + 1) % (len(t.talkers()) + 1)
	case intent.ToggleMatrix:
		t.matrix = !t.matrix
	}
	t.page, t.free = screen.Page{}, false
}

// talkers are what what was said can be limited to: each agent, then each pair that wrote to each other.
func (t *talk) talkers() [][]string {
	var all [][]string
	names := t.shown.Crew.Names()
	for _, name := range names {
		all = append(all, []string{name})
	}
	sent := t.sent()
	for i, a := range names {
		for _, b := range names[i+1:] {
			if sent[[2]string{a, b}]+sent[[2]string{b, a}] > 0 {
				all = append(all, []string{a, b})
			}
		}
	}
	return all
}

// talking are the agents that what was said is limited to; none is all.
func (t *talk) talking() []string {
	if all := t.talkers(); t.who > 0 && t.who <= len(all) {
		return all[t.who-1]
	}
	return nil
}

// pane is the pane of the agent that is shown, or of the first; empty where it has none.
func (t *talk) pane() string {
	if t.shown.Crew.Stage != crew.Panes {
		return ""
	}
	name := append(t.talking(), t.shown.Crew.Members[0].Name)[0]
	return t.shown.Crew.Member(name).Session
}

// told is what was written to the user.
func (t *talk) told() string {
	var all []string
	for i := range t.shown.Events {
		if e := &t.shown.Events[i]; e.Type == crew.Message && e.To == crew.User {
			all = append(all, e.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

// sent counts the messages by who wrote and who got them; one to all counts for each.
func (t *talk) sent() map[[2]string]int {
	sent := map[[2]string]int{}
	for i := range t.shown.Events {
		e := &t.shown.Events[i]
		if e.Type != crew.Message {
			continue
		}
		to := []string{e.To}
		if e.To == crew.All {
			to = slices.DeleteFunc(t.shown.Crew.Names(), func(name string) bool { return name == e.From })
		}
		for _, name := range to {
			sent[[2]string{e.From, name}]++
		}
	}
	return sent
}

// view draws a line about the crew, its agents, and the lines that show of the rest.
func (t *talk) view(w *screen.World, r layout.Rect) []string {
	t.at = r
	head, body := r.Top(1)
	if t.shown.Crew.ID == "" {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: "reading" + w.Theme.Glyphs().Ellipsis})
	}
	above := t.agents(w)
	if t.matrix {
		above = t.table(w, body.W)
	}
	if !t.whole {
		above = above[:min(len(above), body.H/3)]
	}
	above = above[:min(len(above), max(0, body.H-2))]
	text := t.feed.lines(w, t, max(1, body.W-margins))
	rest := max(0, body.H-len(above))
	top, end := t.page.Shown(plain(text), rest)
	if t.following {
		t.page.Handle(intent.Jump{Last: true})
		top, end = t.page.Shown(plain(text), rest)
	}
	rows := widget.Rows{Selected: -1, Left: append(slices.Clone(above), text[top:end]...)}
	position := ""
	if end > top && end-top < len(text) {
		position = fmt.Sprintf("%d-%d of %d", top+1, end, len(text))
	}
	lines := widget.Bar(w.Theme, head, t.title(w), widget.Styled(theme.Dim, position))
	return append(lines, widget.List(w.Theme, body, rows)...)
}

// margins is what a row leaves free beside its text, in cells.
const margins = 4

// plain is the text of lines.
func plain(lines []widget.Line) []string { return make([]string, len(lines)) }

// title says what the crew does.
func (t *talk) title(w *screen.World) widget.Line {
	c := &t.shown.Crew
	line := widget.Line{{Token: token(c.State), Text: "  " + string(c.State)}, {Token: theme.Strong, Text: "  " + c.ID}}
	only := strings.Join(t.talking(), " and ")
	if t.part != everything {
		only = strings.TrimPrefix(only+", "+t.part.String(), ", ")
	}
	if only != "" {
		line = append(line, widget.Span{Token: theme.Accent, Text: "  only " + cells.Clean(only)})
	}
	facts := []string{
		string(c.Reason), fmt.Sprintf("turn %d of %d", max(0, c.Turn), c.Limits.MaxTurns), costOf(c), elapsed(w, c),
		c.Session, c.Recipe, c.Sandbox, c.Dir,
	}
	for _, fact := range facts {
		if fact != "" {
			line = append(line, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(fact)})
		}
	}
	return line
}

// agents has a line for each agent.
func (t *talk) agents(w *screen.World) []widget.Line {
	c := &t.shown.Crew
	name, backend := 0, 0
	for i := range c.Members {
		name, backend = max(name, len(c.Members[i].Name)), max(backend, len(c.Members[i].Backend))
	}
	lines := make([]widget.Line, len(c.Members))
	for i := range c.Members {
		m := &c.Members[i]
		state, mark := theme.Dim, string(m.Status)
		switch {
		case m.Status == crew.Active:
			state = theme.Busy
		case m.Status == crew.Dead:
			state = theme.Danger
		}
		about := fmt.Sprintf("turns %-2d  messages %-2d  %s", m.Turns, m.Messages, dollars(m.CostUSD))
		lines[i] = widget.Line{
			{Token: state, Text: widget.Fit(mark, 6) + "  "},
			{Token: theme.Strong, Text: widget.Fit(cells.Clean(m.Name), name) + "  "},
			{Token: theme.Text, Text: widget.Fit(cells.Clean(m.Backend), backend) + "  "},
			{Token: theme.Dim, Text: about},
		}
		if m.Error != "" {
			lines[i] = append(lines[i], widget.Span{Token: theme.Danger,
				Text: "  " + cells.Clean(oneLine(m.Error, 200))})
		}
	}
	return lines
}

// table is who wrote how often to whom: a line for each writer, a column for each reader.
func (t *talk) table(_ *screen.World, width int) []widget.Line {
	names := t.shown.Crew.Names()
	readers := append(slices.Clone(names), crew.User)
	sent := t.sent()
	first := len("from / to")
	for _, name := range names {
		first = max(first, len(name))
	}
	const least = 4
	column := max(least, min(16, (width-margins-first)/len(readers)-2))
	head := widget.Line{{Token: theme.Dim, Text: widget.Fit("from / to", first)}}
	for _, name := range readers {
		head = append(head, widget.Span{Token: theme.Dim, Text: "  " + widget.Fit(cells.Clean(name), column)})
	}
	lines := []widget.Line{head}
	for _, from := range append(names, crew.User) {
		line := widget.Line{{Token: theme.Strong, Text: widget.Fit(cells.Clean(from), first)}}
		for _, to := range readers {
			count := "-"
			if n := sent[[2]string{from, to}]; n > 0 {
				count = fmt.Sprint(n)
			}
			line = append(line, widget.Span{Token: theme.Text, Text: "  " + widget.Fit(count, column)})
		}
		lines = append(lines, line)
	}
	return lines
}

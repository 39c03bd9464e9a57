package crews

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core/run/crew"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// shown is a crew that is shown, with why it cannot be and what to do about that; both may be empty.
type shown struct {
	Talk
	Wrong, Hint string
}

// talk shows one crew: its agents, and what they say. While the crew works it shows the end, until the
// user scrolls.
type talk struct {
	shown shown
	page  screen.Page
	// whole is true if the crew has the whole display, free once the user has scrolled, and following
	// if the end is to be shown. At is where it was drawn.
	whole, free, following bool
	at                     layout.Rect
	// part is what is shown of what was said, who the agent or the pair that it is limited to, search a text.
	part   part
	who    []string
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
		t.page, t.free, t.shown, t.who, t.feed = screen.Page{}, false, shown{}, nil, feed{}
	}
	if read := readTalk.In(w); read.Question == (Question{id}) {
		live := !t.shown.Crew.State.Ended() && t.shown.Crew.ID != ""
		t.shown = shown{read.Value, read.Wrong, read.Hint}
		t.shown.Crew.ID = id
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
		t.who = t.nextTalker()
	case intent.ToggleMatrix:
		t.matrix = !t.matrix
	}
	t.page, t.free = screen.Page{}, false
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

// view draws a line about the crew, its agents, and the lines that show of the rest.
func (t *talk) view(w *screen.World, r layout.Rect) []string {
	t.at = r
	head, body := r.Top(1)
	if t.shown.Crew.ID == "" {
		return widget.List(w.Theme, r, widget.Rows{Selected: -1, Empty: "reading" + w.Theme.Glyphs().Ellipsis})
	}
	above := t.above(w, body)
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
	only := strings.Join(t.who, " and ")
	if t.part != everything {
		only = strings.TrimPrefix(only+", "+t.part.String(), ", ")
	}
	if only != "" {
		line = append(line, widget.Span{Token: theme.Accent, Text: "  only " + cells.Clean(only)})
	}
	facts := []string{
		string(c.Reason), fmt.Sprintf("turn %d of %d", max(0, c.Turn), c.Limits.MaxTurns), costOf(c), t.elapsed(w),
		c.Session, c.Recipe, c.Sandbox, c.Dir,
	}
	for _, fact := range facts {
		if fact != "" {
			line = append(line, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(fact)})
		}
	}
	return line
}

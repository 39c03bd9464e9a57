// Package crews shows what the agents of a crew say while they do.
package crews

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks for all that happened in a crew; a Talk answers it.
type Question struct{ ID string }

// Talk is a crew with all that happened in it.
type Talk struct {
	Crew crew.Crew
	// Events must not be changed.
	Events []crew.Event
	// Saying are the answers that come.
	Saying []screen.Saying
}

var read = &screen.Slot[Talk]{}

var keys = screen.RunKeys{
	Works: intent.Runs.Footed([]string{"s", "p", "x", "enter", "f", "a", "m", "o", "]", "/", "esc", "?"}, nil),
	Done:  intent.Runs.Footed([]string{"y", "s", "o", "enter", "f", "a", "m", "D", "]", "/", "esc", "?"}, nil),
	Stopped: intent.Runs.Footed([]string{"p", "s", "y", "o", "enter", "f", "a", "m", "D", "]", "/", "esc", "?"},
		map[string]string{"p": "resume"}),
}

// Detail shows one crew: its agents, and what they say. While the crew works it shows the end, until the user scrolls.
type Detail struct {
	id    string
	shown screen.Answer[Talk]
	tail  screen.Tail
	// whole is true if the crew has the whole display, grows if its end is to be shown.
	whole, grows bool
	// part is the displayed part of the conversation, who the agent or the pair that it is limited to, search a text.
	part   part
	who    []string
	search string
	matrix bool
	feed   feed
	// snapshot has the panes that there were as the crew was drawn last.
	snapshot *core.Snapshot
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

// Scope is the table of keys.
func (d *Detail) Scope(h *run.Head) *intent.Scope { return keys.Of(h) }

// Wants asks for the crew.
func (d *Detail) Wants(w *screen.World, h *run.Head) []screen.Want {
	return []screen.Want{screen.WantRun(w, read, Question{h.ID}, h, headOf)}
}

func headOf(t *Talk) run.Head { return t.Crew.Head() }

// Show takes a crew as far as it was read, with the whole display or not. It returns its head as it was read; nil
// before that.
func (d *Detail) Show(w *screen.World, h *run.Head, whole bool) *run.Head {
	d.snapshot = w.Snapshot
	if h.ID != d.id {
		*d = Detail{id: h.ID, part: d.part, matrix: d.matrix, snapshot: d.snapshot}
	}
	if whole != d.whole {
		d.whole, d.tail, d.search = whole, screen.Tail{}, ""
	}
	if got := read.In(w); got.Question == (Question{h.ID}) {
		live := d.shown.Read && !d.shown.Value.Crew.State.Ended()
		d.shown = *got
		d.grows = live || !got.Value.Crew.State.Ended()
	}
	return screen.HeadOf(&d.shown, h, headOf)
}

// Searched is the text that is searched for in what was said, while the crew has the whole display, and what it is.
func (d *Detail) Searched() (text *string, what string) { return &d.search, "what was said" }

// Handle scrolls, changes what is shown, and says what a key means for the crew. It returns other intents.
func (d *Detail) Handle(wanted intent.Intent) intent.Intent {
	c := &d.shown.Value.Crew
	switch wanted.(type) {
	case intent.NextFeed:
		d.part = (d.part + 1) % parts
		return d.restart()
	case intent.NextTalker:
		d.who = d.nextTalker()
		return d.restart()
	case intent.ToggleMatrix:
		d.matrix = !d.matrix
		return d.restart()
	case intent.AskSay:
		return intent.AskSay{ID: c.ID, Agents: c.Names()}
	}
	return d.tail.Handle(wanted)
}

// restart shows another part of the conversation from its end.
func (d *Detail) restart() intent.Intent {
	d.tail = screen.Tail{}
	return nil
}

// Copied are the crew's messages to the user.
func (d *Detail) Copied() string {
	var all []string
	for i := range d.shown.Value.Events {
		if e := &d.shown.Value.Events[i]; e.Type == crew.Message && e.To == crew.User {
			all = append(all, e.Text)
		}
	}
	return strings.Join(all, "\n\n")
}

// About returns the facts of the crew besides its head, and which lines of the conversation are displayed.
func (d *Detail) About(w *screen.World) (facts []string, note string) {
	c := &d.shown.Value.Crew
	if only := d.only(); only != "" {
		facts = append(facts, "only "+only)
	}
	facts = append(facts,
		fmt.Sprintf("turn %d of %d", max(0, c.Turn), c.Limits.MaxTurns), string(c.Reason), d.elapsed(w), c.Session,
		c.Recipe, c.Sandbox)
	return facts, d.tail.Note
}

// View draws the agents, or who wrote to whom, and the lines that show of what was said.
func (d *Detail) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	above := d.above(w, r)
	text := append(d.result(max(1, r.W-margins)), d.feed.lines(w, d, max(1, r.W-margins))...)
	top, end := d.tail.Shown(len(text), max(0, r.H-len(above)), d.grows)
	return widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: append(slices.Clone(above), text[top:end]...)})
}

// result returns the message of a crew that has ended to the user, above the conversation; nothing while a part of
// that is displayed.
func (d *Detail) result(width int) []widget.Line {
	text := d.Copied()
	if !d.shown.Value.Crew.State.Ended() || text == "" || d.only() != "" || d.search != "" {
		return nil
	}
	lines := append([]widget.Line{widget.Styled(theme.Header, "It wrote to you:")},
		screen.Paragraph(theme.Text, screen.Beginning(text, mostSaid), width)...)
	return append(lines, nil, widget.Styled(theme.Header, "All that was said:"))
}

// margins is the free width beside the text of a row, in cells.
const margins = 4

// only says what is shown of what was said; empty for all of it.
func (d *Detail) only() string {
	only := strings.Join(d.who, " and ")
	if d.part != everything {
		only = strings.TrimPrefix(only+", "+d.part.String(), ", ")
	}
	return only
}

// elapsed says how long a crew took, or has taken: all its runs together, without its pauses.
func (d *Detail) elapsed(w *screen.World) string {
	c := &d.shown.Value.Crew
	took := time.Duration(c.ElapsedMS) * time.Millisecond
	if !c.State.Ended() {
		took += screen.Worked(w.Now, len(d.shown.Value.Events), func(i int) (time.Time, screen.Phase) {
			e := &d.shown.Value.Events[i]
			return e.At, map[crew.Type]screen.Phase{
				crew.Start: screen.Begins, crew.Pause: screen.Pauses, crew.Resume: screen.GoesOn,
			}[e.Type]
		})
	}
	return screen.Took(took)
}

// Package history lists the prompts that were sent, and the outcome of each.
package history

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/term/cells"
	"cupola/core/text/filter"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks what was sent to a pane or session.
type Question struct{ About intent.Target }

// Sent are the prompts that were sent to a pane or session, the newest first.
type Sent struct {
	Prompts []core.Prompt
	// Total is how many there are on record.
	Total int
}

// sent is the history as it was read last.
var sent = &screen.Slot[Sent]{}

// Screen is the list, or one prompt in full.
type Screen struct {
	// about is the pane or session that the prompts were sent to.
	about intent.Target
	list  screen.Listed[core.Prompt]
	// whole is true while one prompt fills the display.
	whole bool
	page  screen.Page
}

// New makes the list of what was sent to a pane or session.
func New(about intent.Target) *Screen {
	return &Screen{about: about, list: screen.ListOf[core.Prompt]("prompt or address")}
}

// About is the pane or session that the prompts were sent to.
func (s *Screen) About() intent.Target { return s.about }

// Wants asks for the history.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	return []screen.Want{{Slot: sent, Question: Question{s.about}, Version: w.Acts}}
}

// Show limits the list to prompts that contain a text, or were sent to such an address; empty shows all.
func (s *Screen) Show(filter string) { s.list.Filter, s.whole = filter, false }

// Shows is the filter.
func (s *Screen) Shows() string { return s.list.Filter }

// Fields are the fields that the filter may name.
func (s *Screen) Fields() []filter.Field {
	return []filter.Field{{Name: "to"}, {Name: "outcome"}, {Name: "kind"}}
}

// fieldsOf returns the values of the fields of a prompt.
func fieldsOf(p *core.Prompt) func(name string) []string {
	return func(name string) (values []string) {
		for i := range p.Deliveries {
			switch d := &p.Deliveries[i]; name {
			case "to":
				values = append(values, d.Address())
			case "outcome":
				values = append(values, string(d.Outcome))
			case "kind":
				values = append(values, string(d.Kind))
			}
		}
		return values
	}
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "history", Key: "7", Does: "history: all that was sent", Keys: []*intent.Scope{&intent.Recalling},
	Words: "log sent prompts",
	Open: func(at *screen.Opening) (screen.Screen, string) {
		about := intent.Target{Address: "all agents"}
		if at.Selected {
			if about = at.Choice.Target(at.World.Snapshot); about.Address == "" {
				return nil, screen.NothingSelected
			}
		}
		return New(about), ""
	},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Recalling }

// Handle moves, opens one prompt, and returns AskAgain for a prompt to send again.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if s.whole {
		if wanted = s.page.Handle(wanted); wanted == nil {
			return nil
		}
	}
	p := s.list.Selected()
	switch wanted.(type) {
	case intent.Back:
		if !s.whole {
			return s.list.Handle(wanted)
		}
		s.whole = false
	case intent.Peek:
		s.whole, s.page = !s.whole && p != nil, screen.Page{}
	case intent.AskAgain:
		if p == nil {
			return nil
		}
		to := s.about
		if to.Session == "" && len(p.Deliveries) > 0 {
			at := p.Deliveries[0].PaneRef
			to = intent.Target{Session: at.Session, Pane: at.Pane, Address: at.Address()}
		}
		return intent.AskAgain{Target: to, Text: p.Text}
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// Applies reports whether there is a prompt, of intents about one.
func (s *Screen) Applies(wanted intent.Intent) bool {
	return s.list.Selected() != nil || !intent.Among(wanted, intent.Peek{}, intent.AskAgain{})
}

// View draws the list and the selected prompt, or that alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	var prompts []core.Prompt
	read := sent.In(w)
	known := read.Question == Question{s.about}
	if known {
		shows := filter.Of(s.list.Filter, s.Fields()...)
		for i := range read.Value.Prompts {
			if p := &read.Value.Prompts[i]; shows.Matches([]string{p.Text, to(p)}, fieldsOf(p)) {
				prompts = append(prompts, *p)
			}
		}
	}
	s.list.Take(prompts, func(p *core.Prompt) string { return p.ID })
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Line{{Token: theme.Header, Text: s.title()}},
		widget.Styled(theme.Dim, note(read)))
	empty := "nothing was sent yet"
	switch {
	case !known:
		empty = "looking" + w.Theme.Glyphs().Ellipsis
	case s.list.Filter != "":
		empty = "no prompt contains that; Esc shows all"
	}
	rows := widget.Rows{Empty: empty}
	for i := range prompts {
		left, right := s.row(w, &prompts[i])
		rows.Left, rows.Right = append(rows.Left, left), append(rows.Right, right)
	}
	list := func(r layout.Rect) []string { return s.list.Draw(w, r, rows, zones) }
	prompt := func(r layout.Rect) []string { return s.prompt(w, r) }
	switch {
	case len(prompts) == 0:
		return append(lines, list(body)...)
	case s.whole:
		return append(lines, prompt(body)...)
	}
	s.page = screen.Page{}
	return append(lines, screen.Split(w, body, len(prompts), list, prompt)...)
}

// note says how many prompts there are, or why they cannot be read.
func note(read *screen.Answer[Sent]) string {
	switch {
	case !read.Read:
		return ""
	case read.Wrong != "":
		return read.Wrong
	}
	return screen.Count(read.Value.Total, "prompt")
}

func (s *Screen) title() string {
	title := "  Sent to " + s.about.Address
	if s.list.Filter != "" {
		title += ", with " + cells.Clean(s.list.Filter)
	}
	return title
}

// outcomeWidth holds the longest outcome.
const outcomeWidth = 11

func (s *Screen) row(w *screen.World, p *core.Prompt) (left, right widget.Line) {
	first, _, more := strings.Cut(strings.TrimSpace(p.Text), "\n")
	if more {
		first += " " + w.Theme.Glyphs().Ellipsis
	}
	outcome, token := worst(p)
	left = widget.Line{
		{Token: token, Text: widget.Fit(w.Theme, string(outcome), outcomeWidth) + "  "},
		{Token: theme.Text, Text: cells.Clean(first)},
	}
	return left, widget.Line{{Token: theme.Dim, Text: fmt.Sprintf(" %s %4s", receivers(p), w.Age(p.At))}}
}

// mostNamed is how many panes of a prompt are named in a row.
const mostNamed = 3

// receivers names the panes of a prompt or, where they are many, counts them with those that did not take it.
func receivers(p *core.Prompt) string {
	if len(p.Deliveries) <= mostNamed {
		return to(p)
	}
	failed := 0
	for i := range p.Deliveries {
		if p.Deliveries[i].Outcome.Failed() {
			failed++
		}
	}
	if failed == 0 {
		return screen.Count(len(p.Deliveries), "pane")
	}
	return fmt.Sprintf("%d of %s", failed, screen.Count(len(p.Deliveries), "pane"))
}

// to names the panes of a prompt.
func to(p *core.Prompt) string { return strings.Join(p.Addresses(), ", ") }

// worst returns the outcome that matters most: a failure, else an open one.
func worst(p *core.Prompt) (core.Outcome, theme.Token) {
	outcome, token := core.Delivered, theme.Good
	for i := range p.Deliveries {
		switch other := p.Deliveries[i].Outcome; {
		case other.Failed():
			outcome, token = other, theme.Danger
		case token == theme.Danger:
		case other == core.Open:
			outcome, token = other, theme.Warn
		case token == theme.Good:
			outcome = other
		}
	}
	return outcome, token
}

// prompt draws one prompt in full: its outcome, then its text.
func (s *Screen) prompt(w *screen.World, r layout.Rect) []string {
	p := s.list.Selected()
	outcome, token := worst(p)
	rows := []widget.Line{
		{
			{Token: token, Text: string(outcome)},
			{Token: theme.Dim, Text: "  to " + to(p) + ", " + p.At.Local().Format("2006-01-02 15:04:05")},
		},
	}
	for i := range p.Deliveries {
		d := &p.Deliveries[i]
		line := strings.TrimSpace(d.Address() + " " + string(d.Outcome) + ": " + d.Saw())
		rows = append(rows, widget.Styled(theme.Dim, cells.Clean(line)))
	}
	rows = append(rows, nil)
	width := max(1, r.W-4)
	for line := range strings.SplitSeq(p.Text, "\n") {
		for _, part := range cells.Wrap(cells.Clean(line), width) {
			rows = append(rows, widget.Styled(theme.Text, part))
		}
	}
	return s.page.View(r, widget.List(w.Theme, layout.Rect{W: r.W, H: len(rows)},
		widget.Rows{Selected: -1, Left: rows}))
}

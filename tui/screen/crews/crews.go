// Package crews lists the crews, and shows what the agents of the selected one say while they do.
package crews

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
)

// ListQuestion asks for the crews on record, the newest first; a []crew.Crew answers it.
type ListQuestion struct{}

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

var (
	readList = &screen.Slot[[]crew.Crew]{}
	readTalk = &screen.Slot[Talk]{}
)

// Screen is the list with the selected crew below it, or that crew alone.
type Screen struct {
	// crews are those that the filter shows.
	crews []crew.Crew
	list  screen.Selection
	talk  talk
	// snapshot has the panes that there were as the screen was drawn last.
	snapshot *core.Snapshot
}

// New makes the list.
func New() *Screen { return &Screen{list: screen.Selection{What: "agent, backend, state or task"}} }

// Entry registers it.
var Entry = screen.Entry{
	Name: "crews", Key: "9", Does: "crews", Alone: true, Keys: []*intent.Scope{&intent.Crewing}, Lists: lists,
	Open: func(at *screen.Opening) (screen.Screen, string) {
		s := New()
		s.Choose(at.ID)
		return s, ""
	},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Crewing }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Show limits the list to crews that contain a text, or what is said in a crew that has the whole
// display to what contains it; empty shows all.
func (s *Screen) Show(filter string) {
	if s.talk.whole {
		s.talk.search = filter
	} else {
		s.list.Filter = filter
	}
}

// Choose selects a crew once it is listed.
func (s *Screen) Choose(id string) { s.list.Choose(id) }

// lists are the questions that are asked also while the screen is closed: the list, once it is another.
var lists = []screen.Want{{Slot: readList, Question: ListQuestion{}, Follow: true}}

// Running counts the crews that work.
func Running(w *screen.World) int {
	n := 0
	for i := range readList.In(w).Value {
		if !readList.In(w).Value[i].State.Ended() {
			n++
		}
	}
	return n
}

// Wants is what is to be read while it is shown: the selected crew, as long as it works or the list says that it is
// another by now, and again after each act.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	s.gather(w)
	if s.list.Chosen() == "" {
		return nil
	}
	read, asked := readTalk.In(w), Question{s.list.Chosen()}
	follow := !s.crews[s.list.At].State.Ended()
	if known := read.Question == asked; !known {
		follow = true
	} else if read.Wrong == "" {
		listed, was := &s.crews[s.list.At], &read.Value.Crew
		follow = follow || !was.State.Ended() || listed.State != was.State || listed.Turn != was.Turn ||
			!listed.Ended.Equal(was.Ended)
	}
	return []screen.Want{{Slot: readTalk, Question: asked, Version: w.Acts, Follow: follow}}
}

// Handle moves, scrolls what is said, and says which crew is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if w, is := wanted.(intent.Scroll); is && (s.talk.whole || s.talk.at.Contains(w.X, w.Y)) || s.talk.whole {
		if wanted = s.talk.handle(wanted); wanted == nil {
			return nil
		}
	}
	switch wanted.(type) {
	case intent.Peek:
		s.talk.enlarge(!s.talk.whole && len(s.crews) > 0)
	case intent.AskFilter:
		if s.talk.whole {
			return intent.AskFilter{Filter: s.talk.search, What: "what was said"}
		}
		return s.list.Handle(wanted)
	case intent.NextFeed, intent.NextTalker, intent.ToggleMatrix:
		s.talk.choose(wanted)
	case intent.Back:
		switch {
		case s.talk.search != "" && s.talk.whole:
			s.talk.search = ""
		case s.talk.whole:
			s.talk.enlarge(false)
		default:
			return s.list.Handle(wanted)
		}
	case intent.AskSay, intent.PauseCrew, intent.AskStop, intent.Copy, intent.GoTo:
		return s.about(wanted)
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// about adds the selected crew to an intent; nil if there is none, or it is being read.
func (s *Screen) about(wanted intent.Intent) intent.Intent {
	shown := &s.talk.shown.Crew
	if len(s.crews) == 0 || shown.ID != s.list.Chosen() || len(shown.Members) == 0 {
		return nil
	}
	switch wanted.(type) {
	case intent.AskSay:
		return intent.AskSay{ID: shown.ID, Agents: shown.Names()}
	case intent.PauseCrew:
		return intent.PauseCrew{ID: shown.ID}
	case intent.AskStop:
		if shown.State.Ended() {
			return intent.Refuse{Why: "it does not work; p lets it go on"}
		}
		return intent.AskStop{
			ID: shown.ID, What: fmt.Sprintf("It is %s in turn %d: %s", shown.State, max(0, shown.Turn),
				screen.OneLine(shown.Prompt, 200)),
		}
	case intent.GoTo:
		return s.talk.place(s.snapshot)
	}
	return intent.CopyText{Text: s.talk.told()}
}

// gather collects the crews that the filter shows, and finds the selected one again. If it is gone,
// the one in its place is selected.
func (s *Screen) gather(w *screen.World) {
	s.crews = s.crews[:0]
	all := readList.In(w).Value
	for i := range all {
		if s.matches(&all[i]) {
			s.crews = append(s.crews, all[i])
		}
	}
	keys := make([]string, len(s.crews))
	for i := range s.crews {
		keys[i] = s.crews[i].ID
	}
	s.list.Set(keys)
}

func (s *Screen) matches(c *crew.Crew) bool {
	part := strings.ToLower(s.list.Filter)
	texts := append(c.Names(), c.ID, string(c.State), string(c.Reason), c.Recipe, c.Prompt)
	for i := range c.Members {
		texts = append(texts, c.Members[i].Backend)
	}
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(strings.ToLower(text), part) })
}

// beginner is what is shown before the first crew.
var beginner = &notice.Screen{Title: "There was no crew yet.", Lines: []string{
	"A crew is several agents that work on one task", "and write to each other until nothing is left to say.", "",
	"n starts one, as does this command:",
	"cupola crew run --agents=reviewer:claude,critic:codex --prompt=TASK",
}}

// View draws the list and the crew below it, or the crew alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.snapshot = w.Snapshot
	s.talk.show(w, s.list.Chosen())
	head, body := r.Top(1)
	lines := s.head(w, head)
	s.talk.at = layout.Rect{}
	none := len(readList.In(w).Value) == 0
	unread := screen.Unread(w, body, readList.In(w))
	switch {
	case none && unread != nil:
		return append(lines, unread...)
	case none:
		return append(lines, beginner.View(w, body, zones)...)
	case s.talk.whole && s.list.Chosen() != "":
		return append(lines, s.talk.view(w, body)...)
	}
	list, below := body.Top(s.rows(body.H))
	drawn, _ := s.list.View(w, list, rowsOf(s.crews, w, r.W))
	lines = append(lines, drawn...)
	if s.list.Chosen() == "" {
		return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
	}
	line, below := below.Top(1)
	lines = append(lines, widget.Rule(w.Theme, line.W, line.H)...)
	return append(lines, s.talk.view(w, below)...)
}

// rows is how many lines the list takes of some: a quarter, or less if it is shorter.
func (s *Screen) rows(height int) int {
	const least = 3
	return min(height, max(1, min(len(s.crews), max(least, height/4))))
}

func (s *Screen) head(w *screen.World, r layout.Rect) []string {
	left := widget.Styled(theme.Header, "  Crews")
	for _, filter := range []string{s.list.Filter, s.talk.search} {
		if filter != "" {
			left = append(left, widget.Span{Token: theme.Accent, Text: "  /" + filter})
		}
	}
	var parts []string
	if n := Running(w); n > 0 {
		parts = append(parts, fmt.Sprintf("%d running", n))
	}
	if s.list.Filter != "" {
		parts = append(parts, fmt.Sprintf("%d shown", len(s.crews)))
	}
	if n := len(readList.In(w).Value); n > 0 {
		parts = append(parts, fmt.Sprintf("%d on record", n))
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, strings.Join(parts, ", ")))
}

// Package relays lists the relays, and shows the answer of the selected one while it comes.
package relays

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
)

// ListQuestion asks for the relays on record, the newest first, without their answers; a []relay.Record answers it.
type ListQuestion struct{}

// Question asks for a relay; an Answer answers it.
type Question struct{ ID string }

// Answer is a relay with its answer as far as it has come.
type Answer struct {
	Record relay.Record
	// Text is the answer, Doing what the backend did last if that was no text.
	Text, Doing string
}

var (
	readList   = &screen.Slot[[]relay.Record]{}
	readAnswer = &screen.Slot[Answer]{}
)

// Screen is the list with the answer of the selected relay below it, or that answer alone.
type Screen struct {
	// records are the relays that the filter shows.
	records []relay.Record
	list    screen.Selection
	answer  answer
}

// New makes the list.
func New() *Screen {
	return &Screen{list: screen.Selection{What: "backend, model, label, state or prompt"}}
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "relays", Key: "8", Does: "relays", Alone: true, Keys: []*intent.Scope{&intent.Relaying}, Lists: lists,
	Open: screen.Always(New),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope { return &intent.Relaying }

// Visible are no panes.
func (s *Screen) Visible() []core.PaneID { return nil }

// Show limits the list to relays that contain a text; empty shows all.
func (s *Screen) Show(filter string) { s.list.Filter = filter }

// Choose selects a relay once it is listed.
func (s *Screen) Choose(id string) { s.list.Choose(id) }

// lists are the questions that are asked also while the screen is closed: the list, once it is another.
var lists = []screen.Want{{Slot: readList, Question: ListQuestion{}, Follow: true}}

// Running counts the relays that have not ended.
func Running(w *screen.World) int {
	n := 0
	for _, record := range readList.In(w).Value {
		if !record.State.Ended() {
			n++
		}
	}
	return n
}

// Wants is what is to be read while it is shown: the selected relay, until it has ended.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	s.gather(w)
	if s.list.Chosen() == "" {
		return nil
	}
	read, asked := readAnswer.In(w), Question{s.list.Chosen()}
	ended := read.Question == asked && (read.Wrong != "" || read.Value.Record.State.Ended())
	return []screen.Want{{Slot: readAnswer, Question: asked, Follow: !ended}}
}

// Handle moves, scrolls the answer, and says which relay is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if w, is := wanted.(intent.Scroll); is && (s.answer.whole || s.answer.at.Contains(w.X, w.Y)) || s.answer.whole {
		if wanted = s.answer.handle(wanted); wanted == nil {
			return nil
		}
	}
	switch wanted.(type) {
	case intent.Peek:
		s.answer.enlarge(!s.answer.whole && len(s.records) > 0)
	case intent.Back:
		if !s.answer.whole {
			return s.list.Handle(wanted)
		}
		s.answer.enlarge(false)
	case intent.AskCancel, intent.AskSpawn, intent.Copy:
		return s.about(wanted)
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// about adds the selected relay to an intent; nil if there is none.
func (s *Screen) about(wanted intent.Intent) intent.Intent {
	if len(s.records) == 0 {
		return nil
	}
	shown := s.answer.shown
	if shown.Record.ID != s.list.Chosen() {
		return nil // it is being read
	}
	record := &shown.Record
	switch wanted.(type) {
	case intent.AskCancel:
		if record.State.Ended() {
			return intent.Refuse{Why: "it has ended; x cancels one that runs"}
		}
		return intent.AskCancel{
			ID: record.ID, What: fmt.Sprintf("%s is %s: %s", record.Backend, record.State,
				screen.OneLine(record.Prompt, 200)),
		}
	case intent.AskSpawn:
		return intent.AskSpawn{Agents: record.Backend, Dir: record.Dir, Prompt: record.Prompt}
	}
	return intent.CopyText{Text: shown.Text}
}

// gather collects the relays that the filter shows, and finds the selected one again. If it is gone,
// the one in its place is selected.
func (s *Screen) gather(w *screen.World) {
	s.records = s.records[:0]
	all := readList.In(w).Value
	for i := range all {
		if s.matches(&all[i]) {
			s.records = append(s.records, all[i])
		}
	}
	keys := make([]string, len(s.records))
	for i := range s.records {
		keys[i] = s.records[i].ID
	}
	s.list.Set(keys)
}

func (s *Screen) matches(r *relay.Record) bool {
	if s.list.Filter == "" {
		return true
	}
	part := strings.ToLower(s.list.Filter)
	for _, text := range []string{r.Backend, r.Model, r.Label, string(r.State), r.ID, r.Prompt} {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}

// beginner is what is shown before the first relay.
var beginner = &notice.Screen{Title: "No relay was asked yet.", Lines: []string{
	"A relay asks another agent or model one prompt,", "without a pane. Its answer stays on record here.", "",
	"n asks one.",
}}

// View draws the list and the answer below it, or the answer alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.answer.show(w, s.list.Chosen())
	head, body := r.Top(1)
	lines := s.head(w, head)
	s.answer.at = layout.Rect{}
	none := len(readList.In(w).Value) == 0
	unread := screen.Unread(w, body, readList.In(w))
	switch {
	case none && unread != nil:
		return append(lines, unread...)
	case none:
		return append(lines, beginner.View(w, body, zones)...)
	case s.answer.whole && s.list.Chosen() != "":
		return append(lines, s.answer.view(w, body)...)
	}
	list, below := body.Top(s.rows(body.H))
	drawn, _ := s.list.View(w, list, tableOf(s.records, w, r.W).rows())
	lines = append(lines, drawn...)
	if s.list.Chosen() == "" {
		return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
	}
	line, below := below.Top(1)
	lines = append(lines, widget.Rule(w.Theme, line.W, line.H)...)
	return append(lines, s.answer.view(w, below)...)
}

// rows is how many lines the list takes of some: a third, or less if it is shorter.
func (s *Screen) rows(height int) int {
	const least = 3
	return min(height, max(1, min(len(s.records), max(least, height/3))))
}

func (s *Screen) head(w *screen.World, r layout.Rect) []string {
	left := widget.Styled(theme.Header, "  Relays")
	if s.list.Filter != "" {
		left = append(left, widget.Span{Token: theme.Accent, Text: "  /" + s.list.Filter})
	}
	var parts []string
	if n := Running(w); n > 0 {
		parts = append(parts, fmt.Sprintf("%d running", n))
	}
	if s.list.Filter != "" {
		parts = append(parts, fmt.Sprintf("%d shown", len(s.records)))
	}
	if n := len(readList.In(w).Value); n > 0 {
		parts = append(parts, fmt.Sprintf("%d on record", n))
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, strings.Join(parts, ", ")))
}

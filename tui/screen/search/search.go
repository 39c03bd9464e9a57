// Package search lists what agents said and showed that holds a text, while a search finds it, and shows one text in
// its conversation.
package search

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/agent/search"
	"cupola/core/agent/transcript"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks for the texts that a search finds.
type Question struct{ intent.Search }

// Result holds the hits so far, the newest first.
type Result struct {
	Hits []search.Hit
	// Done is true once the search has ended; Totals counts what it went through then.
	Done   bool
	Totals search.Totals
}

// Around asks for the conversation around a hit.
type Around struct{ Hit search.Hit }

// The results of the search and the passage that were read last.
var (
	found   = &screen.Slot[Result]{}
	passage = &screen.Slot[search.Passage]{}
)

// Screen is the list, or one text in its conversation.
type Screen struct {
	wanted  intent.Search
	pattern *search.Pattern
	list    screen.Listed[search.Hit]
	// chosen is the selected hit; its text is empty without one.
	chosen search.Hit
	// pane is the pane of the agent who said it; nil if none is known, or it is gone.
	pane *core.Pane
	// whole is true while the conversation fills the display. It was laid out for shown, width and theme.
	whole  bool
	reader screen.Reader
	// passage is the conversation that is shown.
	passage search.Passage
	shown   Around
	width   int
	theme   *theme.Theme
}

// Entry asks what to search for.
var Entry = screen.Entry{
	Name: "search", Key: "F", Does: "search what all agents said", Alone: true, Means: intent.AskSearch{},
	Words: "find grep",
}

// Found registers the list.
var Found = screen.Entry{
	Name: "found", Keys: []*intent.Scope{&intent.Searching, &intent.SearchReading}, Alone: true,
	Open: screen.Always(func() *Screen { return &Screen{} }),
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope {
	if s.whole {
		return &intent.SearchReading
	}
	return &intent.Searching
}

// Wants asks for the hits, again while more come, and for the conversation that is shown.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	if s.wanted.Text == "" {
		return nil
	}
	read := found.In(w)
	done := read.Question == any(Question{s.wanted}) && (read.Value.Done || read.Wrong != "")
	wants := []screen.Want{{Slot: found, Question: Question{s.wanted}, Follow: !done}}
	if s.whole {
		wants = append(wants, screen.Want{Slot: passage, Question: Around{s.chosen}})
	}
	return wants
}

// Handle begins a search, moves, shows the selected text in its conversation, and returns what is to be done with it.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	switch w := wanted.(type) {
	case intent.Search:
		pattern, err := search.Compile(w.Text)
		if err != nil {
			return intent.Refuse{Why: err.Error()}
		}
		*s = Screen{wanted: w, pattern: pattern}
		return nil
	case intent.AskSearch:
		return intent.AskSearch{Text: s.wanted.Text}
	case intent.Resume:
		return s.resume()
	case intent.GoTo:
		if s.pane == nil {
			return intent.Refuse{Why: "no agent that runs is known to have said it; r continues the conversation"}
		}
		return intent.GoTo{Pane: s.pane.ID, Session: s.pane.Session}
	case intent.Copy:
		if s.whole {
			return intent.CopyText{Text: s.plain()}
		}
		return intent.CopyText{Text: s.chosen.Text}
	}
	if s.whole {
		if wanted == (intent.Back{}) {
			s.whole = false
			return nil
		}
		return s.reader.Handle(wanted)
	}
	if wanted == (intent.Peek{}) {
		s.whole = s.chosen.Text != ""
		return nil
	}
	return s.list.Handle(wanted)
}

// Applies reports whether an intent about the selected text has something to do.
func (s *Screen) Applies(wanted intent.Intent) bool {
	return intent.When(wanted, screen.Acts(s.resume()), intent.Resume{}) &&
		intent.When(wanted, s.pane != nil, intent.GoTo{}) &&
		intent.When(wanted, s.chosen.Text != "", intent.Peek{}, intent.Copy{}) &&
		(intent.Among(wanted, intent.Copy{}) || s.reader.Applies(wanted))
}

// paneAt returns the pane with an address, the first of several; nil if there is none.
func paneAt(snap *core.Snapshot, address string) *core.Pane {
	if snap == nil {
		return nil
	}
	first, _, _ := strings.Cut(address, ",")
	panes := snap.Panes()
	if at := slices.IndexFunc(panes, func(p *core.Pane) bool { return p.Address() == first }); at >= 0 {
		return panes[at]
	}
	return nil
}

// resume continues the conversation of the selected text: in the pane of the agent who is in it, else in a new session.
func (s *Screen) resume() intent.Intent {
	hit := &s.chosen
	switch {
	case hit.Text == "":
		return nil
	case s.pane != nil && hit.Conversation != "":
		return intent.GoTo{Pane: s.pane.ID, Session: s.pane.Session}
	case hit.Conversation == "" || hit.Kind == "":
		return intent.Refuse{Why: "its conversation is not known"}
	}
	return intent.AskSpawn{Agents: string(hit.Kind) + "=1", Dir: hit.Dir, Resume: hit.Conversation}
}

// key identifies a hit in the list.
func key(h *search.Hit) string {
	return strings.Join([]string{h.File, h.At.String(), h.Pane, string(h.Who), h.Text}, "\x00")
}

// View draws the list, or the conversation.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	read := found.In(w)
	var hits []search.Hit
	if read.Question == any(Question{s.wanted}) {
		hits = read.Value.Hits
	}
	head, body := r.Top(1)
	lines := widget.Bar(w.Theme, head, widget.Styled(theme.Header, "  "+s.title()), s.note(w, read))
	s.list.Take(hits, key)
	s.chosen = search.Hit{}
	if hit := s.list.Selected(); hit != nil {
		s.chosen = *hit
	}
	s.pane = paneAt(w.Snapshot, s.chosen.Pane)
	if s.whole {
		return append(lines, s.conversation(w, body)...)
	}
	list, rest := body, layout.Rect{}
	if below := previewRows; body.H >= 3*below && len(hits) > 0 {
		list, rest = body.Top(body.H - below)
	}
	rows := widget.Rows{Empty: s.empty(w, read)}
	for i := range hits {
		left, right := s.row(w, &hits[i], r.W)
		rows.Left, rows.Right = append(rows.Left, left), append(rows.Right, right)
	}
	lines = append(lines, s.list.Draw(w, list, rows, zones)...)
	if rest.H > 0 {
		lines = append(lines, s.preview(w, rest)...)
	}
	return lines
}

// title names what is searched for, and where.
func (s *Screen) title() string {
	title := "“" + cells.Clean(s.wanted.Text) + "” in what agents said"
	for _, limit := range []struct{ before, text string }{
		{" since ", s.wanted.Since}, {", of ", s.wanted.Kinds}, {", in ", s.wanted.Project},
	} {
		if limit.text != "" {
			title += limit.before + cells.Clean(limit.text)
		}
	}
	return title
}

// note says how far the search is.
func (s *Screen) note(w *screen.World, read *screen.Answer[Result]) widget.Line {
	switch {
	case read.Question != any(Question{s.wanted}):
		return nil
	case read.Wrong != "":
		return widget.Styled(theme.Danger, "it failed ")
	case !read.Value.Done:
		return widget.Styled(theme.Dim, screen.Count(len(read.Value.Hits), "hit")+w.Theme.Glyphs().Ellipsis+" ")
	case !read.Value.Totals.Complete:
		return widget.Styled(theme.Dim, "the newest "+screen.Count(len(read.Value.Hits), "hit")+" ")
	}
	return widget.Styled(theme.Dim, screen.Count(len(read.Value.Hits), "hit")+" in "+
		screen.Count(read.Value.Totals.Sources, "source")+" ")
}

// empty says why nothing is listed.
func (s *Screen) empty(w *screen.World, read *screen.Answer[Result]) string {
	switch {
	case read.Question == any(Question{s.wanted}) && read.Wrong != "":
		return cells.Clean(read.Wrong)
	case read.Question != any(Question{s.wanted}) || !read.Value.Done:
		return "searching" + w.Theme.Glyphs().Ellipsis
	}
	return "no agent said that; / searches for another text"
}

// Columns of a row: ages and authors, and how much of the text is before what was found.
const (
	ageWidth    = 4
	whoWidth    = 7
	beforeFound = 24
	// previewRows is how many rows show the selected text, below the list.
	previewRows = 5
)

// row draws a hit: its age, its author, the text around what was found, and whose it is.
func (s *Screen) row(w *screen.World, h *search.Hit, width int) (left, right widget.Line) {
	left = widget.Line{
		{Token: theme.Dim, Text: widget.Fit(w.Theme, w.Age(h.At), max(ageWidth, len(w.Age(h.At))+1))},
		{Token: token(h.Who), Text: widget.Fit(w.Theme, string(h.Who), whoWidth)},
	}
	text := cells.Clean(h.Text)
	if from, _, ok := s.pattern.Find(text); ok && len([]rune(text[:from])) > beforeFound {
		runes := []rune(text[:from])
		text = w.Theme.Glyphs().Ellipsis + string(runes[len(runes)-beforeFound:]) + text[from:]
	}
	of := cmp.Or(h.Pane, string(h.Kind))
	if dir := filepath.Base(h.Dir); h.Dir != "" && width >= 100 {
		of += " " + dir
	}
	return append(left, s.marked(text)...), widget.Styled(theme.Dim, "  "+cells.Clean(of)+" ")
}

// marked is a text with what was found marked.
func (s *Screen) marked(text string) widget.Line {
	from, to, ok := s.pattern.Find(text)
	if !ok {
		return widget.Styled(theme.Text, text)
	}
	return widget.Line{
		{Token: theme.Text, Text: text[:from]},
		{Token: theme.Accent, Text: text[from:to]},
		{Token: theme.Text, Text: text[to:]},
	}
}

// token is the style of an author.
func token(who transcript.Who) theme.Token {
	switch who {
	case transcript.ByUser:
		return theme.Strong
	case transcript.ByAgent:
		return theme.Good
	}
	return theme.Dim
}

// preview draws the selected text, and what is known of it.
func (s *Screen) preview(w *screen.World, r layout.Rect) []string {
	h := &s.chosen
	rule, rest := r.Top(1)
	about := strings.Fields(strings.Join([]string{
		h.At.Local().Format("2006-01-02T15:04"), h.Pane, string(h.Kind), h.Dir, h.Conversation,
	}, " "))
	rows := []widget.Line{widget.Styled(theme.Dim, cells.Clean(strings.Join(about, "  ")))}
	for _, part := range cells.Wrap(cells.Clean(h.Text), max(1, r.W-4)) {
		rows = append(rows, s.marked(part))
	}
	return append(widget.Rule(w.Theme, rule.W, rule.H),
		widget.List(w.Theme, rest, widget.Rows{Selected: -1, Left: rows})...)
}

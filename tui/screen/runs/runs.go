// Package runs lists the runs of all kinds, and shows the selected one by the detail of its kind.
package runs

import (
	"slices"

	"cupola/core"
	"cupola/core/run"
	verbs "cupola/core/verb/runs"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/crews"
	"cupola/tui/screen/pipelines"
	"cupola/tui/screen/relays"
	"cupola/tui/screen/stories"
)

type (
	// ListQuestion asks for the runs of all kinds and projects; a List answers it.
	ListQuestion struct{}
	// SomeQuestion asks for the runs of a kind and in a folder, either empty for all; a List answers it.
	SomeQuestion struct {
		Kind run.Kind
		Dir  string
	}
)

// List are runs on record.
type List struct {
	// Runs are the runs that have not ended and the newest others, the newest first.
	Runs []run.Head
	// Total counts all that there are.
	Total int
}

var readAll, readSome = &screen.Slot[List]{}, &screen.Slot[List]{}

// Detail shows one run of a kind.
type Detail interface {
	// Scope is intent.Runs with the footer for a run in its state, which begins with what a user would do next.
	Scope(h *run.Head) *intent.Scope
	// Wants asks for a run that is listed.
	Wants(w *screen.World, h *run.Head) []screen.Want
	// Show takes a run as far as it was read, with the whole display or not. It returns its head as it was read; nil
	// before that.
	Show(w *screen.World, h *run.Head, whole bool) *run.Head
	// About returns the facts of the run besides its head, and a note about the lines that View showed.
	About(w *screen.World) (facts []string, note string)
	// View draws all but the head.
	View(w *screen.World, r layout.Rect, zones *layout.Zones) []string
	// Place goes to where the run works, or begins what continues it.
	Place() intent.Intent
	// Copied is the text that is copied.
	Copied() string
	// Handle scrolls, and carries out or completes what only runs of the kind have. It returns other intents.
	Handle(wanted intent.Intent) intent.Intent
}

// searcher is a Detail whose text can be searched while it has the whole display.
type searcher interface {
	Searched() (text *string, what string)
}

// details makes the details of all kinds.
func details() map[run.Kind]Detail {
	return map[run.Kind]Detail{
		run.Relay: &relays.Detail{}, run.Crew: &crews.Detail{}, run.Story: &stories.Detail{},
		run.Pipeline: &pipelines.Detail{},
	}
}

// Start returns the intent that asks for a new run of a kind.
func Start(kind run.Kind) intent.Intent {
	switch kind {
	case run.Relay:
		return intent.AskRelay{}
	case run.Crew:
		return intent.AskCrew{}
	case run.Story:
		return intent.Open{Screen: stories.Entry.Name}
	}
	return intent.AskCommand{Line: "pipeline-run "}
}

// Screen is the list with the selected run beside or below it, or that run alone.
type Screen struct {
	list screen.Listed[run.Head]
	// kind and project limit the list; empty shows all. projects are all there are.
	kind     run.Kind
	project  string
	projects []string
	details  map[run.Kind]Detail
	// head is the selected run as it was read; nil before that.
	head *run.Head
	// whole is true if the selected run has the whole display; at is where it was drawn.
	whole bool
	at    layout.Rect
}

// New makes the list of the runs of a kind; empty for all.
func New(kind run.Kind) *Screen {
	return &Screen{
		list: screen.ListOf[run.Head]("name, state, backend, project or title"), kind: kind, details: details(),
	}
}

// Entries are the screen, and the names that it had for one kind each.
var Entries = []*screen.Entry{
	{
		Name: "runs", Key: "8", Does: "runs: relays, crews, stories, pipelines", Alone: true,
		Keys: []*intent.Scope{&intent.Runs}, Open: opens(""),
		Lists: []screen.Want{{Slot: readAll, Question: ListQuestion{}, Follow: true}},
	},
	{Name: "relays", Alone: true, Open: opens(run.Relay)},
	{Name: "crews", Alone: true, Open: opens(run.Crew)},
	{Name: "stories", Alone: true, Open: opens(run.Story)},
}

func opens(kind run.Kind) func(*screen.Opening) (screen.Screen, string) {
	return func(at *screen.Opening) (screen.Screen, string) {
		s := New(kind)
		s.Choose(at.ID)
		return s, ""
	}
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope {
	if h := s.row(); h != nil {
		if s.head != nil && s.head.ID == h.ID {
			h = s.head
		}
		return s.details[h.Kind].Scope(h)
	}
	return &intent.Runs
}

// Visible is the pane that the detail shows, if it shows one.
func (s *Screen) Visible() []core.PaneID {
	if d, is := s.detail().(interface{ Visible() core.PaneID }); is && d.Visible() != "" {
		return []core.PaneID{d.Visible()}
	}
	return nil
}

// Show limits the list to runs that contain a text, or what is said in a run that has the whole display; empty shows
// all.
func (s *Screen) Show(filter string) {
	if text := s.searched(); text != nil {
		*text = filter
		return
	}
	s.list.Filter = filter
}

// searched is the text that is searched for in the run that has the whole display; nil if none is.
func (s *Screen) searched() *string {
	if d, is := s.detail().(searcher); is && s.whole {
		text, _ := d.Searched()
		return text
	}
	return nil
}

// Choose selects a run once it is listed.
func (s *Screen) Choose(id string) {
	s.project = ""
	s.list.Choose(id)
}

// Running counts the runs that have not ended.
func Running(w *screen.World) (n int) {
	for i := range readAll.In(w).Value.Runs {
		if !readAll.In(w).Value.Runs[i].State.Ended() {
			n++
		}
	}
	return n
}

// Wants asks for the selected run, and for the runs that a filter chooses if not all are listed.
func (s *Screen) Wants(w *screen.World) (wants []screen.Want) {
	s.gather(w)
	if all := readAll.In(w); all.Value.Total > len(all.Value.Runs) && (s.kind != "" || s.project != "") {
		wants = append(wants, screen.Want{
			Slot: readSome, Question: SomeQuestion{Kind: s.kind, Dir: s.project}, Version: all.N,
		})
	}
	if h := s.row(); h != nil {
		wants = append(wants, s.details[h.Kind].Wants(w, h)...)
	}
	return wants
}

// row is the selected run as it is listed; nil if there is none.
func (s *Screen) row() *run.Head {
	if h := s.list.Selected(); h != nil && s.details[h.Kind] != nil {
		return h
	}
	return nil
}

// detail returns the detail of the selected run; nil if there is none.
func (s *Screen) detail() Detail {
	if h := s.row(); h != nil {
		return s.details[h.Kind]
	}
	return nil
}

// scrolling are the intents that move in a text.
var scrolling = []intent.Intent{intent.Move{}, intent.Scroll{}, intent.Turn{}, intent.Jump{}}

// Handle moves, filters, scrolls the selected run, and says what is to be done about it.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	d := s.detail()
	w, is := wanted.(intent.Scroll)
	if d != nil && (s.whole && intent.Among(wanted, scrolling...) || is && s.at.Contains(w.X, w.Y)) {
		return d.Handle(wanted)
	}
	switch w := wanted.(type) {
	case intent.Peek:
		s.whole = !s.whole && d != nil
	case intent.AskFilter:
		if of, is := d.(searcher); is && s.whole {
			text, what := of.Searched()
			return intent.AskFilter{Filter: *text, What: what}
		}
		s.whole = false
		return s.list.Handle(wanted)
	case intent.Back:
		return s.back(wanted)
	case intent.NextKind:
		s.kind = next(append([]run.Kind{""}, run.Kinds()...), s.kind, w.By)
	case intent.NextProject:
		s.project = next(append([]string{""}, s.projects...), s.project, 1)
	case intent.AskStart:
		return intent.AskStart{Kind: string(s.kind)}
	default:
		for _, act := range acts {
			if intent.Among(wanted, act.means) {
				return s.act(act.of)
			}
		}
		if kind, is := ofRun(wanted); is {
			return s.ofKind(kind, wanted)
		}
		return s.list.Handle(wanted)
	}
	return nil
}

// acts are done about the listed head of a run of any kind.
var acts = []struct {
	means intent.Intent
	of    func(h *run.Head) intent.Intent
}{
	{intent.PauseRun{}, pause}, {intent.AskCancel{}, askCancel}, {intent.AskDelete{}, askDelete},
}

// next is the element of a list that is by behind one, around its end.
func next[T comparable](all []T, now T, by int) T {
	n := len(all)
	return all[((max(0, slices.Index(all, now))+by)%n+n)%n]
}

// back ends a search, then the whole display, then the filters.
func (s *Screen) back(wanted intent.Intent) intent.Intent {
	text := s.searched()
	switch {
	case text != nil && *text != "":
		*text = ""
	case s.whole:
		s.whole = false
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// own are the intents about the runs of one kind; empty for those about a run of any kind.
var own = map[run.Kind][]intent.Intent{
	"":       {intent.GoTo{}, intent.Copy{}},
	run.Crew: {intent.AskSay{}, intent.NextFeed{}, intent.NextTalker{}, intent.ToggleMatrix{}},
	run.Story: {
		intent.NextTab{},
		intent.ShowTab{},
		intent.Shift{},
		intent.PickStory{},
		intent.AskMergeTree{},
		intent.AskFinish{},
	},
}

// ofRun reports whether an intent is about one run, and which kind it must be; empty for any.
func ofRun(wanted intent.Intent) (kind run.Kind, is bool) {
	for kind, intents := range own {
		if intent.Among(wanted, intents...) {
			return kind, true
		}
	}
	return "", false
}

// ofKind lets the detail of the selected run carry out or complete an intent of runs of a kind.
func (s *Screen) ofKind(kind run.Kind, wanted intent.Intent) intent.Intent {
	h := s.row()
	switch {
	case h == nil:
		return intent.Refuse{Why: "there is no run"}
	case kind != "" && kind != h.Kind:
		return intent.Refuse{Why: "that is for a " + string(kind) + "; this is a " + string(h.Kind)}
	case s.head == nil || s.head.ID != h.ID:
		return intent.Refuse{Why: "it is being read"}
	}
	switch d := s.details[h.Kind]; wanted.(type) {
	case intent.GoTo:
		return d.Place()
	case intent.Copy:
		return intent.CopyText{Text: d.Copied()}
	default:
		return d.Handle(wanted)
	}
}

// Applies reports whether an intent has something to do with the selected run, or with the list while that shows.
func (s *Screen) Applies(wanted intent.Intent) bool {
	h := s.row()
	if _, is := ofRun(wanted); is {
		read := h != nil && s.head != nil && s.head.ID == h.ID
		return read && (wanted != intent.GoTo{} || screen.Acts(s.details[h.Kind].Place()))
	}
	return intent.When(wanted, h != nil && !s.whole, intent.Peek{}) &&
		intent.When(wanted, len(s.projects) > 0, intent.NextProject{}) &&
		intent.When(wanted, !s.whole || s.searched() != nil, intent.AskFilter{}) &&
		intent.When(wanted, !s.whole, intent.NextKind{}, intent.AskStart{})
}

// act returns an act on the selected run, or the question before it.
func (s *Screen) act(of func(h *run.Head) intent.Intent) intent.Intent {
	if h := s.row(); h != nil {
		return of(h)
	}
	return intent.Refuse{Why: "there is no run"}
}

// askCancel returns the question whether to cancel a run.
func askCancel(h *run.Head) intent.Intent {
	if h.State.Ended() {
		return intent.Refuse{Why: "it has ended; x cancels one that runs"}
	}
	return intent.AskCancel{ID: h.ID, What: what(h)}
}

// askDelete returns the question whether to delete the record of a run.
func askDelete(h *run.Head) intent.Intent {
	if !h.State.Ended() {
		return intent.Refuse{Why: "it has not ended; x cancels it"}
	}
	return intent.AskDelete{ID: h.ID, What: what(h)}
}

// pause pauses a run, or resumes one that does not run.
func pause(h *run.Head) intent.Intent {
	of := verbs.OfRun{Run: h.ID}
	if h.State == run.Running || h.State == run.Pending {
		return intent.Act{Input: verbs.PauseIn{OfRun: of}, What: h.ID}
	}
	return intent.Act{Input: verbs.ResumeIn{OfRun: of}, What: h.ID}
}

// what says what a run is, before something is done about it.
func what(h *run.Head) string {
	return "The " + string(h.Kind) + " " + nameOf(h) + " is " + word(h.State) + ". " + screen.OneLine(h.Title, 200)
}

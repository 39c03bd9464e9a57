// Package stories lists the changes that have stories and the runs over them, and shows the selected one: the tasks of
// a change, or how far a run is while it works.
package stories

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
)

// Screen is the list with the selected change or run below it, or that alone.
type Screen struct {
	// rows are those that the filter shows.
	rows []row
	list screen.Selection
	// whole is true if what is selected has the whole display; at is where it was drawn.
	whole    bool
	at       layout.Rect
	preview  preview
	progress progress
	// snapshot has the panes that there were as the screen was drawn last.
	snapshot *core.Snapshot
}

// New makes the list.
func New() *Screen {
	return &Screen{list: screen.Selection{What: "name, state, backend or problem"}}
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "stories", Key: "0", Does: "stories", Alone: true, Keys: []*intent.Scope{&intent.Storying}, Lists: lists,
	Open: func(at *screen.Opening) (screen.Screen, string) {
		s := New()
		s.Choose(at.ID)
		return s, ""
	},
}

// Scope is the table of active keys.
func (s *Screen) Scope() *intent.Scope {
	switch run := s.run(); {
	case run == nil:
		return &intent.Storying
	case run.State.Ended():
		return &intent.RunEnded
	}
	return &intent.RunWorks
}

// Visible is the pane of the shown story, if it is drawn.
func (s *Screen) Visible() []core.PaneID {
	if s.progress.visible == "" || s.run() == nil {
		return nil
	}
	return []core.PaneID{s.progress.visible}
}

// Show limits the list to what contains a text; empty shows all.
func (s *Screen) Show(filter string) { s.list.Filter = filter }

// Choose selects a run once it is listed.
func (s *Screen) Choose(id string) {
	if id != "" {
		s.list.Choose(keyOfRun(id))
	}
}

// Wants is what is to be read while it is shown: the selected change or run, and what the run changed if that is shown.
func (s *Screen) Wants(w *screen.World) []screen.Want {
	s.gather(w)
	switch r := s.row(); {
	case r == nil:
		return nil
	case r.change != nil:
		asked := ChangeQuestion{Dir: r.change.Dir, Name: r.change.Name}
		return []screen.Want{{Slot: readChange, Question: asked, Version: *r.change}}
	default:
		return append([]screen.Want{wantRun(w, r.run)}, s.wantChanged(w, r.run)...)
	}
}

// wantRun asks for a run: as long as it works, or is another by now, as the list says, and after each act.
func wantRun(w *screen.World, listed *story.Run) screen.Want {
	read, asked := readRun.In(w), RunQuestion{listed.ID}
	follow := !listed.State.Ended()
	if known := read.Question == asked; !known {
		follow = true
	} else if was := &read.Value.Run; read.Wrong == "" {
		follow = follow || !was.State.Ended() || listed.State != was.State || listed.Iterations != was.Iterations ||
			!listed.Ended.Equal(was.Ended)
	}
	return screen.Want{Slot: readRun, Question: asked, Version: w.Acts, Follow: follow}
}

// wantChanged asks for the files that a run changed while they are shown, again after each commit and each act.
func (s *Screen) wantChanged(w *screen.World, listed *story.Run) []screen.Want {
	read := readRun.In(w)
	if s.progress.tabs.at != tabChanged || s.progress.shown.Run.ID != listed.ID ||
		(read.Question != RunQuestion{listed.ID}) {
		return nil
	}
	was := &read.Value.Run
	commits := make([]string, len(was.Stories))
	for i := range was.Stories {
		commits[i] = was.Stories[i].Commit
	}
	version := fmt.Sprint(was.State, was.Iterations, commits, w.Acts)
	return []screen.Want{{Slot: readChanged, Question: ChangedQuestion{listed.ID}, Version: version}}
}

// row is the selected row; nil if there is none.
func (s *Screen) row() *row {
	if s.list.At < len(s.rows) {
		return &s.rows[s.list.At]
	}
	return nil
}

// run is the selected run, as it is listed; nil if none is.
func (s *Screen) run() *story.Run {
	if r := s.row(); r != nil {
		return r.run
	}
	return nil
}

// tabs are those of what is selected, and how many there are.
func (s *Screen) tabs() (*tabs, int) {
	if s.run() != nil {
		return &s.progress.tabs, runTabs
	}
	return &s.preview.tabs, previewTabs
}

// Handle moves, scrolls what is selected, and says which change or run is meant.
func (s *Screen) Handle(wanted intent.Intent) intent.Intent {
	if w, is := wanted.(intent.Scroll); s.row() != nil && (s.whole || is && s.at.Contains(w.X, w.Y)) {
		if wanted = s.scroll(wanted); wanted == nil {
			return nil
		}
	}
	switch wanted.(type) {
	case intent.Peek:
		s.whole = !s.whole && len(s.rows) > 0
	case intent.AskFilter:
		s.whole = false
		return s.list.Handle(wanted)
	case intent.Back:
		if !s.whole {
			return s.list.Handle(wanted)
		}
		s.whole = false
	case intent.NextTab, intent.ShowTab, intent.ShowLog, intent.ShowChanged, intent.Shift, intent.PickStory:
		s.show(wanted)
	case intent.AskRun, intent.PauseRun, intent.AskStopRun, intent.AskFinish, intent.GoTo, intent.Copy:
		return s.about(wanted)
	default:
		return s.list.Handle(wanted)
	}
	return nil
}

// scroll scrolls what is selected, and returns other intents.
func (s *Screen) scroll(wanted intent.Intent) intent.Intent {
	if s.run() != nil && s.progress.visible != "" {
		switch w := wanted.(type) {
		case intent.Scroll:
			s.progress.pane.Scroll(w.By * screen.WheelLines)
			return nil
		case intent.Turn:
			s.progress.pane.Turn(w.By)
			return nil
		}
	}
	shown, _ := s.tabs()
	return shown.handle(wanted)
}

// show changes what is shown of what is selected.
func (s *Screen) show(wanted intent.Intent) {
	shown, n := s.tabs()
	isRun := s.run() != nil
	switch w := wanted.(type) {
	case intent.NextTab:
		shown.turn(w.By, n)
	case intent.ShowTab:
		shown.at = max(0, min(w.N, n-1))
	case intent.Shift:
		if isRun {
			s.progress.step(w.By)
			return
		}
		shown.turn(w.By, n)
	case intent.PickStory:
		s.progress.choose(w.ID)
		return
	case intent.ShowLog:
		if isRun {
			shown.at = tabLog
		}
	case intent.ShowChanged:
		if isRun {
			shown.at = tabChanged
		}
	}
	s.progress.picked = s.progress.picked || isRun
}

// gather collects the rows that the filter shows, and finds the selected one again. If it is gone, the one in its place
// is selected.
func (s *Screen) gather(w *screen.World) {
	part := strings.ToLower(s.list.Filter)
	s.rows = slices.DeleteFunc(rowsOf(&readList.In(w).Value), func(r row) bool { return !r.matches(part) })
	keys := make([]string, len(s.rows))
	for i := range s.rows {
		keys[i] = s.rows[i].key
	}
	s.list.Set(keys)
}

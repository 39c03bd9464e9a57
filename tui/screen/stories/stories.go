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
	list screen.List
	// chosen is the key of the selected row, next that of one to select once it is listed.
	chosen, next string
	filter       string
	// whole is true if what is selected has the whole display; at is where it was drawn.
	whole    bool
	at       layout.Rect
	preview  preview
	progress progress
	// snapshot has the panes that there were as the screen was drawn last.
	snapshot *core.Snapshot
}

// New makes the list.
func New() *Screen { return &Screen{} }

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
func (s *Screen) Show(filter string) { s.filter = filter }

// Choose selects a run once it is listed.
func (s *Screen) Choose(id string) {
	if id != "" {
		s.next, s.filter = keyOfRun(id), ""
	}
}

// Run returns the id of the selected run, empty if there is none, and whether it is to be read again although it had
// ended when it was read: it works, or is another by now, as the list says.
func (s *Screen) Run(w *screen.World) (id string, again bool) {
	s.gather(w)
	listed := s.run()
	if listed == nil {
		return "", false
	}
	read := &w.Run.Run
	again = read.ID == listed.ID && w.Run.Wrong == "" &&
		(listed.State != read.State || listed.Iterations != read.Iterations || !listed.Ended.Equal(read.Ended))
	return listed.ID, again || !listed.State.Ended()
}

// Change returns the selected change, an empty one if there is none, and what tells one version of it from another.
func (s *Screen) Change(w *screen.World) (change screen.StoryChange, version string) {
	s.gather(w)
	if r := s.row(); r != nil && r.change != nil {
		return *r.change, fmt.Sprint(*r.change)
	}
	return screen.StoryChange{}, ""
}

// Changed returns the id of the run whose changed files are shown, empty if none are, and what tells one version of
// them from another.
func (s *Screen) Changed(w *screen.World) (id, version string) {
	s.gather(w)
	r := s.run()
	run := &w.Run.Run
	if r == nil || s.progress.tabs.at != tabChanged || s.progress.shown.Run.ID != r.ID || run.ID != r.ID {
		return "", ""
	}
	commits := make([]string, len(run.Stories))
	for i := range run.Stories {
		commits[i] = run.Stories[i].Commit
	}
	return r.ID, fmt.Sprint(run.State, run.Iterations, commits)
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
	if wanted = s.list.Handle(wanted); wanted == nil {
		s.choose()
		return nil
	}
	switch w := wanted.(type) {
	case intent.Peek:
		s.whole = !s.whole && len(s.rows) > 0
	case intent.AskFilter:
		s.whole = false
		return intent.AskFilter{Filter: s.filter, What: "name, state, backend or problem"}
	case intent.Back:
		switch {
		case s.whole:
			s.whole = false
		case s.filter != "":
			s.filter = ""
		default:
			return wanted
		}
	case intent.Pick:
		if i := slices.IndexFunc(s.rows, func(r row) bool { return r.key == w.Key }); i >= 0 {
			s.list.At = i
			s.choose()
		}
	case intent.NextTab, intent.ShowTab, intent.ShowLog, intent.ShowChanged, intent.Shift, intent.PickStory:
		s.show(wanted)
	case intent.AskRun, intent.PauseRun, intent.AskStopRun, intent.AskFinish, intent.GoTo, intent.Copy:
		return s.about(wanted)
	default:
		return wanted
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

// choose notes which row is selected.
func (s *Screen) choose() {
	if r := s.row(); r != nil {
		s.chosen = r.key
	}
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
	part := strings.ToLower(s.filter)
	s.rows = slices.DeleteFunc(rowsOf(&w.Stories), func(r row) bool { return !r.matches(part) })
	keys := make([]string, len(s.rows))
	for i := range s.rows {
		keys[i] = s.rows[i].key
	}
	s.list.At, s.chosen, s.next = screen.Reselect(keys, s.chosen, s.next, s.list.At)
}

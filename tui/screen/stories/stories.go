// Package stories lists the changes that have stories and the runs over them, and shows the selected one: the tasks of
// a change, or how far a run is while it works.
package stories

import (
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/story"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
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

// about adds what is selected to an intent; nil if nothing is, or it is being read.
func (s *Screen) about(wanted intent.Intent) intent.Intent {
	r := s.row()
	switch {
	case r == nil:
		return nil
	case r.change != nil:
		return s.aboutChange(wanted, r)
	case s.progress.shown.Run.ID != r.run.ID || s.progress.shown.Wrong != "" && len(s.progress.shown.Run.Stories) == 0:
		return nil
	}
	run := &s.progress.shown.Run
	switch w := wanted.(type) {
	case intent.AskRun:
		return intent.AskRun{Dir: r.dir, Name: run.Name}
	case intent.PauseRun:
		return intent.PauseRun{ID: run.ID}
	case intent.AskStopRun:
		if run.State.Ended() {
			return intent.AskStopRun{ID: run.ID}
		}
		done, total := run.Counts()
		return intent.AskStopRun{ID: run.ID, What: fmt.Sprintf(
			"It is %s: %d of %d stories of %s are done. What is committed stays.", run.State, done, total, run.Name)}
	case intent.AskFinish:
		return finish(w, run)
	case intent.GoTo:
		return s.progress.place(s.snapshot)
	}
	if s.progress.tabs.at == tabRun {
		return intent.CopyText{Text: mergeCommand(run)}
	}
	return intent.CopyText{Text: s.progress.tabs.made.plain()}
}

// finish says what the commits of a run are, if it has ended.
func finish(w intent.AskFinish, run *story.Run) intent.Intent {
	w.ID = run.ID
	if run.State.Ended() {
		done, total := run.Counts()
		w.What = fmt.Sprintf("%d of %d stories of %s are done, in the branch %s.", done, total, run.Name, run.Branch)
	}
	return w
}

// aboutChange adds the selected change, or the run that works on it, to an intent.
func (s *Screen) aboutChange(wanted intent.Intent, r *row) intent.Intent {
	id := ""
	if r.working != nil {
		id = r.working.ID
	}
	switch w := wanted.(type) {
	case intent.AskRun:
		return intent.AskRun{Dir: r.dir, Name: r.change.Name}
	case intent.PauseRun:
		if id == "" {
			return intent.AskRun{Dir: r.dir, Name: r.change.Name}
		}
		return intent.PauseRun{ID: id}
	case intent.AskStopRun:
		if id == "" {
			return w
		}
		return intent.AskStopRun{ID: id, What: "It works on " + r.change.Name + ". What is committed stays."}
	case intent.AskFinish:
		return w
	case intent.GoTo:
		return intent.GoTo{}
	}
	return intent.CopyText{Text: s.preview.tabs.made.plain()}
}

// gather collects the rows that the filter shows, and finds the selected one again. If it is gone, the one in its place
// is selected.
func (s *Screen) gather(w *screen.World) {
	part := strings.ToLower(s.filter)
	s.rows = slices.DeleteFunc(rowsOf(&w.Stories), func(r row) bool { return !r.matches(part) })
	find := func(key string) int {
		return slices.IndexFunc(s.rows, func(r row) bool { return r.key == key })
	}
	if s.next != "" && find(s.next) >= 0 {
		s.chosen, s.next = s.next, ""
	}
	if at := find(s.chosen); at >= 0 {
		s.list.At = at
		return
	}
	s.chosen = ""
	s.list.At = max(0, min(s.list.At, len(s.rows)-1))
	s.choose()
}

// beginner is what is shown where there is neither a change nor a run.
var beginner = &notice.Screen{Title: "There is no change with stories.", Lines: []string{
	"Stories are the headings of a list of tasks (- [ ] TEXT).", "An OpenSpec change has one: openspec/changes/NAME/tasks.md",
	"Any Markdown file with tasks is one too: --tasks FILE", "", "This command lists what there is in a folder:",
	"cupola story list",
}}

// View draws the list and what is selected below it, or that alone.
func (s *Screen) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	s.gather(w)
	s.snapshot = w.Snapshot
	s.progress.visible = ""
	head, body := r.Top(1)
	lines := s.head(w, head)
	s.at = layout.Rect{}
	none := len(w.Stories.Changes)+len(w.Stories.Runs) == 0
	switch {
	case none && w.Stories.Wrong != "":
		return append(lines, widget.List(w.Theme, body, widget.Rows{Selected: -1, Left: []widget.Line{
			widget.Styled(theme.Danger, w.Stories.Wrong),
		}})...)
	case none && !w.Stories.Read:
		return append(lines, widget.List(w.Theme, body, widget.Rows{Selected: -1, Empty: "looking" +
			w.Theme.Glyphs().Ellipsis})...)
	case none:
		return append(lines, beginner.View(w, body, zones)...)
	case s.whole && s.row() != nil:
		return append(lines, s.detail(w, body, zones)...)
	}
	list, below := body.Top(s.height(body.H))
	drawn, top := s.list.View(w, list, table(s.rows, w, r.W))
	lines = append(lines, drawn...)
	for i := top; i < min(len(s.rows), top+list.H); i++ {
		zones.Add(list.Row(i-top), intent.Pick{Key: s.rows[i].key})
	}
	if s.row() == nil {
		return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
	}
	line, below := below.Top(1)
	lines = append(lines, widget.Rule(w.Theme, line.W, line.H)...)
	return append(lines, s.detail(w, below, zones)...)
}

// detail draws what is selected.
func (s *Screen) detail(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	if one := s.row(); one.change != nil {
		s.preview.show(w, one)
		lines := s.preview.view(w, r, zones)
		s.at = r
		return lines
	}
	s.progress.show(w, s.run().ID)
	s.at = r
	return s.progress.view(w, r, zones)
}

// height is how many lines the list takes of some: a quarter, or less if it is shorter.
func (s *Screen) height(height int) int {
	const least = 3
	return min(height, max(1, min(len(s.rows), max(least, height/4))))
}

func (s *Screen) head(w *screen.World, r layout.Rect) []string {
	left := widget.Styled(theme.Header, "  Stories")
	if s.filter != "" {
		left = append(left, widget.Span{Token: theme.Accent, Text: "  /" + s.filter})
	}
	if s.whole && w.Stories.Wrong != "" || w.Stories.Wrong != "" && len(s.rows) > 0 {
		left = append(left, widget.Span{Token: theme.Danger, Text: "  " + w.Stories.Wrong})
	}
	var parts []string
	if n := w.Stories.Running(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d running", n))
	}
	if s.filter != "" {
		parts = append(parts, fmt.Sprintf("%d shown", len(s.rows)))
	}
	if n := len(w.Stories.Changes); n > 0 {
		parts = append(parts, counted(n, "change", "changes"))
	}
	if n := len(w.Stories.Runs); n > 0 {
		parts = append(parts, counted(n, "run", "runs"))
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, strings.Join(parts, ", ")))
}

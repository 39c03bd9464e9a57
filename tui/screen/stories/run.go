package stories

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The tabs of a run.
const (
	tabRun = iota
	tabAgent
	tabChecks
	tabTries
	tabChanged
	tabLog
	runTabs
)

var runTabNames = []string{"Run", "Agent", "Checks", "Tries", "Changes", "Log"}

// shownRun is a run that is shown, with why it cannot be and what to do about that; both may be empty.
type shownRun struct {
	RunText
	Wrong, Hint string
	// n is the number of the question that was answered.
	n int
}

// progress shows one run: how far it is, its stories, and what is known of the one that is chosen.
type progress struct {
	shown   shownRun
	changed screen.Answer[Changed]
	// chosen is the id of the story that the user chose; empty shows the one that is worked on.
	chosen string
	// picked is true once the user chose a tab. Until then that of the agent is shown while the run works, and how it
	// ended afterwards.
	picked bool
	tabs   tabs
	agent  screen.Wrapped
	pane   screen.PaneView
	// visible is the pane that was drawn last.
	visible core.PaneID
}

// show takes the run with an id, as far as it was read.
func (p *progress) show(w *screen.World, id string) {
	if id != p.shown.Run.ID {
		*p = progress{}
	}
	if read := readRun.In(w); read.Question == (RunQuestion{id}) {
		p.shown = shownRun{read.Value, read.Wrong, read.Hint, read.N}
		p.shown.Run.ID = id
	}
	if read := readChanged.In(w); read.Question == (ChangedQuestion{id}) {
		p.changed = *read
	}
	if !p.picked {
		p.tabs.at = tabAgent
		if p.shown.Run.State.Ended() {
			p.tabs.at = tabRun
		}
	}
	if p.shown.Run.Story(p.chosen) == nil {
		p.chosen = ""
	}
}

// begun reports whether a story was worked on.
func begun(one *story.Progress) bool { return one.State != story.Open || len(one.Tries) > 0 }

// current is the number of the story that is shown; -1 if there is none: the one that was chosen, else the first that
// is worked on, else the last that was.
func (p *progress) current() int {
	stories := p.shown.Run.Stories
	if p.chosen != "" {
		return slices.IndexFunc(stories, func(one story.Progress) bool { return one.ID == p.chosen })
	}
	last := -1
	for i := range stories {
		if under(stories[i].State) {
			return i
		}
		if begun(&stories[i]) {
			last = i
		}
	}
	return last
}

// step chooses the story that was begun and is by further down.
func (p *progress) step(by int) {
	stories := p.shown.Run.Stories
	for i := p.current() + by; i >= 0 && i < len(stories); i += by {
		if begun(&stories[i]) {
			p.choose(stories[i].ID)
			return
		}
	}
}

// choose shows a story. That which is shown unasked is followed by the next one once it is done.
func (p *progress) choose(id string) {
	p.chosen = ""
	if one := p.story(); one == nil || one.ID != id {
		p.chosen = id
	}
	for _, tab := range []int{tabAgent, tabChecks, tabTries} {
		if tab < len(p.tabs.places) {
			p.tabs.places[tab] = place{}
		}
	}
}

// story is the one that is shown; nil if there is none.
func (p *progress) story() *story.Progress {
	if i := p.current(); i >= 0 {
		return &p.shown.Run.Stories[i]
	}
	return nil
}

// saying is what the agent of the shown story does now; nil if none works.
func (p *progress) saying() *screen.Saying {
	one := p.story()
	for i := range p.shown.Saying {
		if one != nil && p.shown.Saying[i].Agent == one.ID {
			return &p.shown.Saying[i]
		}
	}
	return nil
}

// place leads to the pane of the shown story.
func (p *progress) place(snapshot *core.Snapshot) intent.GoTo {
	address := ""
	if s := p.saying(); s != nil {
		address = s.Pane
	}
	return screen.Place(snapshot, address, p.shown.Run.Session)
}

// view draws a line about the run, how far it is, the stories around the shown one, and the tab that is shown.
func (p *progress) view(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	p.visible = ""
	if p.shown.Run.ID == "" {
		return reading(w, r)
	}
	head, rest := r.Top(1)
	lines := p.title(w, head)
	const leastText = 3
	gauges, rest := rest.Top(min(1, max(0, rest.H-leastText)))
	if gauges.H > 0 {
		lines = append(lines, p.gauges(w, gauges)...)
	}
	around, rest := rest.Top(p.window(rest.H))
	lines = append(lines, p.stories(w, around, zones)...)
	if s := p.saying(); p.tabs.at == tabAgent && s != nil && s.Pane != "" {
		if pane := screen.PaneAt(w.Snapshot, s.Pane); pane != nil {
			bar, body := rest.Top(1)
			p.visible, p.tabs.area = pane.ID, body
			lines = append(lines, p.tabs.bar(w, bar, runTabNames, "o goes to its pane", zones)...)
			return append(lines, p.pane.View(w, body, pane, widget.AnchorCursor)...)
		}
	}
	key := fmt.Sprint(p.shown.Run.ID, p.shown.n, p.changed.N, p.chosen)
	return append(lines, p.tabs.view(w, rest, zones, runTabNames, key, p.follows(), func(width int) text {
		return p.text(w, width)
	})...)
}

// follows reports whether the end of the tab is shown.
func (p *progress) follows() bool {
	return !p.shown.Run.State.Ended() && (p.tabs.at == tabAgent || p.tabs.at == tabChecks || p.tabs.at == tabLog)
}

// window is how many of some lines the stories take: a quarter, and no more than there are.
func (p *progress) window(height int) int {
	return max(0, min(len(p.shown.Run.Stories), max(1, height/4), height-3))
}

// title says what the run is, and what it took.
func (p *progress) title(w *screen.World, r layout.Rect) []string {
	run := &p.shown.Run
	state := string(run.State)
	if run.State == story.Failed && r.W >= broad {
		state += ": " + strings.ReplaceAll(string(run.Reason), "_", " ")
	}
	left := widget.Line{
		{Token: stateToken(run.State), Text: "  " + state},
		{Token: theme.Strong, Text: "  " + cells.Clean(run.Name)},
	}
	facts := ""
	for _, fact := range []string{screen.Took(p.elapsed(w.Now)), cost(run.CostUSD, run.CostKnown), tokens(run.Used)} {
		if fact != "" && left.Width()+cells.Width(facts)+len(fact)+4 < r.W {
			facts += "  " + fact
		}
	}
	for _, part := range []string{run.ID, run.Backend, run.Model, run.Stage, run.Session, run.Branch} {
		if part != "" {
			left = append(left, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(part)})
		}
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, facts))
}

// elapsed is how long a run took, or has taken: all its parts together, without its pauses.
func (p *progress) elapsed(now time.Time) time.Duration {
	run := &p.shown.Run
	took := time.Duration(run.ElapsedMS) * time.Millisecond
	if run.State.Ended() {
		return took
	}
	return took + screen.Worked(now, len(p.shown.Events), func(i int) (time.Time, screen.Phase) {
		e := &p.shown.Events[i]
		return e.At, map[story.EventType]screen.Phase{
			story.RunStart: screen.Begins, story.Pause: screen.Pauses, story.Resume: screen.GoesOn,
		}[e.Type]
	})
}

// gauges show how many stories and tasks are done.
func (p *progress) gauges(w *screen.World, r layout.Rect) []string {
	run := &p.shown.Run
	const words, least, most = 50, 6, 24
	length := min(most, (r.W-words)/2)
	var line widget.Line
	part := func(name string, done, total int) {
		line = append(line, widget.Span{Token: theme.Dim, Text: "  " + name + " "})
		if length >= least {
			line = append(append(line, widget.Gauge(w.Theme, done, total, length)...), widget.Span{Text: " "})
		}
		line = append(line, widget.Span{Token: theme.Text, Text: fmt.Sprintf("%d/%d", done, total)})
	}
	done, total := run.Counts()
	part("stories", done, total)
	done, total = tasksOf(run)
	part("tasks", done, total)
	tries := fmt.Sprintf("%d of %s", run.Iterations, counted(run.Limits.MaxIterations, "try", "tries"))
	return widget.Bar(w.Theme, r, line, widget.Styled(theme.Dim, tries))
}

// stories draws those around the shown one.
func (p *progress) stories(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	all := p.shown.Run.Stories
	rows := widget.Rows{Selected: p.current()}
	rows.Top = max(0, min(rows.Selected-r.H/2, len(all)-r.H))
	id := 0
	for i := range all {
		id = max(id, min(12, cells.Width(cells.Clean(all[i].ID))))
	}
	for i := range all {
		one := &all[i]
		left := widget.Line{
			step(&p.shown.Run, one),
			{Token: theme.Strong, Text: widget.Fit(one.ID, id) + "  "},
			{Token: theme.Text, Text: screen.OneLine(one.Title, 500)},
		}
		if one.Failure != "" && one.State != story.Done {
			left = append(left, widget.Span{Token: theme.Danger, Text: "  " + screen.OneLine(one.Failure, 300)})
		}
		right := fmt.Sprintf(" %5s", fmt.Sprintf("%d/%d", one.TasksDone, one.TasksTotal))
		if r.W >= broad {
			tries := ""
			if n := len(one.Tries); n > 0 {
				tries = counted(n, "try", "tries")
			}
			right = fmt.Sprintf("  %7s  %8s", commit(one.Commit), tries) + right
		}
		rows.Left, rows.Right = append(rows.Left, left), append(rows.Right, widget.Styled(theme.Dim, right))
		if y := i - rows.Top; y >= 0 && y < r.H && begun(one) {
			zones.Add(r.Row(y), intent.PickStory{ID: one.ID})
		}
	}
	return widget.List(w.Theme, r, rows)
}

package stories

import (
	"fmt"
	"slices"
	"time"

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
)

var runTabNames = []string{"Run", "Agent", "Checks", "Tries", "Changes", "Log"}

// started reports whether a story was started.
func started(one *story.Progress) bool { return one.State != story.Open || len(one.Tries) > 0 }

// current is the number of the story that is shown; -1 if there is none: the one that was chosen, else the first that
// is worked on, else the last that was.
func (d *Detail) current() int {
	stories := d.shown.Value.Run.Stories
	if d.chosen != "" {
		return slices.IndexFunc(stories, func(one story.Progress) bool { return one.ID == d.chosen })
	}
	last := -1
	for i := range stories {
		if under(stories[i].State) {
			return i
		}
		if started(&stories[i]) {
			last = i
		}
	}
	return last
}

// step selects another started story, by further down.
func (d *Detail) step(by int) {
	stories := d.shown.Value.Run.Stories
	for i := d.current() + by; i >= 0 && i < len(stories); i += by {
		if started(&stories[i]) {
			d.choose(stories[i].ID)
			return
		}
	}
}

// choose shows a story. That which is shown unasked is followed by the next one once it is done.
func (d *Detail) choose(id string) {
	d.chosen = ""
	if one := d.story(); one == nil || one.ID != id {
		d.chosen = id
	}
	for _, tab := range []int{tabAgent, tabChecks, tabTries} {
		if tab < len(d.tabs.places) {
			d.tabs.places[tab] = screen.Tail{}
		}
	}
}

// under reports whether something is done about a story at a step.
func under(step story.Step) bool {
	return step == story.Working || step == story.Verifying || step == story.Merging
}

// step returns the present step of a story of a run; empty if the run has ended, whatever the record of the story is.
func step(r *story.Run, one *story.Progress) widget.Span {
	token, word := theme.Dim, string(one.State)
	switch {
	case under(one.State) && r.State.Ended():
		token, word = theme.Warn, "started"
	case under(one.State):
		token = theme.Busy
	case one.State == story.Done:
		token = theme.Good
	case one.State == story.GivenUp:
		token = theme.Danger
	}
	return widget.Span{Token: token, Text: fmt.Sprintf("%-*s  ", len(story.Verifying), word)}
}

// tasksOf counts the tasks of all stories of a run.
func tasksOf(r *story.Run) (done, total int) {
	for i := range r.Stories {
		done, total = done+r.Stories[i].TasksDone, total+r.Stories[i].TasksTotal
	}
	return done, total
}

// story returns the displayed story; nil if there is none.
func (d *Detail) story() *story.Progress {
	if i := d.current(); i >= 0 {
		return &d.shown.Value.Run.Stories[i]
	}
	return nil
}

// saying returns the present text of the displayed story's agent; nil if none works.
func (d *Detail) saying() *screen.Saying {
	one := d.story()
	for i := range d.shown.Value.Saying {
		if one != nil && d.shown.Value.Saying[i].Agent == one.ID {
			return &d.shown.Value.Saying[i]
		}
	}
	return nil
}

// Place selects the pane of the shown story.
func (d *Detail) Place() intent.Intent {
	address := ""
	if s := d.saying(); s != nil {
		address = s.Pane
	}
	return screen.Place(d.snapshot, address, d.shown.Value.Run.Session)
}

// window is how many of some lines the stories take: a quarter, and no more than there are.
func window(stories, height int) int {
	return max(0, min(stories, max(1, height/4), height-3))
}

// elapsed is how long a run took, or has taken: all its parts together, without its pauses.
func elapsed(of *RunText, now time.Time) time.Duration {
	run := &of.Run
	took := time.Duration(run.ElapsedMS) * time.Millisecond
	if run.State.Ended() {
		return took
	}
	return took + screen.Worked(now, len(of.Events), func(i int) (time.Time, screen.Phase) {
		e := &of.Events[i]
		return e.At, map[story.EventType]screen.Phase{
			story.RunStart: screen.Begins, story.Pause: screen.Pauses, story.Resume: screen.GoesOn,
		}[e.Type]
	})
}

// gauges show how many stories and tasks are done.
func gauges(w *screen.World, r layout.Rect, run *story.Run) []string {
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
func (d *Detail) stories(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	all := d.shown.Value.Run.Stories
	rows := widget.Rows{Selected: d.current()}
	rows.Top = max(0, min(rows.Selected-r.H/2, len(all)-r.H))
	id := 0
	for i := range all {
		id = max(id, min(12, cells.Width(cells.Clean(all[i].ID))))
	}
	for i := range all {
		one := &all[i]
		left := widget.Line{
			step(&d.shown.Value.Run, one),
			{Token: theme.Strong, Text: widget.Fit(w.Theme, one.ID, id) + "  "},
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
		if y := i - rows.Top; y >= 0 && y < r.H && started(one) {
			zones.Add(r.Row(y), intent.PickStory{ID: one.ID})
		}
	}
	return widget.List(w.Theme, r, rows)
}

package stories

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core/run/story"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// From wide on a row has a gauge and the id of the run, from broad on the cost, in cells.
	wide, broad = 100, 76
	// stateWidth holds the longest state, widestName is the most of that column.
	stateWidth, widestName = 11, 40
	// gaugeWidth is how long the gauge of a row is.
	gaugeWidth = 10
)

// row is a change or a run in the list.
type row struct {
	key string
	// change or run is what it is about; the other is nil.
	change *Change
	run    *story.Run
	// working is the run that works on a change; nil if none does.
	working *story.Run
	// dir is what the change of the row is read from.
	dir string
}

func keyOfRun(id string) string { return "run " + id }

// rowsOf are the runs that go on, the changes, and the other runs.
func rowsOf(s *List) []row {
	var live, ended, changes []row
	for i := range s.Runs {
		r := row{key: keyOfRun(s.Runs[i].ID), run: &s.Runs[i], dir: s.Runs[i].Dir}
		if at := slices.IndexFunc(s.Changes, func(c Change) bool { return isOf(r.run, &c) }); at >= 0 {
			r.dir = s.Changes[at].Dir
		}
		if r.run.State.Ended() {
			ended = append(ended, r)
		} else {
			live = append(live, r)
		}
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		r := row{key: "change " + c.Dir + "\x00" + c.Name, change: c, dir: c.Dir}
		for _, one := range live {
			if isOf(one.run, c) {
				r.working = one.run
			}
		}
		changes = append(changes, r)
	}
	return append(append(live, changes...), ended...)
}

// isOf reports whether a run is over the stories of a change.
func isOf(r *story.Run, c *Change) bool {
	return r.IsOf(story.OpenSpec, c.Path)
}

// matches reports whether a row contains a text in lower case.
func (r *row) matches(part string) bool {
	texts := []string{"change", r.name()}
	if r.change != nil {
		texts = append(texts, r.change.Dir, r.change.Problem)
	} else {
		texts = []string{
			r.run.Name, r.run.ID, string(r.run.State), string(r.run.Reason), r.run.Backend, r.run.Branch,
		}
	}
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}

func (r *row) name() string {
	if r.change != nil {
		return r.change.Name
	}
	return r.run.Name
}

// counts are the stories and tasks that are done, and all of them.
func (r *row) counts() (stories, allStories, tasks, allTasks int) {
	if c := r.change; c != nil {
		return c.StoriesDone, c.StoriesTotal, c.TasksDone, c.TasksTotal
	}
	stories, allStories = r.run.Counts()
	tasks, allTasks = tasksOf(r.run)
	return stories, allStories, tasks, allTasks
}

// tasksOf counts the tasks of all stories of a run.
func tasksOf(r *story.Run) (done, total int) {
	for i := range r.Stories {
		done, total = done+r.Stories[i].TasksDone, total+r.Stories[i].TasksTotal
	}
	return done, total
}

// state is the word of a row's first column.
func (r *row) state() widget.Span {
	switch c := r.change; {
	case c == nil:
		return widget.Span{Token: stateToken(r.run.State), Text: string(r.run.State)}
	case c.Problem != "":
		return widget.Span{Token: theme.Warn, Text: "problem"}
	case r.working != nil:
		return widget.Span{Token: theme.Busy, Text: "worked on"}
	case c.TasksTotal > 0 && c.TasksDone == c.TasksTotal:
		return widget.Span{Token: theme.Good, Text: "all done"}
	}
	return widget.Span{Token: theme.Text, Text: "change"}
}

// about is what a row of some width says behind its counts.
func (r *row) about(width int) widget.Span {
	switch {
	case r.change != nil && r.change.Problem != "":
		return widget.Span{Token: theme.Warn, Text: screen.OneLine(r.change.Problem, 200)}
	case r.change != nil && r.working != nil:
		return widget.Span{Token: theme.Busy, Text: r.working.ID}
	case r.change != nil:
		return widget.Span{}
	}
	if width < broad {
		return widget.Span{Token: theme.Dim, Text: r.run.ID}
	}
	return widget.Span{Token: theme.Dim, Text: r.run.ID + "  " + r.run.Backend}
}

// since is when a row changed last, or when its run began.
func (r *row) since() time.Time {
	if r.change != nil {
		return r.change.Modified
	}
	return r.run.Started
}

// table is the list in lines of some width.
func table(rows []row, w *screen.World, width int) widget.Rows {
	drawn := widget.Rows{Empty: "nothing matches; Esc shows all"}
	names, costs := 0, 0
	for i := range rows {
		names = max(names, min(widestName, width/3, cells.Width(cells.Clean(rows[i].name()))))
		if r := rows[i].run; r != nil && width >= broad {
			costs = max(costs, len(screen.Dollars(r.CostUSD)))
		}
	}
	for i := range rows {
		r := &rows[i]
		state := r.state()
		left := widget.Line{
			{Token: state.Token, Text: widget.Fit(state.Text, stateWidth) + "  "},
			{Token: theme.Strong, Text: widget.Fit(r.name(), names)},
		}
		stories, allStories, tasks, allTasks := r.counts()
		left = append(left, widget.Span{Token: theme.Text, Text: "  "})
		if width >= wide {
			left = append(left, widget.Gauge(w.Theme, stories, allStories, gaugeWidth)...)
		}
		counts := fmt.Sprintf("%6s stories", fmt.Sprintf("%d/%d", stories, allStories))
		if width >= broad {
			counts += fmt.Sprintf("  %7s tasks", fmt.Sprintf("%d/%d", tasks, allTasks))
		}
		left = append(left, widget.Span{Token: theme.Dim, Text: counts + "  "}, r.about(width))
		numbers := ""
		if costs > 0 {
			cost := ""
			if r.run != nil {
				cost = screen.Dollars(r.run.CostUSD)
			}
			numbers = fmt.Sprintf("  %*s", costs, cost)
		}
		drawn.Left = append(drawn.Left, left)
		drawn.Right = append(drawn.Right, widget.Styled(theme.Dim, numbers+fmt.Sprintf("  %3s", w.Age(r.since()))))
	}
	return drawn
}

// stateToken is the token of a run's state.
func stateToken(state story.State) theme.Token {
	switch state {
	case story.Running:
		return theme.Busy
	case story.Completed:
		return theme.Good
	case story.Failed:
		return theme.Danger
	}
	return theme.Warn
}

// under reports whether something is done about a story at a step.
func under(step story.Step) bool {
	return step == story.Working || step == story.Verifying || step == story.Merging
}

// step is what is done about a story of a run; nothing is once that has ended, whatever its record says.
func step(r *story.Run, one *story.Progress) widget.Span {
	token, word := theme.Dim, string(one.State)
	switch {
	case under(one.State) && r.State.Ended():
		token, word = theme.Warn, "begun"
	case under(one.State):
		token = theme.Busy
	case one.State == story.Done:
		token = theme.Good
	case one.State == story.GivenUp:
		token = theme.Danger
	}
	return widget.Span{Token: token, Text: widget.Fit(word, len(story.Verifying)) + "  "}
}

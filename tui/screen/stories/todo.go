package stories

import (
	"fmt"

	"cupola/core/run/story"
	"cupola/core/term/cells"
	"cupola/core/text/filter"
	verbs "cupola/core/verb/stories"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/screen/notice"
	"cupola/tui/widget"
)

type (
	// TodoQuestion asks for the changes that have stories; a []verbs.Todo answers it.
	TodoQuestion struct{}
	// ChangeQuestion asks for a change; a story.Change answers it.
	ChangeQuestion struct{ Dir, Name string }
)

var (
	readTodo   = &screen.Slot[[]verbs.Todo]{}
	readChange = &screen.Slot[story.Change]{}
)

// Todo is the list of changes with the selected one below it, or that alone.
type Todo struct {
	list screen.Listed[verbs.Todo]
	// whole is true if the selected one has the whole display; at is where it was drawn.
	whole   bool
	at      layout.Rect
	preview preview
}

// Entry registers it.
var Entry = screen.Entry{
	Name: "todo", Key: "9", Does: "to do: changes with stories to work on", Alone: true,
	Keys: []*intent.Scope{&intent.Todo}, Open: screen.Always(NewTodo),
}

// NewTodo makes the list.
func NewTodo() *Todo {
	return &Todo{list: screen.ListOf[verbs.Todo]("words, !word, state:open, dir:x, /regex/")}
}

// Scope is the table of active keys.
func (t *Todo) Scope() *intent.Scope { return &intent.Todo }

// Show limits the list to what contains a text; empty shows all.
func (t *Todo) Show(filter string) { t.list.Filter = filter }

// Wants asks for the changes, and for the selected one.
func (t *Todo) Wants(w *screen.World) []screen.Want {
	t.gather(w)
	wants := []screen.Want{{Slot: readTodo, Question: TodoQuestion{}, Version: w.Moment()}}
	if c := t.list.Selected(); c != nil {
		asked := ChangeQuestion{Dir: c.Dir, Name: c.Name}
		wants = append(wants, screen.Want{Slot: readChange, Question: asked, Version: *c})
	}
	return wants
}

// Handle moves, scrolls the selected change, and says which one is meant.
func (t *Todo) Handle(wanted intent.Intent) intent.Intent {
	c := t.list.Selected()
	if w, is := wanted.(intent.Scroll); c != nil && (t.whole || is && t.at.Contains(w.X, w.Y)) {
		if wanted = t.preview.tabs.handle(wanted); wanted == nil {
			return nil
		}
	}
	if t.preview.tabs.choose(wanted, t.preview.names()) {
		return nil
	}
	switch wanted.(type) {
	case intent.Peek:
		t.whole = !t.whole && c != nil
	case intent.AskFilter:
		t.whole = false
		return t.list.Handle(wanted)
	case intent.Back:
		if !t.whole {
			return t.list.Handle(wanted)
		}
		t.whole = false
	case intent.AskStories, intent.GoTo, intent.Copy:
		return t.about(wanted, c)
	default:
		return t.list.Handle(wanted)
	}
	return nil
}

// Applies reports whether an intent about the selected change has something to do.
func (t *Todo) Applies(wanted intent.Intent) bool {
	switch wanted.(type) {
	case intent.AskStories, intent.GoTo, intent.Copy:
		return screen.Acts(t.about(wanted, t.list.Selected()))
	case intent.Peek, intent.NextTab:
		return t.list.Selected() != nil && (!t.whole || wanted != intent.Peek{})
	}
	return true
}

// about adds a change, or the run that works on it, to an intent.
func (t *Todo) about(wanted intent.Intent, c *verbs.Todo) intent.Intent {
	if c == nil {
		return intent.Refuse{Why: "there is no change"}
	}
	switch wanted.(type) {
	case intent.AskStories:
		return intent.AskStories{Dir: c.Dir, Name: c.Name}
	case intent.GoTo:
		if c.Run == "" {
			return intent.Refuse{Why: "no run works on it; n starts one"}
		}
		return intent.Open{Screen: "runs", ID: c.Run}
	}
	return intent.CopyText{Text: t.preview.tabs.made.plain()}
}

// gather collects the changes that the filter shows, and finds the selected one again.
func (t *Todo) gather(w *screen.World) {
	var changes []verbs.Todo
	shows := filter.Of(t.list.Filter, t.Fields()...)
	for _, c := range readTodo.In(w).Value {
		values := map[string][]string{"dir": {c.Dir}, "state": {todoState(&c)}}
		if shows.Matches([]string{c.Name, c.Dir, c.Problem}, func(name string) []string { return values[name] }) {
			changes = append(changes, c)
		}
	}
	t.list.Take(changes, func(c *verbs.Todo) string { return c.Dir + "\x00" + c.Name })
}

// Fields are the fields that the filter may name.
func (t *Todo) Fields() []filter.Field {
	return []filter.Field{{Name: "state", Values: []string{"open", "running", "problem"}}, {Name: "dir"}}
}

// todoState is the state of a change in the words of the filter.
func todoState(c *verbs.Todo) string {
	switch {
	case c.Problem != "":
		return "problem"
	case c.Run != "":
		return "running"
	}
	return "open"
}

// none is displayed if there is no change.
var none = &notice.Screen{Title: "There is no change with stories.", Lines: []string{
	"Stories are the headings of a list of tasks (- [ ] TEXT).",
	"An OpenSpec change has one: openspec/changes/NAME/tasks.md",
	"Any Markdown file with tasks is one too: --tasks FILE", "", "This command lists what there is in a folder:",
	"cupola story list",
}}

// View draws the list and the selected change below it, or that alone.
func (t *Todo) View(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	t.gather(w)
	head, body := r.Top(1)
	lines := t.head(w, head)
	t.at = layout.Rect{}
	read := readTodo.In(w)
	unread := screen.Unread(w, body, read)
	c := t.list.Selected()
	switch {
	case len(read.Value) == 0 && unread != nil:
		return append(lines, unread...)
	case len(read.Value) == 0:
		return append(lines, none.View(w, body, zones)...)
	case t.whole && c != nil:
		return append(lines, t.detail(w, body, c, zones)...)
	}
	const least = 3
	list, below := body.Top(min(body.H, max(1, min(len(t.list.Rows), max(least, body.H/3)))))
	lines = append(lines, t.list.Draw(w, list, table(t.list.Rows, w, r.W), zones)...)
	if c == nil {
		return append(lines, widget.Bar(w.Theme, below, nil, nil)...)
	}
	line, below := below.Top(1)
	lines = append(lines, widget.Rule(w.Theme, line.W, line.H)...)
	return append(lines, t.detail(w, below, c, zones)...)
}

func (t *Todo) detail(w *screen.World, r layout.Rect, c *verbs.Todo, zones *layout.Zones) []string {
	t.preview.show(w, c)
	lines := t.preview.view(w, r, zones)
	t.at = r
	return lines
}

func (t *Todo) head(w *screen.World, r layout.Rect) []string {
	left := widget.Styled(theme.Header, "  To do")
	if t.list.Filter != "" {
		left = append(left, widget.Span{Token: theme.Accent, Text: "  /" + cells.Clean(t.list.Filter)})
	}
	read := readTodo.In(w)
	if read.Wrong != "" && len(t.list.Rows) > 0 {
		left = append(left, widget.Span{Token: theme.Danger, Text: "  " + read.Wrong})
	}
	right := ""
	switch {
	case t.list.Filter != "":
		right = fmt.Sprintf("%d of %s", len(t.list.Rows), counted(len(read.Value), "change", "changes"))
	case len(read.Value) > 0:
		right = counted(len(read.Value), "change", "changes")
	}
	return widget.Bar(w.Theme, r, left, widget.Styled(theme.Dim, right))
}

const (
	// From wide on a row has a gauge, from broad on the tasks, in cells.
	wide, broad = 100, 76
	// stateWidth holds the longest state, widestName is the most of that column.
	stateWidth, widestName = 9, 40
	// gaugeWidth is how long the gauge of a row is.
	gaugeWidth = 10
)

// stateOf is the word of a change's first column.
func stateOf(c *verbs.Todo) widget.Span {
	switch {
	case c.Problem != "":
		return widget.Span{Token: theme.Warn, Text: "problem"}
	case c.Run != "":
		return widget.Span{Token: theme.Busy, Text: "worked on"}
	case c.TasksTotal > 0 && c.TasksDone == c.TasksTotal:
		return widget.Span{Token: theme.Good, Text: "all done"}
	}
	return widget.Span{Token: theme.Text, Text: "to do"}
}

// table is the list in lines of some width.
func table(changes []verbs.Todo, w *screen.World, width int) widget.Rows {
	drawn := widget.Rows{Empty: "nothing matches; Esc shows all"}
	names := 0
	for i := range changes {
		names = max(names, min(widestName, width/3, cells.Width(cells.Clean(changes[i].Name))))
	}
	for i := range changes {
		c := &changes[i]
		state := stateOf(c)
		left := widget.Line{
			{Token: state.Token, Text: widget.Fit(w.Theme, state.Text, stateWidth) + "  "},
			{Token: theme.Strong, Text: widget.Fit(w.Theme, c.Name, names) + "  "},
		}
		if width >= wide {
			left = append(left, widget.Gauge(w.Theme, c.StoriesDone, c.StoriesTotal, gaugeWidth)...)
		}
		counts := fmt.Sprintf("%6s stories", fmt.Sprintf("%d/%d", c.StoriesDone, c.StoriesTotal))
		if width >= broad {
			counts += fmt.Sprintf("  %7s tasks", fmt.Sprintf("%d/%d", c.TasksDone, c.TasksTotal))
		}
		left = append(left, widget.Span{Token: theme.Dim, Text: counts + "  "},
			widget.Span{Token: theme.Busy, Text: c.Run},
			widget.Span{Token: theme.Warn, Text: screen.OneLine(c.Problem, 200)})
		drawn.Left = append(drawn.Left, left)
		drawn.Right = append(drawn.Right, widget.Styled(theme.Dim, fmt.Sprintf("  %3s", w.Age(c.Modified))))
	}
	return drawn
}

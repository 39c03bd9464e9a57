package stories

import (
	"fmt"
	"strings"

	verbs "cupola/core/verb/stories"

	"cupola/core/run/story"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/layout"
	"cupola/tui/markdown"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// The tabs of a change.
const (
	tabTasks = iota
	tabScenarios
)

// preview shows one change: its tasks, its scenarios and its proposal.
type preview struct {
	shown screen.Answer[story.Change]
	of    ChangeQuestion
	tabs  tabs
}

// show takes a change, as far as it was read.
func (p *preview) show(w *screen.World, c *verbs.Todo) {
	asked := ChangeQuestion{Dir: c.Dir, Name: c.Name}
	if asked != p.of {
		*p = preview{of: asked}
	}
	if read := readChange.In(w); read.Question == asked {
		p.shown = *read
	}
}

// view draws a line about the change, and the tab that is shown.
func (p *preview) view(w *screen.World, r layout.Rect, zones *layout.Zones) []string {
	if !p.shown.Read {
		return screen.Reading(w, r)
	}
	head, body := r.Top(1)
	done, total := p.shown.Value.Counts()
	c := &p.shown.Value
	title := widget.Line{
		{Token: theme.Strong, Text: "  " + cells.Clean(p.of.Name)}, {Token: theme.Dim, Text: "  "},
	}
	if r.W >= broad {
		title = append(title, widget.Gauge(w.Theme, done, total, gaugeWidth)...)
	}
	title = append(title, widget.Span{Token: theme.Dim, Text: "  " + cells.Clean(p.of.Dir)})
	right := widget.Line{}
	if n := len(c.Dropped); n > 0 {
		right = widget.Styled(theme.Warn, counted(n, "line", "lines")+" dropped")
	}
	lines := widget.Bar(w.Theme, head, title, right)
	return append(lines, p.tabs.view(w, body, zones, p.names(), fmt.Sprint(p.shown.N), false, func(width int) text {
		return p.text(w, width)
	})...)
}

// names are the names of the tabs, with counts.
func (p *preview) names() []string {
	c := &p.shown.Value
	done, total := c.Counts()
	return []string{
		fmt.Sprintf("Tasks %d/%d", done, total), fmt.Sprintf("Scenarios %d", len(c.Scenarios)), "Proposal",
	}
}

// text returns the text of the tab.
func (p *preview) text(w *screen.World, width int) (t text) {
	if p.shown.Wrong != "" {
		t.say(theme.Danger, p.shown.Wrong, width)
		t.say(theme.Dim, p.shown.Hint, width)
		return t
	}
	switch p.tabs.at {
	case tabTasks:
		return p.tasks(width)
	case tabScenarios:
		return p.scenarios(width)
	}
	return p.proposal(w, width)
}

// tasks are the stories with their tasks, and what was dropped above them.
func (p *preview) tasks(width int) (t text) {
	c := &p.shown.Value
	for _, d := range c.Dropped {
		t.say(theme.Warn, fmt.Sprintf("line %d is no task: %s: %s", d.Line, d.Why, screen.OneLine(d.Text, 200)), width)
	}
	for i := range c.Stories {
		s := &c.Stories[i]
		t.gap()
		token := theme.Strong
		if s.Complete() {
			token = theme.Good
		}
		after := ""
		if len(s.After) > 0 {
			after = "  after " + strings.Join(s.After, ", ")
		}
		title := screen.OneLine(s.Title, 500)
		t.say(token, fmt.Sprintf("%s  %s  %d/%d%s", s.ID, title, s.TasksDone(), len(s.Tasks), after), width)
		for j := range s.Tasks {
			t.add(task(&s.Tasks[j], width)...)
		}
	}
	if len(c.Stories) == 0 {
		t.gap()
		t.say(theme.Dim, "It has no stories: no line of its file is a task (- [ ] TEXT).", width)
	}
	return t
}

// task is one task, indented by its depth, with its mark.
func task(one *story.Task, width int) []widget.Line {
	token, mark := theme.Text, "[ ] "
	if one.Done {
		token, mark = theme.Dim, "[x] "
	} else if strings.TrimSpace(one.Mark) != "" {
		mark = fmt.Sprintf("[%1s] ", cells.Cut(cells.Clean(one.Mark), 1, ""))
	}
	const deepest = 8
	indent := strings.Repeat("  ", 1+min(one.Depth, deepest))
	lead := indent + mark
	lines := screen.Paragraph(token, one.ID+"  "+screen.OneLine(one.Text, 2000), max(1, width-len(lead)))
	for i := range lines {
		first := strings.Repeat(" ", len(lead))
		if i == 0 {
			first = lead
		}
		lines[i] = append(widget.Styled(theme.Dim, first), lines[i]...)
	}
	return lines
}

// scenarios returns the scenarios of all capabilities, below their requirements.
func (p *preview) scenarios(width int) (t text) {
	capability, requirement := "", ""
	for i := range p.shown.Value.Scenarios {
		s := &p.shown.Value.Scenarios[i]
		if s.Capability != capability || s.Requirement != requirement {
			t.gap()
			t.say(theme.Header, screen.OneLine(s.Capability+": "+s.Requirement, 500), width)
			capability, requirement = s.Capability, s.Requirement
		}
		t.say(theme.Strong, "  "+screen.OneLine(s.Name, 500), width)
		for _, given := range s.Given {
			t.step("given", given, width)
		}
		if s.When != "" {
			t.step("when", s.When, width)
		}
		for _, then := range s.Then {
			t.step("then", then, width)
		}
	}
	if t.rows() == 0 {
		t.say(theme.Dim, "It has no scenarios.", width)
	}
	return t
}

// step adds one step of a scenario.
func (t *text) step(word, says string, width int) {
	const lead = 10
	lines := screen.Paragraph(theme.Text, screen.OneLine(says, 2000), max(1, width-lead))
	for i := range lines {
		lines[i] = append(widget.Styled(theme.Dim, fmt.Sprintf("    %-6s", word)), lines[i]...)
		word = ""
	}
	t.add(lines...)
}

// proposal is the text of the change, and its design.
func (p *preview) proposal(w *screen.World, width int) (t text) {
	c := &p.shown.Value
	source := c.Proposal
	if c.Design != "" {
		source += "\n\n---\n\n" + c.Design
	}
	if strings.TrimSpace(source) == "" {
		t.say(theme.Dim, "It has no proposal.", width)
		return t
	}
	for line := range strings.Lines(markdown.Render(source, width, w.Theme)) {
		line = strings.TrimSuffix(line, "\n")
		if cells.Width(line) > width { // a line of code
			line = cells.Cut(line, width, w.Theme.Glyphs().Ellipsis)
		}
		t.drawn = append(t.drawn, line)
	}
	return t
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

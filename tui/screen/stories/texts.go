package stories

import (
	"fmt"
	"strings"
	"time"

	"cupola/core/run/story"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

const (
	// mostSaid is how many bytes of one answer are drawn, mostOutput how many of one command's output, and mostLive
	// how many of an answer that comes.
	mostSaid, mostOutput, mostLive = 20_000, 50_000, 1 << 20
)

// written is the text of the tab that is shown.
func (d *Detail) written(w *screen.World, width int) (t text) {
	if d.shown.Wrong != "" {
		t.say(theme.Danger, d.shown.Wrong, width)
		t.say(theme.Dim, d.shown.Hint, width)
		t.gap()
	}
	switch d.tabs.at {
	case tabRun:
		d.ending(w, &t, width)
	case tabAgent:
		d.answer(w, &t, width)
	case tabChecks:
		d.checks(&t, width)
	case tabTries:
		d.tries(w, &t, width)
	case tabChanged:
		d.changes(w, &t, width)
	case tabLog:
		d.log(&t, width)
	}
	return t
}

// answer adds the present text of the displayed story's agent, or its last text at the end of its last try.
func (d *Detail) answer(w *screen.World, t *text, width int) {
	one := d.story()
	if one == nil {
		t.say(theme.Dim, "no story was started", width)
		return
	}
	last := one.Last()
	if last != nil && one.Failure != "" && one.State != story.Done {
		t.say(theme.Danger, "the last try failed: "+screen.Beginning(one.Failure, mostSaid), width)
		t.gap()
	}
	if s := d.saying(); s != nil {
		if s.Pane != "" {
			t.say(theme.Dim, "it works in the pane "+s.Pane+", which is not there", width)
		}
		for _, line := range d.agent.Lines(d.shown.Value.Run.ID+one.ID, screen.End(s.Text, mostLive), width) {
			t.add(widget.Styled(theme.Text, line))
		}
		doing := s.Doing
		if doing == "" && s.Text == "" {
			doing = "no answer yet" + w.Theme.Glyphs().Ellipsis
		}
		t.say(theme.Dim, screen.OneLine(doing, 300), width)
		return
	}
	if last != nil && last.Answer != "" {
		t.say(theme.Text, screen.Beginning(last.Answer, mostSaid), width)
		t.gap()
	}
	t.say(theme.Dim, resting(&d.shown.Value.Run, one), width)
}

// resting says why no agent works on a story of a run.
func resting(r *story.Run, one *story.Progress) string {
	if under(one.State) && r.State.Ended() {
		return "the story was started; no agent works on it"
	}
	switch one.State {
	case story.Open:
		return "the story is open; no agent works on it"
	case story.Working:
		return "no agent says anything"
	case story.Verifying:
		return "its verification commands run"
	case story.Merging:
		return "it is merged"
	case story.GivenUp:
		return "the story is given up; it needs you"
	}
	return "the story is done"
}

// checks are the verification commands of the shown story that ran, with the end of what they printed.
func (d *Detail) checks(t *text, width int) {
	one := d.story()
	for i := range triesOf(one) {
		try := &one.Tries[i]
		for j := range try.Checks {
			c := &try.Checks[j]
			t.gap()
			line := widget.Line{{Token: theme.Good, Text: "passed"}}
			if !c.Passed {
				line = widget.Line{{Token: theme.Danger, Text: "failed"}}
			}
			line = append(line, widget.Span{Token: theme.Strong, Text: "  " + screen.OneLine(c.Command, 500)})
			facts := fmt.Sprintf("  try %d", try.N)
			if !c.Passed {
				facts += fmt.Sprintf("  status %d", c.Exit)
			}
			if took := screen.Took(time.Duration(c.ElapsedMS) * time.Millisecond); took != "" {
				facts += "  " + took
			}
			t.add(append(line, widget.Span{Token: theme.Dim, Text: facts}))
			if c.Output != "" {
				t.say(theme.Text, screen.End(c.Output, mostOutput), width)
			}
		}
	}
	if one != nil && one.State == story.Verifying {
		t.gap()
		t.say(theme.Busy, "its verification commands run", width)
	}
	if t.rows() == 0 {
		t.say(theme.Dim, "no verification command ran", width)
	}
}

// triesOf are the tries of a story, or none.
func triesOf(one *story.Progress) []story.Try {
	if one == nil {
		return nil
	}
	return one.Tries
}

// tries adds the tries of the displayed story.
func (d *Detail) tries(w *screen.World, t *text, width int) {
	one := d.story()
	for i := range triesOf(one) {
		try := &one.Tries[i]
		t.gap()
		outcome, token := "runs", theme.Busy
		if d.shown.Value.Run.State.Ended() {
			outcome, token = "was cut off", theme.Warn
		}
		switch try.Outcome {
		case story.Proven:
			outcome, token = "proven", theme.Good
		case story.NotProven:
			outcome, token = "failed", theme.Danger
		}
		facts := []string{}
		if lasted := screen.Took(took(try, w.Now)); lasted != "" {
			facts = append(facts, lasted)
		}
		facts = append(facts, counted(try.Ticked, "task", "tasks")+" ticked")
		if try.Changed {
			facts = append(facts, "files changed")
		} else {
			facts = append(facts, "no file changed")
		}
		if try.Merge {
			facts = append(facts, "resolves a conflict")
		}
		if try.Outcome != "" { // while it runs neither is known
			facts = append(facts, tokens(try.Used), cost(try.CostUSD, try.CostKnown))
		}
		t.add(widget.Line{
			{Token: theme.Strong, Text: fmt.Sprintf("try %d  ", try.N)}, {Token: token, Text: outcome},
		})
		t.say(theme.Dim, strings.Join(facts, ", "), width)
		t.say(theme.Danger, screen.Beginning(try.Failure, mostSaid), width)
		t.say(theme.Text, screen.Beginning(try.Answer, mostSaid), width)
	}
	if t.rows() == 0 {
		t.say(theme.Dim, "the story was not tried", width)
	}
}

// took is how long a try took, or has taken.
func took(try *story.Try, now time.Time) time.Duration {
	if try.Ended.IsZero() {
		return now.Sub(try.Began)
	}
	return try.Ended.Sub(try.Began)
}

// log adds the events of the run.
func (d *Detail) log(t *text, width int) {
	const clock = 10
	for i := range d.shown.Value.Events {
		e := &d.shown.Value.Events[i]
		words, token := happened(e)
		lines := screen.Paragraph(token, screen.Beginning(words, mostSaid), max(1, width-clock))
		for j := range lines {
			at := strings.Repeat(" ", clock)
			if j == 0 {
				at = e.At.Local().Format("15:04:05") + "  "
			}
			lines[j] = append(widget.Styled(theme.Dim, at), lines[j]...)
		}
		t.add(lines...)
	}
	if len(d.shown.Value.Events) == 0 {
		t.say(theme.Dim, "nothing has happened", width)
	}
}

// changes are the files that the run changed, and how.
func (d *Detail) changes(w *screen.World, t *text, width int) {
	read := &d.changed
	c := &read.Value
	switch {
	case !read.Read:
		t.say(theme.Dim, "reading"+w.Theme.Glyphs().Ellipsis, width)
		return
	case read.Wrong != "":
		t.say(theme.Danger, read.Wrong, width)
		t.say(theme.Dim, read.Hint, width)
		return
	case len(c.Files) == 0 && c.Diff == "":
		t.say(theme.Dim, "no file was changed", width)
		return
	}
	added, removed := 0, 0
	column := 0
	for i := range c.Files {
		added, removed = added+max(0, c.Files[i].Added), removed+max(0, c.Files[i].Removed)
		column = max(column, len(fmt.Sprint(c.Files[i].Added)), len(fmt.Sprint(c.Files[i].Removed)))
	}
	for i := range c.Files {
		f := &c.Files[i]
		line := widget.Line{
			{Token: theme.Good, Text: fmt.Sprintf("%*s ", column+1, fmt.Sprintf("+%d", f.Added))},
			{Token: theme.Danger, Text: fmt.Sprintf("%*s  ", column+1, fmt.Sprintf("-%d", f.Removed))},
		}
		if f.Added < 0 {
			line = widget.Line{{Token: theme.Dim, Text: widget.Fit(w.Theme, "no text", 2*column+5)}}
		}
		t.add(append(line, widget.Span{Token: theme.Text, Text: cells.Clean(f.Path)}))
	}
	t.add(widget.Styled(theme.Dim, fmt.Sprintf("%s, +%d -%d", counted(len(c.Files), "file", "files"), added, removed)))
	t.add(nil)
	diff(t, c.Diff, width)
}

// mostDiff is how many lines of a difference are drawn.
const mostDiff = 5000

// diff adds a difference in git's form.
func diff(t *text, whole string, width int) {
	n, header := 0, false
	for line := range strings.SplitSeq(strings.TrimRight(whole, "\n"), "\n") {
		n++
		if n > mostDiff {
			t.say(theme.Warn, fmt.Sprintf("(and %d lines more)", strings.Count(whole, "\n")+1-mostDiff), width)
			return
		}
		token := theme.Text
		switch {
		case strings.HasPrefix(line, "diff "):
			token, header = theme.Strong, true
		case strings.HasPrefix(line, "@@"):
			token, header = theme.Accent, false
		case header:
			token = theme.Dim
		case strings.HasPrefix(line, "+"):
			token = theme.Good
		case strings.HasPrefix(line, "-"):
			token = theme.Danger
		}
		if len(line) > mostSaid {
			line = screen.OneLine(line, mostSaid) + " (cut)"
		}
		for _, part := range screen.Wrap(line, width) {
			t.add(widget.Styled(token, part))
		}
	}
}

// Package pipelines shows the steps of a run of a pipeline.
package pipelines

import (
	"fmt"
	"strings"

	"cupola/core/run"
	"cupola/core/run/pipeline"
	"cupola/core/system/shell"
	"cupola/core/term/cells"
	"cupola/theme"
	"cupola/tui/intent"
	"cupola/tui/layout"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// Question asks for a run of a pipeline; a pipeline.Run answers it.
type Question struct{ ID string }

var read = &screen.Slot[pipeline.Run]{}

var keys = screen.RunKeys{
	Works: intent.Runs.Footed([]string{"x", "enter", "y", "o", "n", "]", "/", "esc", "?"}, nil),
	Done:  intent.Runs.Footed([]string{"y", "o", "enter", "D", "n", "]", "/", "esc", "?"}, nil),
	Stopped: intent.Runs.Footed([]string{"p", "y", "o", "enter", "D", "n", "]", "/", "esc", "?"},
		map[string]string{"p": "resume"}),
}

// Detail shows one run: its steps, with their states and errors.
type Detail struct {
	shown screen.Answer[pipeline.Run]
	id    string
	tail  screen.Tail
	lines []widget.Line
}

// Scope is the table of keys.
func (d *Detail) Scope(h *run.Head) *intent.Scope { return keys.Of(h) }

// Wants asks for the run.
func (d *Detail) Wants(w *screen.World, h *run.Head) []screen.Want {
	return []screen.Want{screen.WantRun(w, read, Question{h.ID}, h, (*pipeline.Run).Head)}
}

// Show takes a run as far as it was read. It returns its head as it was read; nil before that.
func (d *Detail) Show(w *screen.World, h *run.Head, _ bool) *run.Head {
	if h.ID != d.id {
		*d = Detail{id: h.ID}
	}
	if got := read.In(w); got.Question == (Question{h.ID}) {
		d.shown = *got
	}
	return screen.HeadOf(&d.shown, h, (*pipeline.Run).Head)
}

// Place selects the session of the run.
func (d *Detail) Place() intent.Intent { return intent.GoTo{Session: d.shown.Value.Session} }

// Copied are the lines of all steps.
func (d *Detail) Copied() string {
	var text strings.Builder
	for _, line := range d.lines {
		text.WriteString(strings.TrimRight(line.Text(), " ") + "\n")
	}
	return text.String()
}

// Handle scrolls. It returns other intents.
func (d *Detail) Handle(wanted intent.Intent) intent.Intent { return d.tail.Handle(wanted) }

// About returns the facts of the run besides its head, and which lines are displayed.
func (d *Detail) About(*screen.World) (facts []string, note string) {
	r := &d.shown.Value
	return []string{r.Session, r.File}, d.tail.Note
}

// margins is the free width beside the text of a row, stateWidth the width of the longest state, in cells.
const margins, stateWidth = 4, 11

// View draws the lines that show of the steps.
func (d *Detail) View(w *screen.World, r layout.Rect, _ *layout.Zones) []string {
	d.lines = d.steps(w, max(1, r.W-margins))
	top, end := d.tail.Shown(len(d.lines), r.H, false)
	return widget.List(w.Theme, r, widget.Rows{Selected: -1, Left: d.lines[top:end]})
}

// steps are the lines about the steps, and about the decision that the run needs.
func (d *Detail) steps(w *screen.World, width int) []widget.Line {
	if d.shown.Wrong != "" {
		return append(screen.Paragraph(theme.Danger, d.shown.Wrong, width),
			screen.Paragraph(theme.Dim, d.shown.Hint, width)...)
	}
	r := &d.shown.Value
	lines := decision(r, width)
	const widestName = 24
	names, verbs := 0, 0
	for i := range r.Steps {
		names = max(names, min(widestName, cells.Width(cells.Clean(r.Steps[i].Name))))
		verbs = max(verbs, min(widestName, cells.Width(cells.Clean(r.Steps[i].Verb))))
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		token := screen.RunToken(s.State)
		facts := ""
		if s.Attempts > 1 {
			facts = fmt.Sprintf("%d attempts  ", s.Attempts)
		}
		until := s.Ended
		if until.IsZero() && s.State == pipeline.Running {
			until = w.Now
		}
		if !s.Started.IsZero() && !until.IsZero() {
			facts += screen.Took(until.Sub(s.Started))
		}
		lines = append(lines, widget.Line{
			{Token: token, Text: widget.Fit(w.Theme, string(s.State), stateWidth) + "  "},
			{Token: theme.Strong, Text: widget.Fit(w.Theme, s.Name, names) + "  "},
			{Token: theme.Text, Text: widget.Fit(w.Theme, s.Verb, verbs) + "  "},
			{Token: theme.Dim, Text: facts},
		})
		const indent = stateWidth + 2
		for _, why := range []widget.Span{{Token: theme.Danger, Text: s.Error}, {Token: theme.Dim, Text: s.Why}} {
			if why.Text == "" {
				continue
			}
			for _, line := range screen.Paragraph(why.Token, why.Text, width-indent) {
				lines = append(lines, append(widget.Styled(theme.Dim, strings.Repeat(" ", indent)), line...))
			}
		}
	}
	if len(r.Steps) == 0 {
		lines = append(lines, widget.Styled(theme.Dim, "it has no steps"))
	}
	return lines
}

// decision describes how to resume a run with a step that may or may not have been done; nothing for another run.
func decision(r *pipeline.Run, width int) []widget.Line {
	if head := r.Head(); head.State != run.NeedsYou {
		return nil
	}
	var lines []widget.Line
	for _, way := range [][2]string{
		{string(pipeline.Assume), "If that step was done, this continues after it:"},
		{string(pipeline.Repeat), "If it was not, this does it again:"},
	} {
		command := shell.Line("cupola", "pipeline", "run", "--resume", r.ID, "--interrupted", way[0])
		lines = append(append(lines, screen.Paragraph(theme.Dim, way[1], width)...),
			screen.Paragraph(theme.Code, "  "+command, width)...)
	}
	return append(lines, nil)
}

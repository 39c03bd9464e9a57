package stories

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/theme"
	"cupola/tui/screen"
	"cupola/tui/widget"
)

// ending says why a run ended, what became of its stories, and how to merge them.
func (d *Detail) ending(w *screen.World, t *text, width int) {
	run := &d.shown.Value.Run
	t.say(theme.Text, why(run), width)
	if done, _ := run.Counts(); run.State.Ended() && done > 0 {
		t.gap()
		t.say(theme.Dim, "Its commits are in the branch "+run.Branch+". This merges them:", width)
		t.say(theme.Code, "  "+mergeCommand(run), width)
	}
	t.gap()
	for i := range run.Stories {
		one := &run.Stories[i]
		line := widget.Line{
			step(run, one),
			{Token: theme.Dim, Text: widget.Fit(w.Theme, commit(one.Commit), 7) + "  "},
			{Token: theme.Strong, Text: screen.OneLine(one.ID, 40) + "  "},
			{Token: theme.Text, Text: screen.OneLine(one.Title, 500)},
		}
		t.add(line)
		if one.Failure != "" && one.State != story.Done {
			t.say(theme.Danger, "  "+screen.OneLine(one.Failure, 1000), width)
		}
	}
	t.gap()
	for _, fact := range d.facts(w) {
		if fact[1] != "" {
			const name = 10
			lines := screen.Paragraph(theme.Text, fact[1], max(1, width-name))
			for i := range lines {
				lines[i] = append(widget.Styled(theme.Dim, widget.Fit(w.Theme, fact[0], name)), lines[i]...)
				fact[0] = ""
			}
			t.add(lines...)
		}
	}
}

// facts returns further recorded facts of a run.
func (d *Detail) facts(w *screen.World) [][2]string {
	run := &d.shown.Value.Run
	verify := strings.Join(run.Verify, "\n")
	switch {
	case verify == "":
		verify = "no command; ticked tasks alone prove a story"
	case run.VerifyFrom != "":
		verify += "\n(from: " + string(run.VerifyFrom) + ")"
	}
	used := []string{screen.Took(elapsed(&d.shown.Value, w.Now)), tokens(run.Used), cost(run.CostUSD, run.CostKnown)}
	backend := []string{run.Backend, run.Model, run.Stage, run.Session, run.Sandbox}
	l := run.Limits
	return [][2]string{
		{"run", run.ID},
		{"backend", strings.Join(strings.Fields(strings.Join(backend, " ")), ", ")},
		{"proven by", verify},
		{"used", strings.TrimSpace(strings.Join(used, "  "))},
		{"limits", fmt.Sprintf("%d tries, %s, $%.2f", l.MaxIterations, core.ShortDuration(l.TimeLimit), l.BudgetUSD)},
		{"branch", run.Branch},
		{"folder", run.Worktree},
		{"stories", run.Path},
	}
}

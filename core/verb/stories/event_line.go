package stories

import (
	"fmt"
	"strings"

	"cupola/core/run/story"
	"cupola/core/text/report"
)

// eventLine is one event of a run.
type eventLine struct {
	story.Event
}

// shownLines is how many lines of an output a person sees while a run works.
const shownLines = 12

// Report shows one event to a person; nothing of those that only programs need.
func (l eventLine) Report() *report.Report {
	r := &report.Report{}
	e := &l.Event
	clock := report.Toned(report.Dim, e.At.Local().Format("15:04:05")+"  ")
	name := report.Toned(report.Strong, strings.TrimSuffix("story "+e.Story, "story "))
	switch e.Type {
	case story.RunStart:
		r.AddLine(clock, report.Text("Run "), report.Toned(report.Strong, e.Run), report.Text(" of "+e.Text))
	case story.StoryStart:
		r.AddLine(clock, name, report.Text(": "+e.Text))
	case story.TryStart:
		r.AddLine(clock, name, report.Text(fmt.Sprintf(": try %d, an agent works", e.Try)))
	case story.Ticked, story.Scope, story.Learned, story.Note:
		r.AddLine(clock, name, report.Toned(report.Dim, " "+strings.ReplaceAll(string(e.Type), "_", " ")+": "+e.Text))
	case story.Verified:
		mark, tone := "✓ ", report.Good
		if e.Passed == nil || !*e.Passed {
			mark, tone = "✗ ", report.Bad
		}
		r.AddLine(
			clock,
			name,
			report.Text(" "),
			report.Toned(tone, mark+e.Command),
			report.Toned(report.Dim, " "+e.Text),
		)
		if tone == report.Bad {
			quote(r, e.Output)
		}
	case story.TryEnd:
		if e.Text != "" {
			first, _, _ := strings.Cut(e.Text, "\n")
			r.AddLine(clock, name, report.Toned(report.Warn, " is not proven: "+first))
		}
	case story.StoryDone:
		r.AddLine(clock, name, report.Toned(report.Good, " is done"), report.Toned(report.Dim, " "+short(e.Commit)))
	case story.StoryGivenUp:
		r.AddLine(clock, name, report.Toned(report.Bad, " is given up: "+string(e.Reason)))
	case story.Conflict:
		r.AddLine(clock, name, report.Toned(report.Warn, " conflict: "+e.Text))
	case story.Pause:
		r.AddLine(clock, report.Toned(report.Warn, "The run is paused"))
	case story.Resume:
		r.AddLine(clock, report.Text("The run resumes"))
	case story.RunEnd:
		r.AddLine(clock, report.Text("The run ended: "+strings.TrimSpace(string(e.Reason)+" "+e.Text)))
	}
	return r
}

// quote shows the end of an output, indented.
func quote(r *report.Report, text string) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > shownLines {
		lines = lines[len(lines)-shownLines:]
	}
	r.Blocks[len(r.Blocks)-1].Quote = "    " + strings.Join(lines, "\n    ") + "\n"
}

// short is a commit as people write it.
func short(commit string) string {
	if len(commit) > 10 {
		return commit[:10]
	}
	return commit
}

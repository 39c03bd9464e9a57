package crews

import (
	"fmt"
	"strings"

	"cupola/core/run/crew"
	"cupola/core/text/report"
)

// crewLine is one event of a crew.
type crewLine struct {
	crew.Event
	// whole is true if a person is to see all of a text.
	whole bool
}

// shownLines is how many lines of a message a person sees while the crew works.
const shownLines = 3

// Report shows one event to a person; nothing of those that only programs need.
func (l crewLine) Report() *report.Report {
	r := &report.Report{}
	e := &l.Event
	clock := report.Toned(report.Dim, e.At.Local().Format("15:04:05")+"  ")
	switch e.Type {
	case crew.Message:
		r.AddLine(clock, report.Toned(report.Strong, e.From), report.Text(" → "), report.Toned(report.Strong, e.To))
		l.quote(r)
	case crew.Note:
		r.AddLine(clock, report.Toned(report.Strong, e.From), report.Toned(report.Dim, " notes"))
		l.quote(r)
	case crew.Task:
		r.AddLine(clock, report.Text("The task for all"))
		l.quote(r)
	case crew.Start:
		verb := " begins: "
		if e.Turn > 0 {
			verb = " continues: "
		}
		r.AddLine(clock, report.Text("Crew "), report.Toned(report.Strong, e.Crew), report.Text(verb+e.Text))
	case crew.StatusChanged:
		if l.whole && e.Status != crew.Dead {
			break
		}
		marks := map[crew.Status]string{crew.Active: "● ", crew.Idle: "○ ", crew.Dead: "✗ "}
		mark, tone := marks[e.Status], report.Dim
		if e.Status == crew.Dead {
			tone = report.Bad
		}
		r.AddLine(clock, report.Toned(tone, mark+e.From+": "+string(e.Status)))
	case crew.TurnComplete:
		r.AddLine(report.Toned(report.Dim, fmt.Sprintf("── Turn %d complete (%d pending) ──", e.Turn, e.Pending)))
	case crew.Guardrail:
		r.AddLine(clock, report.Toned(report.Warn, "⚠ "+string(e.Reason)+": "+e.Text))
	case crew.Failure:
		r.AddLine(clock, report.Toned(report.Bad, "✗ "+e.From+": "+e.Text))
	case crew.Pause:
		r.AddLine(clock, report.Toned(report.Warn, "The crew is paused"))
	case crew.Resume:
		r.AddLine(clock, report.Text("The crew resumes"))
	case crew.End:
		r.AddLine(clock, report.Text("The crew ended: "+string(e.Reason)))
	}
	return r
}

// quote shows the text of an event, indented.
func (l crewLine) quote(r *report.Report) {
	lines := strings.Split(l.Text, "\n")
	more := 0
	if !l.whole && len(lines) > shownLines {
		more = len(lines) - shownLines
		lines = lines[:shownLines]
	}
	text := "    " + strings.Join(lines, "\n    ") + "\n"
	if more > 0 {
		text += fmt.Sprintf("    ... (%d more lines)\n", more)
	}
	r.Blocks[len(r.Blocks)-1].Quote = text
}

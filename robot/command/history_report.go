package command

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/report"
)

func (o historyOut) Report() *report.Report {
	r := &report.Report{}
	if o.Stats != nil {
		r.Add(report.Block{Lines: statsLines(o.Stats)})
	}
	rows := slices.Clone(o.Prompts)
	for i := range o.Answers {
		rows = append(rows, o.Answers[i].row())
	}
	for i := range o.Relays {
		rows = append(rows, o.Relays[i].prompt())
	}
	slices.SortStableFunc(rows, func(x, y historyRow) int { return y.At.Compare(x.At) })
	r.AddTable("", report.TableOf(rows, o.at, "no prompts were sent"))
	if page := o.longer; page.HasMore {
		shown := fmt.Sprintf("%d of %d; --offset=%s shows the next", page.Count, page.Total, page.NextCursor)
		r.AddLine(report.Toned(report.Dim, shown))
	}
	return r
}

// row is an answer as people see it among the prompts.
func (a *answerGiven) row() historyRow {
	return historyRow{
		Prompt: core.Prompt{At: a.At, Origin: a.Origin, Text: a.sentence()},
		Panes:  []string{a.Address}, Outcome: a.Outcome,
	}
}

// prompt is a relay as people see it among the prompts.
func (r *relayRow) prompt() historyRow {
	return historyRow{
		Prompt: core.Prompt{At: r.StartedAt, Origin: "relay", Text: r.Prompt},
		Panes:  []string{r.Backend}, Outcome: core.Outcome(r.State),
	}
}

// Cell says in a line what was answered to what.
func (a *answerGiven) Cell(title string) (report.Cell, bool) {
	if title == "ANSWER" {
		return report.Text(a.sentence()), true
	}
	return report.Cell{}, false
}

// sentence says in a line what was answered to what.
func (a *answerGiven) sentence() string {
	said := strings.Join(strings.Fields(cmp.Or(a.Text, a.Chosen, string(a.Act))), " ")
	if a.Asks == "" {
		return said
	}
	return said + ": " + a.Asks
}

// statsLines shows only outcomes that occurred.
func statsLines(s *historyStats) []report.Line {
	outcomes := listed(counted{s.Delivered, "delivered"}, counted{s.Queued, "queued"}, counted{s.Steered, "steered"},
		counted{s.Typed, "typed"},
		counted{s.Refused, "refused"}, counted{s.Unconfirmed, "unconfirmed"}, counted{s.Open, "open"})
	line := report.Line{
		report.Toned(report.Strong, plural(s.Prompts, "prompt")),
		report.Text(", " + plural(s.Bytes, "byte")),
	}
	if outcomes != "" {
		line = append(line, report.Text(": "+outcomes))
	}
	return []report.Line{line}
}

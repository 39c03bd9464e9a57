package command

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/report"
	"cupola/core/store"
)

func historyReport(_ historyIn, out historyOut) *report.Report {
	r := &report.Report{}
	if out.Stats != nil {
		r.Add(report.Block{Lines: statsLines(out.Stats)})
	}
	table := &report.Table{Columns: report.Columns("SENT", "PANES", "FROM", "OUTCOME", "PROMPT OR ANSWER"), Empty: "no prompts were sent"}
	table.Columns[4].Flex = true
	left := out.Answers
	for i := range out.Prompts {
		row := &out.Prompts[i]
		for ; len(left) > 0 && left[0].At >= row.At; left = left[1:] {
			table.Rows = append(table.Rows, out.answerCells(&left[0]))
		}
		table.Rows = append(table.Rows, []report.Cell{
			ago(row.At, out.at), report.Toned(report.Strong, strings.Join(row.Panes, ",")), report.Toned(report.Dim, row.Origin),
			report.Toned(outcomeTone(row.Outcome), row.Outcome), report.Text(strings.Join(strings.Fields(row.Text), " ")),
		})
	}
	for i := range left {
		table.Rows = append(table.Rows, out.answerCells(&left[i]))
	}
	r.Add(report.Block{Table: table})
	if page := out.longer; page.HasMore {
		shown := fmt.Sprintf("%d of %d; --offset=%s shows the next", page.Count, page.Total, page.NextCursor)
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Dim, shown)}}})
	}
	return r
}

func (o *historyOut) answerCells(a *answerGiven) []report.Cell {
	return []report.Cell{
		ago(a.At, o.at), report.Toned(report.Strong, a.Address), report.Toned(report.Dim, a.Origin), report.Toned(report.Good, a.Outcome), report.Text(a.told()),
	}
}

// told says in a line what was answered to what.
func (a *answerGiven) told() string {
	said := strings.Join(strings.Fields(orElse(a.Text, orElse(a.Chosen, a.Act))), " ")
	if a.Asks == "" {
		return said
	}
	return said + ": " + a.Asks
}

// outcomeTone is how an outcome is shown.
func outcomeTone(outcome string) report.Tone {
	switch {
	case outcome == store.OutcomeOpen, outcome == "mixed":
		return report.Warn
	case core.Outcome(outcome).Failed():
		return report.Bad
	}
	return report.Good
}

// statsLines tells only of outcomes that there were.
func statsLines(s *historyStats) []report.Line {
	outcomes := listed(counted{s.Delivered, "delivered"}, counted{s.Queued, "queued"}, counted{s.Steered, "steered"}, counted{s.Typed, "typed"},
		counted{s.Refused, "refused"}, counted{s.Unconfirmed, "unconfirmed"}, counted{s.Open, "open"})
	line := report.Line{report.Toned(report.Strong, plural(s.Prompts, "prompt")), report.Text(", " + plural(s.Bytes, "byte"))}
	if outcomes != "" {
		line = append(line, report.Text(": "+outcomes))
	}
	return []report.Line{line}
}

package command

import (
	"fmt"
	"strconv"
	"strings"

	"cupola/core/fleet"
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
			ago(row.At, out.at), report.Toned(report.Strong, row.Panes), report.Toned(report.Dim, row.Origin),
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
	case fleet.Outcome(outcome).Failed():
		return report.Bad
	}
	return report.Good
}

// statsLines tells only of outcomes that there were.
func statsLines(s *historyStats) []report.Line {
	parts := []string{}
	for _, part := range []struct {
		n    int
		what string
	}{
		{s.Delivered, "delivered"},
		{s.Queued, "queued"},
		{s.Steered, "steered"},
		{s.Typed, "typed"},
		{s.Refused, "refused"},
		{s.Unconfirmed, "unconfirmed"},
		{s.Open, "open"},
	} {
		if part.n > 0 {
			parts = append(parts, strconv.Itoa(part.n)+" "+part.what)
		}
	}
	line := report.Line{report.Toned(report.Strong, plural(s.Prompts, "prompt")), report.Text(", " + plural(s.Bytes, "byte"))}
	if len(parts) > 0 {
		line = append(line, report.Text(": "+strings.Join(parts, ", ")))
	}
	return []report.Line{line}
}

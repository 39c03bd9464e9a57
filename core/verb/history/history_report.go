package history

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/relays"
)

// Report shows the answer to people.
func (o PromptsOut) Report() *report.Report {
	r := &report.Report{}
	if o.Stats != nil {
		r.Add(report.Block{Lines: statsLines(o.Stats)})
	}
	rows := slices.Clone(o.Prompts)
	for i := range o.Answers {
		rows = append(rows, o.Answers[i].row())
	}
	for i := range o.Relays {
		rows = append(rows, prompt(&o.Relays[i]))
	}
	slices.SortStableFunc(rows, func(x, y historyRow) int { return y.At.Compare(x.At) })
	if o.people.Limit > 0 {
		rows = rows[min(o.people.Offset, len(rows)):min(o.people.Offset+o.people.Limit, len(rows))]
	}
	r.AddTable("", report.TableOf(rows, o.at, "no prompts were sent"))
	page := verb.PageOf(len(rows), o.Pagination.Total+o.AnswersTotal+o.RelaysTotal, o.people)
	if page.HasMore {
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
func prompt(r *relays.RelayRow) historyRow {
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
func statsLines(s *Stats) []report.Line {
	outcomes := verb.Listed(
		verb.Counted{N: s.Delivered, What: "delivered"},
		verb.Counted{N: s.Queued, What: "queued"},
		verb.Counted{N: s.Steered, What: "steered"},
		verb.Counted{N: s.Typed, What: "typed"},
		verb.Counted{
			N:    s.Refused,
			What: "refused",
		},
		verb.Counted{N: s.Unconfirmed, What: "unconfirmed"},
		verb.Counted{N: s.Open, What: "open"},
	)
	line := report.Line{
		report.Toned(report.Strong, verb.Plural(s.Prompts, "prompt")),
		report.Text(", " + verb.Plural(s.Bytes, "byte")),
	}
	if outcomes != "" {
		line = append(line, report.Text(": "+outcomes))
	}
	return []report.Line{line}
}

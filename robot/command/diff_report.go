package command

import (
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/report"
)

// diffReport shows each list that has rows.
func diffReport(out diffOut) *report.Report {
	r := (&report.Report{}).Add(out.shown())
	add := func(heading string, total int, rows [][]report.Cell, titles ...string) {
		if len(rows) == 0 {
			return
		}
		heading = out.headed(heading, len(rows), total)
		table := &report.Table{Columns: report.Columns(titles...), Rows: rows}
		table.Columns[len(titles)-1].Flex = true
		r.Add(report.Block{Heading: heading, Table: table})
	}
	var states, prompts, answers, commits, alerts, changes [][]report.Cell
	for _, s := range out.States {
		states = append(states, []report.Cell{
			ago(s.At, out.at), report.Toned(report.Strong, s.Address), report.Text(s.Agent), report.Toned(report.Dim, s.From),
			report.State(core.Status{State: core.State(s.To), Reason: core.Reason(s.Reason)}),
		})
	}
	for _, p := range out.Prompts {
		prompts = append(prompts, []report.Cell{
			ago(p.At, out.at), report.Toned(report.Strong, strings.Join(p.Panes, ",")), report.Text(p.Outcome), report.Text(strings.Join(strings.Fields(p.Text), " ")),
		})
	}
	for i := range out.Answers {
		a := &out.Answers[i]
		answers = append(answers, []report.Cell{ago(a.At, out.at), report.Toned(report.Strong, a.Address), report.Text(a.Outcome), report.Text(a.told())})
	}
	for _, c := range out.Commits {
		commits = append(commits, []report.Cell{
			ago(c.At, out.at), report.Toned(report.Code, short(c.Commit)), report.Text(orElse(c.Address, c.Author)), report.Text(c.Subject),
		})
	}
	for _, a := range out.Alerts {
		alerts = append(alerts, []report.Cell{
			ago(a.At, out.at), report.Text(a.Event), report.Toned(severityTone(a.Severity), a.Severity), report.Toned(report.Strong, a.Subject), report.Text(a.Message),
		})
	}
	for _, c := range out.Changes {
		changes = append(changes, []report.Cell{
			ago(c.At, out.at), report.Toned(report.Strong, orElse(c.Address, c.Session)), report.Text(c.Agent), report.Text(strings.ReplaceAll(c.Type, "_", " ")),
		})
	}
	add("States", out.Totals.States, states, "AGO", "PANE", "AGENT", "FROM", "TO")
	add("Prompts", out.Totals.Prompts, prompts, "AGO", "TO", "OUTCOME", "TEXT")
	add("Answers", out.Totals.Answers, answers, "AGO", "TO", "OUTCOME", "ANSWER")
	if len(out.Files) > 0 {
		r.Add(report.Block{Heading: out.headed("Files", len(out.Files), out.Totals.Files), Table: fileTable(out.Files, out.at)})
	}
	add("Commits", out.Totals.Commits, commits, "AGO", "COMMIT", "BY", "SUBJECT")
	add("Alerts", out.Totals.Alerts, alerts, "AGO", "WHAT", "SEVERITY", "WHERE", "MESSAGE")
	add("Sessions and panes", out.Totals.Changes, changes, "AGO", "WHERE", "AGENT", "WHAT")
	if len(r.Blocks) == 1 {
		nothing := "Nothing changed."
		if out.TotalMatches > 0 {
			nothing = "No list has that many rows."
		}
		r.Add(report.Block{Lines: []report.Line{{report.Text(nothing)}}})
	}
	return r
}

// headed is the heading of a list, with the part of it that is shown if it is not all.
func (p paged) headed(heading string, shown, total int) string {
	if shown == total {
		return heading
	}
	return fmt.Sprintf("%s (%d to %d of %d, the newest first)", heading, p.Offset+1, p.Offset+shown, total)
}

// short is the part of a commit's hash that people use.
func short(hash string) string {
	const enough = 9
	return hash[:min(enough, len(hash))]
}

// shown says of which time something is known.
func (r reach) shown() report.Block {
	lines := []report.Line{{report.Toned(report.Dim, "Since "+r.Since)}}
	if !r.Complete {
		lines = append(lines, report.Line{report.Toned(report.Warn, "Events may be missing: "), report.Text(r.Why)})
	}
	return report.Block{Lines: lines}
}

package command

import (
	"fmt"

	"cupola/core"
	"cupola/core/report"
)

// diffReport shows each list that has rows.
func diffReport(out diffOut) *report.Report {
	r := (&report.Report{}).Add(out.shown())
	for _, list := range []struct {
		heading     string
		rows        any
		shown, made int
	}{
		{"States", out.States, len(out.States), out.Totals.States},
		{"Prompts", out.Prompts, len(out.Prompts), out.Totals.Prompts},
		{"Answers", out.Answers, len(out.Answers), out.Totals.Answers},
		{"Files", out.Files, len(out.Files), out.Totals.Files},
		{"Commits", out.Commits, len(out.Commits), out.Totals.Commits},
		{"Alerts", out.Alerts, len(out.Alerts), out.Totals.Alerts},
		{"Sessions and panes", out.Changes, len(out.Changes), out.Totals.Changes},
	} {
		if list.shown > 0 {
			heading := out.headed(list.heading, list.shown, list.made)
			r.Add(report.Block{Heading: heading, Table: report.TableOf(list.rows, out.at, "")})
		}
	}
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
	lines := []report.Line{{report.Toned(report.Dim, "Since "+core.Stamp(r.Since))}}
	if !r.Complete {
		lines = append(lines, report.Line{report.Toned(report.Warn, "Events may be missing: "), report.Text(r.Why)})
	}
	return report.Block{Lines: lines}
}

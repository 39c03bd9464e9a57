package history

import (
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb"
)

// Report shows each list that has rows.
func (o diffOut) Report() *report.Report {
	return o.show((&report.Report{}).Add(o.shown()), o.at)
}

// show adds each list that has rows to a report.
func (o *changes) show(r *report.Report, now time.Time) *report.Report {
	before := len(r.Blocks)
	for _, list := range []struct {
		heading     string
		rows        any
		shown, made int
	}{
		{"States", o.States, len(o.States), o.Totals.States},
		{"Prompts", o.Prompts, len(o.Prompts), o.Totals.Prompts},
		{"Answers", o.Answers, len(o.Answers), o.Totals.Answers},
		{"Files", o.Files, len(o.Files), o.Totals.Files},
		{"Commits", o.Commits, len(o.Commits), o.Totals.Commits},
		{"Alerts", o.Alerts, len(o.Alerts), o.Totals.Alerts},
		{"Sessions and panes", o.Changes, len(o.Changes), o.Totals.Changes},
	} {
		r.AddRows(headed(o.Paged, list.heading, list.shown, list.made), list.rows, now)
	}
	if len(r.Blocks) == before {
		nothing := "Nothing changed."
		if o.TotalMatches > 0 {
			nothing = "No list has that many rows."
		}
		r.AddLine(report.Text(nothing))
	}
	return r
}

// headed is the heading of a list, with the part of it that is shown if it is not all.
func headed(p verb.Paged, heading string, shown, total int) string {
	if shown == total {
		return heading
	}
	return fmt.Sprintf("%s (%d to %d of %d, the newest first)", heading, p.Offset+1, p.Offset+shown, total)
}

// shown says which times have records.
func (r reach) shown() report.Block {
	lines := []report.Line{{report.Toned(report.Dim, "Since "+core.Stamp(r.Since))}}
	if !r.Complete {
		lines = append(lines, report.Line{report.Toned(report.Warn, "Events may be missing: "), report.Text(r.Why)})
	}
	return report.Block{Lines: lines}
}

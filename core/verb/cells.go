package verb

import (
	"cmp"
	"os"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
	"cupola/core/verb/render"
)

// ShownPane is a pane as people see it in overviews.
type ShownPane struct {
	_ struct{} `table:"PANE,AGENT,KIND,STATE,SINCE,ASKS OR SHOWS"`
	PaneRow
	// Why is the subject of the state; where it is empty, the title is used.
	Why string `json:"-" table:"ASKS OR SHOWS,flex"`

	pane *core.Pane
}

// ShownPanes are the panes of a snapshot that rows are about.
func ShownPanes(snap *core.Snapshot, rows []PaneRow) []ShownPane {
	host, err := os.Hostname()
	if err != nil {
		host = ""
	}
	return core.Map(rows, func(row PaneRow) ShownPane {
		pane := snap.Pane(row.Pane)
		return ShownPane{PaneRow: row, Why: cmp.Or(pane.Why(snap.Taken).String(), pane.Topic(host)), pane: pane}
	})
}

// Cell shows what runs in a pane of the user.
func (r *ShownPane) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "AGENT" && !r.pane.IsUser():
		return report.Text(r.named()), true
	case !r.pane.IsUser():
	case title == "KIND":
		return report.Toned(report.Dim, r.pane.Process.Command), true
	case title == "STATE" && r.State == core.Unknown:
		return report.Toned(report.Dim, "-"), true
	}
	return r.PaneRow.Cell(title)
}

// Done says for people what was done or, in a dry run, would be.
func Done(dryRun bool, did, would string) report.Cell {
	if dryRun {
		return report.Toned(report.Warn, would)
	}
	return report.Toned(report.Good, did)
}

// MarkdownTable writes a table to a page; none where there are no rows.
func MarkdownTable(page *strings.Builder, columns []string, rows [][]string) {
	if len(rows) == 0 {
		page.WriteString("none\n\n")
		return
	}
	page.WriteString(render.MarkdownTable(columns, rows) + "\n")
}

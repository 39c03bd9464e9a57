package command

import (
	"cupola/core"
	"cupola/core/report"
)

// shownPane is a pane as people see it in overviews.
type shownPane struct {
	_ struct{} `table:"PANE,AGENT,KIND,STATE,SINCE,TITLE"`
	paneRow
	Title string `json:"-" table:"TITLE,dim,flex"`

	pane *core.Pane
}

// shownPanes are the panes of a snapshot that rows are about.
func shownPanes(snap *core.Snapshot, rows []paneRow) []shownPane {
	return rowsBy(rows, func(row *paneRow) shownPane {
		pane := snap.Pane(row.Pane)
		return shownPane{paneRow: *row, Title: pane.Title, pane: pane}
	})
}

// Cell shows what runs in a pane without an agent.
func (r *shownPane) Cell(title string) (report.Cell, bool) {
	switch {
	case title == "AGENT" && r.pane.IsAgent():
		return report.Text(r.Agent), true
	case r.pane.IsAgent():
	case title == "KIND":
		return report.Toned(report.Dim, r.pane.Process.Command), true
	case title == "STATE" && r.State == core.Unknown:
		return report.Toned(report.Dim, "-"), true
	}
	return r.paneRow.Cell(title)
}

// done says for people what was done or, in a dry run, would be.
func done(dryRun bool, did, would string) report.Cell {
	if dryRun {
		return report.Toned(report.Warn, would)
	}
	return report.Toned(report.Good, did)
}

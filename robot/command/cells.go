package command

import (
	"time"

	"cupola/core"
	"cupola/core/report"
)

// paneCells is a pane as a row of PANE, AGENT, KIND, STATE, SINCE, TITLE.
func paneCells(pane *core.Pane, now time.Time) []report.Cell {
	agent, kind := report.Text(pane.Agent.Name), report.Toned(report.Dim, string(pane.Agent.Kind))
	if !pane.IsAgent() {
		agent, kind = report.Toned(report.Dim, "user"), report.Toned(report.Dim, pane.Process.Command)
	}
	state := report.State(pane.Status)
	if !pane.IsAgent() && pane.Status.State == core.Unknown {
		state = report.Toned(report.Dim, "-")
	}
	return []report.Cell{
		report.Toned(report.Strong, pane.Address()), agent, kind, state,
		report.Toned(report.Dim, report.Age(pane.Status.Since, now)), report.Toned(report.Dim, pane.Title),
	}
}

// done says for people what was done or, in a dry run, would be.
func done(dryRun bool, did, would string) report.Cell {
	if dryRun {
		return report.Toned(report.Warn, would)
	}
	return report.Toned(report.Good, did)
}

// none is what an empty table says, unless filters may have left out what there is.
func none(filtered bool, words string) string {
	if filtered {
		return "nothing fits the filters"
	}
	return words
}

package agents

import (
	"strconv"
	"strings"

	"cupola/core/text/report"
)

func (o answerOut) Report() *report.Report {
	r := &report.Report{}
	for i := range o.Answers {
		row := &o.Answers[i]
		if len(row.Keys) == 0 && row.Chosen == "" && !row.Resolved {
			r.Add(openDialog(row))
			continue
		}
		did := report.Toned(report.Good, "Answered ")
		switch {
		case o.DryRun:
			did = report.Toned(report.Warn, "Would answer ")
		case !row.Resolved:
			did = report.Toned(report.Warn, "Answered, and asked again: ")
		}
		line := report.Line{
			did, report.Toned(report.Strong, row.Address()),
			report.Text(" " + row.Agent + " "),
		}
		if row.Chosen != "" {
			line = append(line, report.Text("with "+strconv.Quote(row.Chosen)+" "))
		}
		line = append(line, report.Toned(report.Code, strings.Join(row.Keys, " ")))
		block := report.Block{Lines: []report.Line{line}}
		for _, said := range append(row.Asked, row.Next...) {
			block.Lines = append(block.Lines, report.Line{report.Toned(report.Dim, "  "+said)})
		}
		r.Add(block)
	}
	return r
}

// openDialog shows a dialog that was not answered, with its options.
func openDialog(row *answerRow) report.Block {
	block := report.Block{Lines: []report.Line{{
		report.Toned(report.Strong, row.Address()),
		report.Text(" " + row.Agent + " waits for " + row.BeforeReason.Awaited()),
	}}}
	for _, said := range row.Asked {
		block.Lines = append(block.Lines, report.Line{report.Toned(report.Dim, "  "+said)})
	}
	for _, o := range row.Options {
		line := report.Line{report.Toned(report.Code, "  "+strconv.Itoa(o.N)+". "), report.Text(o.Label)}
		if o.Means != "" {
			line = append(line, report.Toned(report.Dim, " ("+string(o.Means)+")"))
		}
		block.Lines = append(block.Lines, line)
	}
	return block
}

// answerDetails is an answer without its methods: as details of a failure it is not shown to people.
type answerDetails answerOut

// undecided is an answer that was not given.
type undecided answerOut

// Report shows the dialogs with the failure.
func (o undecided) Report() *report.Report { return answerOut(o).Report() }

// Lead says what to do with them.
func (o undecided) Lead() string { return "Give --approve, --deny, --choose N or --text." }

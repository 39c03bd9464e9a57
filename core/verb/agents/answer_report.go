package agents

import (
	"slices"
	"strconv"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
)

// Said says who was answered with what, and whether it asks something else now.
func (o AnswerOut) Said() string {
	if o.act != "" {
		return o.saidOfRules()
	}
	said := core.Map(o.Answers, func(row answerRow) string {
		text := row.Address() + " was answered"
		switch {
		case row.Delivery.Failed():
			text += "; your words did not reach it: " + string(row.Delivery)
		case row.Chosen != "":
			text += ": " + row.Chosen
		case row.Delivery != "":
			text += " with your words"
		}
		if !row.Resolved {
			text += "; it asks something else now"
		}
		return text
	})
	return strings.Join(said, ", ")
}

// Open reports whether an agent that was answered asks something else now.
func (o AnswerOut) Open() bool {
	return slices.ContainsFunc(o.Answers, func(row answerRow) bool { return !row.Resolved })
}

// Report shows what was answered.
func (o AnswerOut) Report() *report.Report {
	if o.act != "" {
		return o.reportRules()
	}
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
type answerDetails AnswerOut

// undecided is an answer that was not given.
type undecided AnswerOut

// Report shows the dialogs with the failure.
func (o undecided) Report() *report.Report { return AnswerOut(o).Report() }

// Lead says what to do with them.
func (o undecided) Lead() string { return "Give --approve, --deny, --choose N or --text." }

package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/report"
)

// Fault is one error in a pipeline.
type Fault struct {
	// Line is the line in the file, from 1; 0 for what is not in the file, such as a given
	// variable.
	Line int `json:"line,omitempty"`
	// Step is the name of the step; empty if the fault is not in a step.
	Step        string    `json:"step,omitempty"`
	Code        core.Code `json:"error_code"`
	Message     string    `json:"message"`
	Hint        string    `json:"hint,omitempty"`
	Suggestions []string  `json:"suggestions"`
	// Remedies and Subject are as in core.Error.
	Remedies []core.Remedy `json:"-"`
	Subject  core.Subject  `json:"-"`
}

// Faults are all errors in a pipeline, in the order of their lines.
type Faults struct {
	File   string  `json:"file"`
	Faults []Fault `json:"faults"`
}

// misfit is a fault of a step that does not fit into its file.
func misfit(line int, step string, err error) Fault {
	fault := faultOf(line, step, err)
	fault.Code = core.ConfigInvalid
	return fault
}

func faultOf(line int, step string, err error) Fault {
	e := core.AsError(err)
	code := e.Code
	if code == core.InternalError {
		code = core.InvalidInput
	}
	return Fault{
		Line: line, Step: step, Code: code, Message: err.Error(), Hint: e.Hint, Suggestions: e.Suggestions,
		Remedies: e.Remedies, Subject: e.Subject,
	}
}

// says is the fault with the place where it is.
func (f *Fault) says() string {
	text := f.Message
	if f.Step != "" {
		text = "step " + f.Step + ": " + text
	}
	if f.Line > 0 {
		text = fmt.Sprintf("line %d: %s", f.Line, text)
	}
	return text
}

// failedFaults returns the error of a pipeline with at least one fault. Its code is the
// one that all faults share, or ConfigInvalid.
func failedFaults(file string, faults []Fault) error {
	slices.SortStableFunc(faults, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	first := &faults[0]
	err := &core.Error{
		Code: first.Code, Hint: first.Hint, Suggestions: first.Suggestions,
		Remedies: first.Remedies, Subject: first.Subject, Message: file + ": " + first.says(),
	}
	for i := range faults {
		if faults[i].Code != first.Code {
			err.Code = core.ConfigInvalid
		}
		faults[i].Suggestions = append([]string{}, faults[i].Suggestions...)
	}
	if len(faults) > 1 {
		err.Message = fmt.Sprintf("%s: %d things are wrong; the first: %s", file, len(faults), first.says())
	}
	err.Details = Faults{File: file, Faults: faults}
	return err
}

// Lead returns the heading of the report.
func (f Faults) Lead() string { return "Nothing was done. Correct the file, then run it again." }

// Report lists every fault with its line and suggestions.
func (f Faults) Report() *report.Report {
	table := &report.Table{Columns: report.Columns("LINE", "STEP", "WHAT IS WRONG", "DID YOU MEAN")}
	table.Columns[2].Flex = true
	for i := range f.Faults {
		fault := &f.Faults[i]
		line := ""
		if fault.Line > 0 {
			line = fmt.Sprint(fault.Line)
		}
		what := fault.Message
		if len(fault.Suggestions) == 0 && fault.Hint != "" {
			what += ". " + fault.Hint
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Text(line), report.Toned(report.Strong, fault.Step), report.Text(what),
			report.Toned(report.Code, strings.Join(fault.Suggestions, ", ")),
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}

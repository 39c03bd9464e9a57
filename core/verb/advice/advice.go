// Package advice says what to do after a failure: the hint and the commands of each code and
// of each remedy. Errors of the core name neither flags nor commands; they are written here.
package advice

import (
	"maps"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/system/shell"
)

// CodeRow describes a code.
type CodeRow struct {
	core.CodeRow
	// Hint is one sentence on what to do, for errors without a hint.
	Hint string `json:"hint"`
	// Actions are complete commands that help to recover.
	Actions []string `json:"actions" names:"command"`
}

// Codes returns every code's row, in a fixed order.
func Codes() []CodeRow {
	return core.Map(core.Codes(), func(row core.CodeRow) CodeRow { return Of(row.Code) })
}

// Of returns the row of a code; that of InternalError if it is not in the list.
func Of(code core.Code) CodeRow {
	row, _ := code.Row()
	of := codes[row.Code]
	return CodeRow{row, of.hint, of.actions}
}

// Complete returns err as an error for a face: with the hints, actions and details of its
// remedies. Hints of its own follow theirs, actions of its own come first. Nil stays nil.
func Complete(err error) *core.Error {
	e := core.AsError(err)
	if e == nil || len(e.Remedies) == 0 {
		return e
	}
	completed := *e
	completed.Actions = slices.Clone(e.Actions)
	var hints []string
	for _, remedy := range e.Remedies {
		row := remedies[remedy]
		hints = append(hints, expand(row.hint, &e.Subject, strings.Clone)...)
		for _, action := range row.actions {
			completed.Actions = append(completed.Actions, expand(action, &e.Subject, shell.Quote)...)
		}
		for _, add := range expand(row.add, &e.Subject, strings.Clone) {
			completed.Slip.Add = add
		}
		if details, ok := e.Details.(map[string]any); ok && row.missing != "" {
			details = maps.Clone(details)
			details["missing"], completed.Details = []string{row.missing}, details
		}
	}
	if e.Hint != "" {
		hints = append(hints, e.Hint)
	}
	completed.Hint = strings.Join(hints, " ")
	return &completed
}

// Ready returns a failure with those of its commands that ready keeps, or with those of its code if it keeps none.
func Ready(e *core.Error, ready func(lines []string) []string) *core.Error {
	own := *e
	if e.Actions == nil {
		own.Actions = Of(e.Code).Actions
	}
	if len(own.Actions) == 0 {
		return e
	}
	if own.Actions = ready(own.Actions); own.Actions == nil {
		own.Actions = ready(Of(e.Code).Actions)
	}
	return &own
}

// Clause returns the hint of a remedy that needs no subject as a clause, to be put behind
// another text; empty if it has none.
func Clause(remedy core.Remedy) string { return strings.TrimSuffix(remedies[remedy].hint, ".") }

// expand puts a failure's subject into the blanks of a template. There is one text for each
// of several panes or worktrees, and none for an empty template. Write writes a word.
func expand(template string, of *core.Subject, write func(string) string) (texts []string) {
	fill := func(blanks ...string) {
		blanks = append(blanks, "{session}", of.Session, "{kind}", of.Kind, "{run}", of.Run, "{name}", of.Name,
			"{host}", of.Host, "{dir}", of.Dir)
		for i := 1; i < len(blanks); i += 2 {
			blanks[i] = write(blanks[i])
		}
		texts = append(texts, strings.NewReplacer(blanks...).Replace(template))
	}
	switch {
	case template == "":
	case strings.Contains(template, "{conversation}"):
		for _, id := range of.Conversations {
			fill("{conversation}", id, "{pane}", of.Panes[0])
		}
	case strings.Contains(template, "{pane}"):
		for _, pane := range of.Panes {
			fill("{pane}", pane)
		}
	case strings.Contains(template, "{ceiling}"):
		for _, c := range of.Ceilings {
			words := []string{c.Scope, "--" + c.Unit + "=" + c.Amount}
			if c.Session != "" {
				words = append(words, "--session="+c.Session)
			}
			texts = append(texts, strings.Replace(template, "{ceiling}", shell.Line(words...), 1))
		}
	case strings.Contains(template, "{tree}"):
		for _, tree := range of.Trees {
			fill("{tree}", tree.Name, "{repo}", tree.Repo)
		}
	default:
		fill()
	}
	return texts
}

package command

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core/report"
	"cupola/robot/command/verb/verbtest"
)

// TestTablesAreTheSameAsEver runs every example and compares the tables that people
// read of its answer with those on file.
func TestTablesAreTheSameAsEver(t *testing.T) {
	drawn := 0
	for _, verb := range Catalog().Verbs {
		var all strings.Builder
		for _, example := range verb.Examples() {
			if needsLiveFleet(verb, example) || slices.Contains(catalogued, verb.Name) {
				continue
			}
			reply, err := verb.Call(
				t.Context(),
				stagedFor(t, &verbtest.Server{}, verb),
				exampleOf(t, verb, example),
				nil,
			)
			if err != nil || reply.Report() == nil {
				continue
			}
			if text := described(reply.Report()); text != "" {
				fmt.Fprintf(&all, "$ %s\n%s\n", example, machineless(text))
			}
		}
		if all.Len() > 0 {
			drawn++
			t.Run(verb.Name, func(t *testing.T) { golden.RequireEqual(t, all.String()) })
		}
	}
	if drawn < 40 {
		t.Errorf("only %d verbs have tables", drawn)
	}
}

// described is the tables of a report with their tones: a line a row, a column behind
// each bar. Columns that are aligned to the right have a >, flexible ones a ~.
func described(r *report.Report) string {
	var b strings.Builder
	for _, block := range r.Blocks {
		if block.Table == nil {
			continue
		}
		for _, column := range block.Table.Columns {
			marks := ""
			if column.Right {
				marks += ">"
			}
			if column.Flex {
				marks += "~"
			}
			fmt.Fprintf(&b, "| %s%s ", column.Title, marks)
		}
		fmt.Fprintf(&b, "\nempty: %s\n", block.Table.Empty)
		for _, row := range block.Table.Rows {
			for _, cell := range row {
				fmt.Fprintf(&b, "| %s ", strings.TrimSpace(string(cell.Tone)+" "+fmt.Sprintf("%q", cell.Text)))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

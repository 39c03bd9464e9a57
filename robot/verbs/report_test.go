package verbs

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core/text/report"
)

// TestTablesAreTheSameAsEver compares the tables that people read of the answers to all examples with those on file.
func TestTablesAreTheSameAsEver(t *testing.T) {
	var ran, drawn atomic.Int32
	t.Cleanup(func() {
		if ran.Load() > 100 && drawn.Load() < 40 {
			t.Errorf("only %d verbs have tables", drawn.Load())
		}
	})
	for _, verb := range allVerbs().Verbs {
		if slices.Contains(catalogued, verb.Name) {
			continue
		}
		t.Run(verb.Name, func(t *testing.T) {
			t.Parallel()
			ran.Add(1)
			var all strings.Builder
			for _, a := range answersOf(t, verb) {
				if a.table != "" {
					fmt.Fprintf(&all, "$ %s\n%s\n", a.example, a.table)
				}
			}
			if all.Len() > 0 {
				drawn.Add(1)
				golden.RequireEqual(t, all.String())
			}
		})
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

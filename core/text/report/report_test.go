package report_test

import (
	"testing"

	"cupola/core"
	"cupola/core/text/report"
)

func TestStateCellsSayTheirReason(t *testing.T) {
	for _, test := range []struct {
		status core.Status
		want   string
	}{
		{core.Status{State: core.Waiting, Reason: core.ReasonApproval}, "waiting (approval)"},
		{core.Status{State: core.Idle}, "idle"},
	} {
		cell := report.State(test.status)
		if state, ok := cell.Tone.State(); cell.Text != test.want || !ok || state != test.status.State {
			t.Errorf("%+v: got %+v", test.status, cell)
		}
	}
}

func TestOnlyStateTonesNameAState(t *testing.T) {
	for _, tone := range []report.Tone{
		report.Plain, report.Strong, report.Dim, report.Good, report.Warn, report.Bad,
		report.Code,
	} {
		if state, ok := tone.State(); ok {
			t.Errorf("%q names %s", tone, state)
		}
	}
}

func TestReportsKeepTheOrderOfTheirBlocks(t *testing.T) {
	r := report.Say(report.Text("one"),
		report.Toned(report.Bad, "two")).Add(report.Block{
		Heading: "three",
		Table:   &report.Table{Columns: report.Columns("A", "B")},
	})
	if len(r.Blocks) != 2 || len(r.Blocks[0].Lines[0]) != 2 || r.Blocks[1].Table.Columns[1].Title != "B" {
		t.Errorf("got %+v", r)
	}
}

package command

import (
	"testing"

	"cupola/core/report"
	"cupola/robot/registry"
)

func TestEmptyFilteredListNamesFilters(t *testing.T) {
	const left = "nothing fits the filters"
	for _, test := range []struct {
		name    string
		all, of *report.Report
		words   string
	}{
		{
			"alerts", alertsOut{}.Report(),
			alertsOut{Filters: alertFilters{Severity: []string{"critical"}}}.Report(), "no open alert",
		},
		{
			"pipelines", pipelineListOut{}.Report(),
			pipelineListOut{Filters: pipelineFilters{State: []string{"failed"}}}.Report(),
			"no pipeline was ever run",
		},
		{
			"palette", paletteOut{}.Report(), paletteOut{Filters: paletteFilters{Search: "x"}}.Report(),
			"no saved prompts; write some into palette.toml in the configuration folder",
		},
		{
			"checkpoints", checkpointListOut{}.Report(),
			checkpointListOut{Filters: registry.OfSession{Session: "api"}}.Report(),
			"no checkpoints; 'cupola checkpoint SESSION' makes one",
		},
	} {
		if all, of := emptyWords(test.all), emptyWords(test.of); all != test.words || of != left {
			t.Errorf("%s: %q, with a filter %q", test.name, all, of)
		}
	}
}

// emptyWords are what the first table of a report says where it has no rows.
func emptyWords(r *report.Report) string {
	for _, block := range r.Blocks {
		if block.Table != nil {
			return block.Table.Empty
		}
	}
	return ""
}

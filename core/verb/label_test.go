package verb_test

import (
	"testing"

	"cupola/core"
	"cupola/core/verb"
)

func TestLabelsShowWhereAgentsAreNamed(t *testing.T) {
	pane := core.Pane{ID: "%1", Session: "api", Ordinal: 1, Agent: core.Agent{
		Name: "cc_1", Kind: "claude", Label: "review",
	}}
	snap := &core.Snapshot{Sessions: []core.Session{{Name: "api", Panes: []core.Pane{pane}}}}
	row := verb.RowOf(&pane)
	shown := verb.ShownPanes(snap, []verb.PaneRow{row})
	const want = "cc_1 #review"
	if cell, _ := shown[0].Cell("AGENT"); cell.Text != want {
		t.Errorf("status shows %q", cell.Text)
	}
	if cell, _ := row.Cell("AGENT"); cell.Text != want {
		t.Errorf("other tables show %q", cell.Text)
	}
}

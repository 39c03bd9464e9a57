package overview

import (
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/registry"
	"cupola/core/verb/verbtest"
)

func TestWhatWasLostWithItsServerNeedsTheUser(t *testing.T) {
	server := &verbtest.Server{Runtime: filepath.Join(t.TempDir(), "run")}
	env := verbtest.Env(t, server, &registry.Catalog{Verbs: Verbs})
	deps := verbtest.OnFleet(t, env)
	if seen, err := runStatus(t.Context(), deps, statusIn{}); err != nil || len(seen.Hints().Warnings) > 0 {
		t.Fatalf("%+v, %v", seen.Hints(), err)
	}
	server.Down = true
	out, err := runAttention(t.Context(), deps, attentionIn{})
	if err != nil || len(out.Needs) != 1 {
		t.Fatalf("%+v, %v", out, err)
	}
	if row := out.Needs[0]; row.Type != core.AlertEngineLost || !strings.Contains(row.Why, "api (st_1)") ||
		row.Command != "cupola restore --dry-run" {
		t.Errorf("%+v", row)
	}
	seen, err := runStatus(t.Context(), deps, statusIn{})
	if err != nil || seen.Alerts.Critical != 1 || len(seen.Hints().Warnings) != 1 ||
		seen.Next()[0].Action != "attention" {
		t.Errorf("%+v, %+v, %v", seen.Alerts, seen.Next(), err)
	}
}

// A command pane that asks is answered as an agent's is; where it needs the user for anything else, it is looked at.
func TestACommandThatAsksIsAnswered(t *testing.T) {
	pane := core.Pane{
		ID: "%1", Session: "api", Ordinal: 1, Agent: core.Agent{Kind: core.KindCommand, Name: "cmd_1"},
		Status: core.Status{State: core.Waiting, Reason: core.ReasonQuestion, Asks: "Continue? [y/N]"},
	}
	alerted := core.Alert{
		Type: core.AlertQuestion, Severity: core.SeverityWarning, Pane: "%1", State: core.Waiting,
		Message: "cmd_1 waits for an answer: Continue? [y/N]",
	}
	rows := func() []needRow {
		return needRows(&core.Snapshot{
			Sessions: []core.Session{{Name: "api", Panes: []core.Pane{pane}}}, Alerts: []core.Alert{alerted},
		}, nil)
	}
	if got := rows(); len(got) != 1 || got[0].Command != "cupola answer api.1 --dry-run" ||
		got[0].says() != "it waits for an answer: Continue? [y/N]" || got[0].Type != core.AlertQuestion {
		t.Errorf("%+v", got)
	}
	pane.Status = core.Status{State: core.Exited, Reason: core.ReasonFailed}
	alerted.Type, alerted.State, alerted.Message = core.AlertExited, core.Exited, "cmd_1 has ended"
	if got := rows(); len(got) != 1 || got[0].Command != "cupola tail api.1" || got[0].says() != "cmd_1 has ended" {
		t.Errorf("%+v", got)
	}
}

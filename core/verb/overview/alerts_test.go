package overview

import (
	"testing"

	"cupola/core"
	"cupola/core/verb/verbtest"
)

func TestAlertsSuggestVerbsAboutThem(t *testing.T) {
	row := func(kind core.AlertType, severity core.Severity, pane core.PaneID) alertRow {
		return alertRow{Alert: core.Alert{
			ID: string(kind) + ":x", Type: kind, Severity: severity, Subject: "x", Pane: pane, Message: "m",
		}}
	}
	over := row("agent_error", "error", "%1")
	over.ResolvedAt = verbtest.Noon
	for want, rows := range map[string][]alertRow{
		"": {over},
		"attention": {
			row("waiting_approval", "warning", "%1"),
			row("agent_error", "error", "%2"),
		},
		"budget": {row("budget", "warning", "")},
		"budget; files; doctor": {
			row("budget", "error", ""), row("file_conflict", "warning", "%1"),
			row("disk_low", "warning", ""),
		},
		"dismiss-alert idle_too_long:x":          {row("idle_too_long", "info", "%1")},
		"attention; dismiss-alert engine_back:x": {row("agent_exited", "error", "%1"), row("engine_back", "info", "")},
	} {
		if got := verbtest.Commands(alertsOut{Alerts: rows}.Next()); got != want {
			t.Errorf("%+v: %s, want %s", rows, got, want)
		}
	}
}

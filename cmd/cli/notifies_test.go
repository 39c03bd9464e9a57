package cli

import (
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

func TestACommandApprovesJustWhatWasAsked(t *testing.T) {
	for name, c := range map[string]struct {
		kind core.AlertType
		asks string
		want string
	}{
		"an approval":       {core.AlertApproval, "make deploy", " --approve '--showing=make deploy'"},
		"a quote":           {core.AlertApproval, "echo 'a'; id", ` --approve '--showing=echo '\''a'\''; id'`},
		"a question":        {core.AlertQuestion, "Which way?", " --dry-run"},
		"nothing known":     {core.AlertApproval, "", " --dry-run"},
		"several lines":     {core.AlertApproval, "a\nb", " --dry-run"},
		"a long command":    {core.AlertApproval, strings.Repeat("a", 201), " --dry-run"},
		"with a credential": {core.AlertApproval, "TOKEN=ghp_" + strings.Repeat("a1b2", 9), " --dry-run"},
	} {
		change := alert.Change{Alert: core.Alert{Type: c.kind, Subject: "api.1"}, Asks: c.asks}
		if got := answering(&change); got != "cupola answer api.1"+c.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestACardIsThatOfOneQuestion(t *testing.T) {
	asked := time.Date(2026, 3, 4, 5, 6, 7, 800, time.UTC)
	got := cardOf(&core.Alert{Type: core.AlertApproval, Subject: "gpu1/api.1", FirstSeen: asked})
	if got.Place != "#/inbox/gpu1%2Fapi.1@1772600767" || !got.Approval {
		t.Errorf("%+v", got)
	}
	if got := cardOf(&core.Alert{Type: core.AlertQuestion, Subject: "api.1", FirstSeen: asked}); got.Approval {
		t.Errorf("a question is approved: %+v", got)
	}
}

package cli

import (
	"testing"
	"time"

	"cupola/cmd/records"
	"cupola/core"
	"cupola/tui/intent"
)

func TestHistoryHasPromptOfStoreMadeLater(t *testing.T) {
	p := testProgram(t, nil)
	p.deps = p.wire()
	kept := &records.Journal{Path: p.deps.Paths.Store(), Server: "/s"}
	defer kept.Close()
	for want := range 2 {
		prompts, total, err := p.history(t.Context(), "/s", intent.Target{Session: "api"})
		if err != nil || len(prompts) != want || total != want {
			t.Fatalf("%d of %d, %v, want %d", len(prompts), total, err, want)
		}
		prompt := core.NewPrompt(core.OriginSend, "x", core.PaneRef{Session: "api", Ordinal: 1})
		if want == 0 {
			if err := kept.Sending(t.Context(), *prompt); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestHistoryIsOfOneServer(t *testing.T) {
	p := testProgram(t, nil)
	p.deps = p.wire()
	for _, server := range []string{"/s", "/other"} {
		kept := &records.Journal{Path: p.deps.Paths.Store(), Server: server}
		t.Cleanup(func() { kept.Close() })
		prompt := core.NewPrompt(core.OriginSend, server, core.PaneRef{Session: "api", Ordinal: 1})
		prompt.ID, prompt.At = server, time.Now()
		if err := kept.Sending(t.Context(), *prompt); err != nil {
			t.Fatal(err)
		}
	}
	prompts, total, err := p.history(t.Context(), "/s", intent.Target{Session: "api"})
	if err != nil || total != 1 || prompts[0].Text != "/s" {
		t.Errorf("%+v, %d, %v", prompts, total, err)
	}
}

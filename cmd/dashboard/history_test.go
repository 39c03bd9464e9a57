package dashboard

import (
	"log/slog"
	"testing"
	"time"

	"cupola/cmd/records"
	"cupola/core"
	"cupola/core/config"
	"cupola/core/verb"
	"cupola/tui/intent"
)

// testDashboard returns a dashboard whose user has an empty home.
func testDashboard(t *testing.T) *Dashboard {
	t.Helper()
	home := t.TempDir()
	getenv := func(name string) string { return map[string]string{"HOME": home}[name] }
	paths, log := config.PathsOf(getenv), slog.New(slog.DiscardHandler)
	env := &verb.Env{Local: verb.Local{Location: config.Location{Paths: paths, Getenv: getenv}}}
	env.Log = log
	env.OpenStore = (&records.Records{Paths: paths, Getenv: getenv, Log: log, Warn: env.Warn}).ReadOnly
	return &Dashboard{Env: env, Getenv: getenv}
}

func TestHistoryHasPromptOfStoreMadeLater(t *testing.T) {
	d := testDashboard(t)
	kept := &records.Journal{File: &records.File{Path: d.Env.Paths.Store()}, Server: "/s"}
	defer kept.File.Close()
	for want := range 2 {
		sent, err := d.history(t.Context(), "/s", intent.Target{Session: "api"})
		if err != nil || len(sent.Prompts) != want || sent.Total != want {
			t.Fatalf("%d of %d, %v, want %d", len(sent.Prompts), sent.Total, err, want)
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
	d := testDashboard(t)
	for _, server := range []string{"/s", "/other"} {
		kept := &records.Journal{File: &records.File{Path: d.Env.Paths.Store()}, Server: server}
		t.Cleanup(func() { kept.File.Close() })
		prompt := core.NewPrompt(core.OriginSend, server, core.PaneRef{Session: "api", Ordinal: 1})
		prompt.ID, prompt.At = server, time.Now()
		if err := kept.Sending(t.Context(), *prompt); err != nil {
			t.Fatal(err)
		}
	}
	sent, err := d.history(t.Context(), "/s", intent.Target{Session: "api"})
	if err != nil || sent.Total != 1 || sent.Prompts[0].Text != "/s" {
		t.Errorf("%+v, %v", sent, err)
	}
}

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine/own"
	"cupola/core/engine/own/wire"
)

// What ended with Cupola's own server is an alert of every snapshot, until another server keeps terminals there.
func TestWhatEndedWithItsServerIsAnAlert(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	relay := alert.Notice{Type: core.AlertRelay}
	facts := notices(own.Options{Socket: socket}, func() noticesFunc {
		return func(context.Context) ([]alert.Notice, error) { return []alert.Notice{relay}, nil }
	})
	if all, err := facts(t.Context()); len(all) != 1 || err != nil {
		t.Errorf("nothing was lost: %+v, %v", all, err)
	}
	if err := os.WriteFile(wire.HeldPath(socket), []byte(`{"pid": 7, "sessions": {"api": 1, "web": 2}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	all, err := facts(t.Context())
	if err != nil || len(all) != 2 || all[1].Type != core.AlertEngineLost || all[1].Since.IsZero() ||
		!strings.Contains(all[1].Message, "api (1 pane), web (2 panes)") {
		t.Errorf("two sessions were lost: %+v, %v", all, err)
	}
}

package agent_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
)

// The dialogs that were recorded for a command show just that, and those for anything else never do.
func TestRecordedDialogsShowTheirCommand(t *testing.T) {
	folder := os.Getenv("CUPOLA_TESTDATA")
	if folder == "" {
		t.Skip("CUPOLA_TESTDATA names no folder of recordings")
	}
	asked := map[string][2]string{
		"claude": {"touch m1 && sleep 6 && echo tool-done", "Run a test command"},
		"codex":  {"touch m2 && sleep 4", "Do you want to run this test command outside the sandbox?"},
		"qwen":   {"touch m1 && sleep 6 && echo tool-done", "Run a test command"},
	}
	kinds, shown := load(t), map[string]int{}
	for _, c := range corpus(t, filepath.Join(folder, "screens")) {
		kind, _ := kinds.Find(c.Agent)
		dialog, open := kind.Read(c.screen(t)).Dialog()
		if command := asked[c.Agent][0]; command == "" || !open {
			continue
		}
		command, description := asked[c.Agent][0], asked[c.Agent][1]
		says := strings.Contains(strings.Join(dialog.Text, " "), command) && dialog.Reason == core.ReasonApproval
		got := dialog.ShowsOnly(command, description)
		if got && !says {
			t.Errorf("%s: shows another command\n%q", c.File, dialog.Text)
		}
		if got {
			shown[c.Agent]++
		} else if says {
			t.Logf("%s: shows more than the command\n%q", c.File, dialog.Text)
		}
		for _, other := range []string{command + " x", "touch", command[:len(command)-1], ""} {
			if dialog.ShowsOnly(other, description) {
				t.Errorf("%s: shows %q\n%q", c.File, other, dialog.Text)
			}
		}
	}
	for kind := range asked {
		if shown[kind] == 0 {
			t.Errorf("%s: no recording shows its command", kind)
		}
	}
	t.Log(shown)
}

//go:build agents

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// asksForTool lets the model of the harness ask for the tool cupola_status, under each of the names that agents give
// it, and keep what it gets after that in the file "answered".
const asksForTool = `
CALLS["tool-mcp"] = ("I will look at the fleet.",
    lambda name, tool, arg, prompt: script("mcp__cupola__cupola_status", {}) if name == "exec" else {},
    ("mcp__cupola__cupola_status", "mcp_cupola_cupola_status", "cupola_cupola_status", "cupola_status", "exec"))
DEFERRED["tool-mcp"] = "mcp__cupola__cupola_status"
note_as_ever = note

def note(api, body, prompt, after_tool, offered, side):
    note_as_ever(api, body, prompt, after_tool, offered, side)
    if after_tool and "tool-mcp" in prompt:
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "answered"), "a") as f:
            f.write(json.dumps(body) + "\n")

`

// harnessThatAsks copies the harness, lets its model ask for tools of Cupola, and makes it the one of this test. It
// returns the file with what the model got.
func harnessThatAsks(t *testing.T) string {
	t.Helper()
	return filepath.Join(fleettest.Extended(t, asksForTool), "answered")
}

// TestRealAgentsCallTools puts the MCP server into the configuration of each agent, whose model then asks for a tool.
func TestRealAgentsCallTools(t *testing.T) {
	for _, kind := range []string{"claude", "codex", "gemini", "opencode"} {
		t.Run(kind, func(t *testing.T) {
			answered := harnessThatAsks(t)
			m := withReal(t, kind)
			m.must("plugin", "install", kind, "--with", "mcp", "--yes")
			startReal(t, m, kind)
			m.must("send", "real.1", "tool-mcp "+fleettest.Token())
			got := ""
			enginetest.Eventually(t, 90*time.Second, func() bool {
				if strings.Contains(m.cupola("status", "real").stdout, `"reason":"approval"`) {
					m.cupola("answer", "real.1", "--approve")
				}
				text, _ := os.ReadFile(answered) // there is none before the first answer
				got = strings.ReplaceAll(string(text), `\`, "")
				return strings.Contains(got, `"success":true`) && strings.Contains(got, `"name":"real"`)
			}, func() string { return m.cupola("tail", "real.1", "--human").stdout + got })
			m.must("wait", "real.1", "--timeout=60s")
			m.must("plugin", "remove", kind, "--with", "mcp", "--yes")
			if text := m.cupola("plugin", "status", kind).stdout; strings.Contains(text, `"mcp":true`) {
				t.Errorf("it is still there: %s", text)
			}
		})
	}
}

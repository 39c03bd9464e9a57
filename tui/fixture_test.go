package tui

import (
	"fmt"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git/forge"
	"cupola/tui/screen"
)

// fixturePane is one pane of the fixture.
type fixturePane struct {
	name    string
	kind    core.Kind
	state   core.State
	reason  core.Reason
	minutes int
	screen  []string
	asks    string
}

// fixture is a fleet with three sessions, nine agents in all states and a user's
// shell.
func fixture() *core.Snapshot {
	api := session("$1", "api", 0,
		fixturePane{screen: shell},
		fixturePane{
			name: "cc_1", kind: "claude", state: core.Working, reason: core.ReasonTool, minutes: 3,
			screen: claude,
		},
		fixturePane{
			name: "cod_1", kind: "codex", state: core.Waiting, reason: core.ReasonApproval, minutes: 12,
			asks:   "go test ./...",
			screen: codex,
		},
		fixturePane{
			name: "gmi_1", kind: "gemini", state: core.Errored, reason: core.ReasonServer, minutes: 200,
			screen: hostile,
		},
		fixturePane{name: "oc_1", kind: "opencode", state: core.Idle, minutes: 2 * 24 * 60, screen: opencode})
	docs := session("$2", "docs-日本", 5,
		fixturePane{name: "cc_1", kind: "claude", state: core.Working, reason: core.ReasonThinking, screen: claude})
	docs.Foreign = true
	web := session("$3", "web", 6,
		fixturePane{
			name: "cc_1", kind: "claude", state: core.Limited, reason: core.ReasonRateLimit, minutes: 41,
			screen: claude,
		},
		fixturePane{name: "cc_2", kind: "claude", state: core.Starting, screen: nil},
		fixturePane{
			name: "cc_3", kind: "claude", state: core.Exited, reason: core.ReasonFailed, minutes: 8,
			screen: dead,
		},
		fixturePane{name: "qwen_1", kind: "qwen", state: core.Unknown, screen: opencode})
	for i := range web.Panes {
		web.Panes[i].Ordinal = i + 1
	}
	web.Panes[2].Process = core.Process{Command: "claude", Dead: true, ExitStatus: 1}
	docs.Panes[0].Ordinal = 1
	api.Panes[3].Status.Evidence = []string{"screen failure: ✕ [API Error: 529 overloaded, retries in 20 s]"}
	api.Panes[4].Status.Notes, api.Panes[4].Status.Said = []core.Note{core.NoteDone}, "all 41 tests pass"
	web.Panes[0].Status.ResetsAt = noon.Add(43 * time.Minute)
	return &core.Snapshot{
		Revision: 7, Taken: noon, EngineUp: true, Sessions: []core.Session{api, docs, web},
		Alerts: []core.Alert{
			{
				ID: "waiting_approval:api.2", Type: core.AlertApproval, Severity: core.SeverityWarning,
				Subject: "api.2", Session: "api", Pane: "%2", Message: "cod_1 waits for an approval: go test ./...",
				FirstSeen: noon.Add(-12 * time.Minute), LastSeen: noon, Count: 1,
			},
			{
				ID: "agent_error:api.3", Type: core.AlertAgentError, Severity: core.SeverityError, Subject: "api.3",
				Session: "api", Pane: "%3", Message: "gmi_1 failed: API Error: 500 Internal Server Error",
				FirstSeen: noon.Add(-200 * time.Minute), LastSeen: noon, Count: 3,
			},
			{
				ID: "disk_low:docs-日本", Type: core.AlertDiskLow, Severity: core.SeverityInfo, Subject: "docs-日本",
				Session: "docs-日本", Message: "hostile \x1b[2J text", FirstSeen: noon, LastSeen: noon, Count: 1,
			},
		},
	}
}

// fixtureWork describes the work of the fixture's agents.
var fixtureWork = map[core.PaneID]screen.Work{
	"%1": {
		Prompt: "Rename the handler, then run the tests of the whole module and tell me which of them fail",
		Root:   "/src/api-worktrees/api/cc_1", Branch: "cupola/api/cc_1", Worktree: true, Added: 128, Deleted: 31,
		ContextUsed: 38, CostUSD: 1.2,
		Pull: &forge.Pull{
			Number: 12, URL: "https://github.com/acme/api/pull/12", State: forge.PullOpen, Checks: forge.ChecksPassed,
		},
	},
	"%2": {Root: "/src/api", Branch: "main", Added: 12, Deleted: 3, ContextUsed: 91, CostUSD: 0.07},
	"%4": {Prompt: "/clear", Root: "/src/api", Branch: "main", Added: 12, Deleted: 3},
	"%5": {Prompt: "日本語で README を書いて\nand \x1b[2J more", Root: "/src/docs", Branch: "main"},
	"%6": {Prompt: "go on", ContextUsed: 62, CostUSD: 14.3},
}

// fixtureOffers are the values that forms offer.
var fixtureOffers = screen.Offers{
	Presets: []string{"backend", "review"}, Folders: []string{"/src/api", "/src/web"},
	Prompts: []string{"run the tests", "Review the diff.\nBe brief."},
}

// screens are the lines that the fixture's panes show.
var screens = map[core.PaneID][]string{}

// session makes a session whose panes have ids from first on.
func session(id core.SessionID, name string, first int, parts ...fixturePane) core.Session {
	s := core.Session{ID: id, Name: name, Created: noon.Add(-3 * time.Hour), Dir: "/src/" + name}
	for i, p := range parts {
		pane := core.Pane{
			ID: core.PaneID(fmt.Sprintf("%%%d", first+i)), Session: name, Ordinal: i, Managed: true,
			Agent:   core.Agent{Name: p.name, Kind: p.kind},
			Process: core.Process{PID: 100 + first + i, Command: string(p.kind)},
			Status:  core.Status{State: p.state, Reason: p.reason, Asks: p.asks},
			View:    core.Viewport{Width: 100, Height: 20},
		}
		if p.kind == "" {
			pane.Status.State, pane.Process.Command = core.Unknown, "bash"
		} else {
			pane.Status.Since = noon.Add(-time.Duration(p.minutes) * time.Minute)
		}
		screens[pane.ID] = p.screen
		s.Panes = append(s.Panes, pane)
	}
	return s
}

// captured is the screen of a pane of the fixture.
func captured(pane *core.Pane) core.Screen {
	lines := append([]string(nil), screens[pane.ID]...)
	for len(lines) < pane.View.Height {
		lines = append(lines, "")
	}
	return core.Screen{Pane: pane.ID, Lines: lines, Visible: len(lines), View: pane.View, Taken: noon}
}

var (
	shell = []string{
		"\x1b[32muser@box\x1b[39m:\x1b[34m~/src/api\x1b[39m$ git status", "On branch main",
		"nothing to commit, working tree clean", "\x1b[32muser@box\x1b[39m:\x1b[34m~/src/api\x1b[39m$ ",
	}

	claude = []string{
		"\x1b[1m✻ Claude Code\x1b[0m  \x1b[38;5;246m~/src/api\x1b[39m", "",
		"\x1b[48;5;238m\x1b[38;5;255m› rename the handler and run the tests", "\x1b[39m\x1b[49m",
		"\x1b[38;2;120;180;255m●\x1b[39m I renamed \x1b[36mhandler.go\x1b[39m; 日本語のコメント stay as they are 🙂👩‍💻🇩🇪",
		"  \x1b[32m+\tfunc Serve(w io.Writer) error { // e\u0301te\u0301\x1b[39m",
		"  \x1b[31m-\tfunc serve(w io.Writer) error {\x1b[39m", "",
		"\x1b[35m✶ Testing…\x1b[39m \x1b[2m(12s · esc to interrupt)\x1b[22m", "",
		strings.Repeat("─", 100), "❯ ", strings.Repeat("─", 100), "  ⏵⏵ auto mode on (shift+tab to cycle)",
	}

	codex = []string{
		"  Would you like to run the following command?", "", "  \x1b[1m$ go test ./...\x1b[22m", "",
		"\x1b[36m› 1. Yes, proceed (y)\x1b[39m", "  2. Yes, and don't ask again for this command (p)",
		"  3. No, and tell Codex what to do differently (esc)", "",
		"  \x1b[2mPress enter to confirm or esc to cancel\x1b[22m",
	}

	// hostile is a screen as no program should leave one.
	hostile = []string{
		"\x1b]0;title\x07\x1b[2J\x1b[5;5Hjump \a bell \b back\rreturn \x00 nul \x7f del", "\x1b[31mred without an end",
		"\x1b]8;;http://example.com\x1b\\link\x1b]8;;\x1b\\", "🇩", "🇪\u200d", "\u202eright to left\u202c",
		"\xff\xfe broken", strings.Repeat("宽", 60), "\x1b[7mreverse " + strings.Repeat(" ", 80),
		"\u0301\u0301 accents alone", "\x1b[0m✕ [API Error: 500 Internal Server Error]",
	}

	opencode = []string{"┃  Ask anything…", "", "  ctrl+p commands"}

	dead = []string{
		"\x1b[31mError: cannot find module 'cli.js'\x1b[39m", "    at load (node:internal:1)", "",
		"Pane is dead (status 1, Fri Nov 20 11:52:00 2026)",
	}
)

package tui

import (
	"strings"
	"testing"
	"time"

	verbs "cupola/core/verb/stories"

	"github.com/charmbracelet/x/exp/golden"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/agent/detect"
	"cupola/core/agent/search"
	"cupola/core/fleet/keeper"
	gitchanges "cupola/core/git/changes"
	"cupola/core/record/undo"
	"cupola/core/system/process/child"
	"cupola/core/verb/sessions"
	"cupola/theme"
	"cupola/tui/effect"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/changes"
	"cupola/tui/screen/explain"
	"cupola/tui/screen/history"
	"cupola/tui/screen/runs"
	"cupola/tui/screen/scrollback"
	found "cupola/tui/screen/search"
	"cupola/tui/screen/spending"
	"cupola/tui/screen/stories"
)

// scenarios are the screens, and how to reach them from the fixture.
var scenarios = map[string]func(*harness){
	"tree":         func(*harness) {},
	"tree-session": func(s *harness) { s.press("home") },
	"tree-shell":   func(s *harness) { s.press("k") },
	"tree-rules": func(s *harness) {
		ruled := fixture()
		for _, pane := range ruled.Panes() {
			pane.Agent.Rules = []core.Rule{{
				ID: "r", Allow: "go test *", Most: 20, Uses: 3, Until: ruled.Taken.Add(time.Hour),
			}}
		}
		s.show(ruled)
		s.model.Update(effect.Framed{Frame: keeper.Frame{Events: []core.Event{{
			Type: core.RuleApplied, Pane: "api.1", Message: "go test ./... (rule go test *, 3 of 20)",
		}}}})
	},
	"tree-snoozed": func(s *harness) {
		rests := fixture()
		panes := rests.Panes()
		panes[2].Agent.Snoozed, panes[4].Agent.Pinned = rests.Taken.Add(45*time.Minute), true
		rests.SetAlerts(rests.Alerts)
		s.show(rests)
	},
	"queue":        (*harness).queue,
	"rules":        (*harness).ruled,
	"rule-form":    func(s *harness) { s.ruled(); s.press("n") },
	"tree-dead":    func(s *harness) { s.press("end", "k") },
	"tree-folded":  func(s *harness) { s.press("home", "h", "]", "l") },
	"tree-marked":  func(s *harness) { s.press("m", "m", "*", "j", "m") },
	"tree-filter":  func(s *harness) { s.press("/"); s.write("cod\n") },
	"tree-nothing": func(s *harness) { s.press("/"); s.write("zzz\n") },
	"grid":         func(s *harness) { s.press("g", "l") },
	"grid-all":     func(s *harness) { s.press("A", "G") },
	"peek":         func(s *harness) { s.press(" ") },
	"peek-hostile": func(s *harness) { s.press("j", "j", " ") },
	"scrollback":   func(s *harness) { s.press("o"); answer[scrollback.Question](s, scrollbackOf()) },
	"scrollback-found": func(s *harness) {
		s.press("o")
		answer[scrollback.Question](s, scrollbackOf())
		s.press("W", "/")
		s.write("line 1\n")
		s.press("n")
	},
	"scrollback-transcript": func(s *harness) {
		s.press("o")
		answer[scrollback.Question](s, transcriptOf())
		s.press("home")
	},
	"inbox":           func(s *harness) { s.press("I"); s.model.Update(openQuestion("%2")) },
	"inbox-failed":    func(s *harness) { s.press("I", "end") },
	"inbox-nobody":    func(s *harness) { s.show(without("%2", "%3", "%6", "%8")); s.press("I") },
	"changes":         func(s *harness) { s.changed() },
	"changes-file":    func(s *harness) { s.changed(); s.press("j"); s.patched() },
	"changes-tree":    func(s *harness) { s.changed(); s.press("end", "k", "k"); s.patched() },
	"changes-whole":   func(s *harness) { s.changed(); s.press("enter") },
	"review":          func(s *harness) { s.reviewed(); s.press("m", "j", "c"); s.write("why?"); s.press("ctrl+s") },
	"changes-none":    func(s *harness) { s.press("v"); answer[changes.Question](s, []gitchanges.Tree(nil)) },
	"changes-commit":  func(s *harness) { s.changed(); s.press("C") },
	"changes-discard": func(s *harness) { s.changed(); s.press("D") },
	"help":            func(s *harness) { s.press("?") },
	"alerts":          func(s *harness) { s.press("!", "j") },
	"acts":            func(s *harness) { s.acts(); s.press("j") },
	"acts-undo":       func(s *harness) { s.acts(); s.press("j", "j", "enter") },
	"alerts-none": func(s *harness) {
		calm := fixture()
		calm.Alerts = nil
		s.show(calm)
		s.press("!")
	},
	"decide":       func(s *harness) { s.press("w", "d"); s.model.Update(openQuestion("%2")) },
	"search":       func(s *harness) { s.press("F") },
	"search-found": func(s *harness) { s.searched() },
	"search-whole": func(s *harness) { s.searched(); s.press("j", "enter"); answer[found.Around](s, passageOf()) },
	"search-none": func(s *harness) {
		s.press("F")
		s.write("parser")
		s.press("ctrl+s")
		answer[found.Question](s, found.Result{Done: true, Totals: search.Totals{Complete: true, Sources: 12}})
	},
	"history": func(s *harness) { s.press("H"); answer[history.Question](s, recalled()); s.press("j") },
	"history-whole": func(s *harness) {
		s.press("H")
		answer[history.Question](s, recalled())
		s.press("j", "enter")
	},
	"runs":         func(s *harness) { s.runs("failed1") },
	"runs-kind":    func(s *harness) { s.runs("done1"); s.press("]", "]", "P") },
	"runs-filter":  func(s *harness) { s.runs("done1"); s.press("/"); s.write("MIGRATION\n"); s.readRun() },
	"runs-nothing": func(s *harness) { s.runs("done1"); s.press("/"); s.write("zzz\n") },
	"runs-none":    func(s *harness) { s.press("8"); answer[runs.ListQuestion](s, runs.List{}) },
	"runs-new":     func(s *harness) { s.runs("done1"); s.press("n") },
	"runs-cancel":  func(s *harness) { s.runs("running1"); s.press("x") },
	"runs-delete":  func(s *harness) { s.runs("done1"); s.press("D") },
	"relays":       func(s *harness) { s.relays("running1") },
	"relays-done":  func(s *harness) { s.relays("done1") },
	"relays-whole": func(s *harness) { s.relays("done1"); s.press("enter") },
	"relays-ask": func(s *harness) {
		s.press("r", "n")
		s.model.Update(effect.BackendsFound{Names: []string{"claude", "codex", "ollama"}, Usual: "codex"})
		s.write("is this safe?\nsay why")
	},
	"pipelines":        func(s *harness) { s.runs("release-1") },
	"pipelines-failed": func(s *harness) { s.runs("release-3") },
	"pipelines-needs":  func(s *harness) { s.runs("release-4") },
	"crews":            func(s *harness) { s.crews("running") },
	"crews-whole":      func(s *harness) { s.crews("running"); s.press("enter") },
	"crews-matrix":     func(s *harness) { s.crews("crewdone"); s.press("enter", "m") },
	"crews-pair":       func(s *harness) { s.crews("running"); s.press("enter", "a", "a", "a", "a", "f") },
	"crews-search":     func(s *harness) { s.crews("crewdone"); s.press("enter", "/"); s.write("LOCK\n") },
	"crews-panes":      func(s *harness) { s.crews("crewpaus") },
	"crews-new":        func(s *harness) { s.crews("running"); s.press("n") },
	"crews-say":        func(s *harness) { s.crews("running"); s.press("s") },
	"todo":             func(s *harness) { s.todo("rename-api") },
	"todo-tasks":       func(s *harness) { s.todo("rename-api"); s.press("enter") },
	"todo-scenarios":   func(s *harness) { s.todo("rename-api"); s.press("enter", "tab") },
	"todo-proposal":    func(s *harness) { s.todo("rename-api"); s.press("enter", "tab", "tab") },
	"todo-none":        func(s *harness) { s.press("9"); answer[stories.TodoQuestion](s, []verbs.Todo(nil)) },
	"todo-new":         func(s *harness) { s.todo("rename-api"); s.press("n"); s.model.Update(plan(s)) },
	"todo-start": func(s *harness) {
		s.todo("rename-api")
		s.press("n")
		s.model.Update(plan(s))
		s.press("enter")
		s.model.Update(plan(s))
	},
	"stories":         func(s *harness) { s.stories("live123") },
	"stories-whole":   func(s *harness) { s.stories("live123"); s.press("enter") },
	"stories-checks":  func(s *harness) { s.stories("live123"); s.press("enter", "tab") },
	"stories-tries":   func(s *harness) { s.stories("live123"); s.press("enter", "tab", "tab") },
	"stories-log":     func(s *harness) { s.stories("live123"); s.press("enter", "L") },
	"stories-pane":    func(s *harness) { s.stories("live123"); s.press("enter"); s.inPane("api.1") },
	"stories-done":    func(s *harness) { s.stories("done123"); s.press("enter") },
	"stories-failed":  func(s *harness) { s.stories("failed1"); s.press("enter") },
	"stories-broken":  func(s *harness) { s.stories("gone123"); s.press("enter") },
	"stories-changed": func(s *harness) { s.stories("done123"); s.press("enter", "d"); s.deliver() },
	"stories-squash":  func(s *harness) { s.stories("done123"); s.press("S") },
	"tree-runs":       func(s *harness) { answer[runs.ListQuestion](s, runsListed()) },
	"explain":         func(s *harness) { s.press("w", "e"); answer[explain.Question](s, explained()) },
	"send": func(s *harness) {
		s.press("s")
		s.write("Rename the handler, then run the tests of the whole module and tell me which of them fail.\n  - " +
			"日本語で。\n  - no more than that")
	},
	"send-empty": func(s *harness) { s.press("s", "ctrl+s") },
	"spawn":      func(s *harness) { s.press("n"); s.write("api.v2\nclaude=2\n\n\n\n\n\n") },
	"spawn-picker": func(s *harness) {
		s.offer("claude", "codex", "gemini", "opencode", "copilot", "qwen")
		s.press("n", "tab", " ", "right", "right", " ", " ")
	},
	"palette":       func(s *harness) { s.commands(); s.press(":") },
	"palette-found": func(s *harness) { s.commands(); s.press(":"); s.write("wrktr") },
	"themes":        func(s *harness) { s.themed(); s.press("f2") },
	"typing":        func(s *harness) { s.press("T") },
	"command": func(s *harness) {
		s.press(":")
		s.model.dispatch(intent.Back{})
		text := "\x1b[1mPANE\x1b[0m   STATE\napi.1  working\n"
		s.model.Update(effect.CommandOutput{Intent: s.command("status"), Text: text})
	},
	"own": func(s *harness) {
		s.owning()
		s.press("alt+d")
		s.printed(effect.OwnOutput{
			Text: "\x1b[1mmake\x1b[0m deploy\n10 %\r100 %\n\x1b[31mno route\x1b[0m\n", Ended: true,
			End: child.End{Exit: 2},
		})
	},
	"own-runs":      func(s *harness) { s.owning(); s.press("alt+d") },
	"own-asks":      func(s *harness) { s.owning(); s.press("alt+w") },
	"own-palette":   func(s *harness) { s.owning(); s.press(":"); s.write("deploy") },
	"activity":      func(s *harness) { s.press("5"); s.readAll() },
	"activity-gone": func(s *harness) { s.press("5"); s.readAll(); s.press("end") },
	"usage":         func(s *harness) { s.press("6"); s.readAll() },
	"hosts":         func(s *harness) { s.press("f7"); s.readAll() },
	"hosts-down":    func(s *harness) { s.press("f7"); s.readAll(); s.press("down", "down") },
	"usage-today":   func(s *harness) { s.press("6", "right", "g"); s.readAll(); s.press("down") },
	"usage-none": func(s *harness) {
		s.press("6")
		answer[spending.Question](s, spending.Usage{})
	},
	"worktrees":        func(s *harness) { s.worktrees() },
	"worktrees-free":   func(s *harness) { s.worktrees(); s.press("down") },
	"worktrees-filter": func(s *harness) { s.worktrees(); s.press("/"); s.write("日本\n") },
	"worktrees-none": func(s *harness) {
		s.press("f6")
		answer[sessions.WorktreeListIn](s, sessions.WorktreeListOut{Repository: "/src/api"})
	},
	"settings":         func(s *harness) { s.press("f9"); s.readAll() },
	"settings-changed": func(s *harness) { s.press("f9"); s.readAll(); s.press("/"); s.write("glyph\n") },
	"settings-set": func(s *harness) {
		s.press("f9")
		s.readAll()
		s.press("/")
		s.write("glyph\n")
		s.press("enter")
	},
	"tree-by-state": func(s *harness) { s.press("O", "right", "tab", "tab", "enter"); s.model.status.Text = "" },
	"tree-by-folder": func(s *harness) {
		s.press("O", "right", "right", "tab", "right", "tab", "enter")
		s.model.status.Text = ""
	},
	"tree-arrange": func(s *harness) { s.press("O", "right") },
	"checkpoint":   func(s *harness) { s.press("C") },
	"restore-list": func(s *harness) {
		s.press("L")
		s.model.Update(effect.CheckpointsListed{Entries: checkpointsOf()})
	},
	"help-found": func(s *harness) { s.press("?", "/"); s.write("send\n") },
	"history-found": func(s *harness) {
		s.press("H")
		answer[history.Question](s, recalled())
		s.press("/")
		s.write("HANDLER\n")
	},
	"add":          func(s *harness) { s.press("a", "tab") },
	"rename":       func(s *harness) { s.press(",") },
	"restart":      func(s *harness) { s.press("]", "]", "j", "j", "j", "R") },
	"kill":         func(s *harness) { s.press("x") },
	"kill-session": func(s *harness) { s.press("home", "x") },
	"filter":       func(s *harness) { s.press("/") },
	"looking":      func(s *harness) { s.model.world.Snapshot = nil; drawFrame(s.model) },
	"no-server":    func(s *harness) { s.model.world.Snapshot = nil; s.show(&core.Snapshot{Taken: noon}) },
	"no-session":   func(s *harness) { s.show(&core.Snapshot{Taken: noon, EngineUp: true}) },
	"ran": func(s *harness) {
		s.model.world.Snapshot = nil
		s.ran()
		s.show(&core.Snapshot{Taken: noon})
	},
	"ran-list": func(s *harness) {
		s.ran()
		s.press("L")
		s.model.Update(effect.CheckpointsListed{Entries: checkpointsOf()})
	},
	"server-lost":   func(s *harness) { s.show(&core.Snapshot{Taken: noon}) },
	"server-silent": func(s *harness) { s.silentSnapshot(noon.Add(12 * time.Second)) },
	"said": func(s *harness) {
		s.model.Update(effect.Done{
			Intent: renamed, Answer: sessions.RenameOut{From: "api", To: "api2"},
			Said: "renamed api to api2", Undo: []undo.Act{{ID: "a1", Did: "renamed api to api2"}},
		})
	},
	"said-an-error": func(s *harness) { s.model.Update(effect.Done{Intent: renamed, Err: refusal}) },
}

// recalled holds prompts to panes of the fixture.
func recalled() history.Sent {
	one, two := core.PaneRef{Session: "api", Ordinal: 1}, core.PaneRef{Session: "api", Ordinal: 2}
	composer := []string{"the composer is empty"}
	sent := func(minutes int, text string, deliveries ...core.Delivery) core.Prompt {
		return core.Prompt{At: noon.Add(-time.Duration(minutes) * time.Minute), Text: text, Deliveries: deliveries}
	}
	return history.Sent{
		Total: 4, Prompts: []core.Prompt{
			sent(1, "run the tests", core.Delivery{PaneRef: one, Result: core.Result{Outcome: core.Open}}),
			sent(12, "rename the handler\nand \x1b[2J 日本語で",
				core.Delivery{PaneRef: one, Result: core.Result{Outcome: core.Delivered, Evidence: composer}},
				*core.NewRefusal(two, "a dialog is open")),
			sent(90, strings.Repeat("a long prompt ", 40),
				core.Delivery{PaneRef: one, Result: core.Result{Outcome: core.Delivered, Evidence: composer}}),
			sent(3000, "hello", core.Delivery{
				PaneRef: one,
				Result:  core.Result{Outcome: core.Queued, Evidence: []string{"it stands above the composer"}},
			}),
		},
	}
}

// openQuestion returns the question that a pane of the fixture waits for.
func openQuestion(pane core.PaneID) effect.Questioned {
	return effect.Questioned{
		Intent: intent.Question{Target: screen.TargetOfPane(fixture().Pane(pane))}, Reason: core.ReasonApproval,
		Asked: []string{"", "  Would you like to run the following command?", "", "  $ go test ./... \x1b[2J"},
		Options: []agent.Option{
			{N: 1, Label: "Yes, proceed (y)", Selected: true, Means: agent.Approves},
			{N: 2, Label: "Yes, and don't ask again for this command (p)"},
			{N: 3, Label: "No, and tell Codex what to do differently (esc)", Means: agent.Denies},
		},
	}
}

// explained is why a pane of the fixture waits.
func explained() explain.Why {
	return explain.Why{
		Until: noon.Add(3 * time.Second),
		Signals: []detect.Signal{
			{
				Source: detect.FromScreen, Rule: "approval", Line: "Would you like to run the following command?",
				State: core.Waiting, Reason: core.ReasonApproval, Decided: true,
			},
			{
				Source: detect.FromHook, Rule: "PreToolUse", Line: "{\"tool\":\"\x1b[2Jshell\"}", State: core.Working,
				Reason: core.ReasonTool, Age: 12.4, Notes: []core.Note{core.NoteSubagents},
			},
			{
				Source: detect.FromTitle, Rule: "title", Line: "[ ! ] Action Required | docs-日本", State: core.Waiting,
				Age: 0.2, Decided: true,
			},
		},
	}
}

var refusal = &core.Error{
	Code:    core.DeliveryFailed,
	Message: "pane api.2 did not take the prompt: a dialog is open, and Enter would approve what it asks for",
	Hint:    "Answer it first.",
}

// goldens are the displays on which every screen is on file, and their colours.
var goldens = map[string]struct {
	level theme.Level
	w, h  int
}{
	"nocolor-60x16": {theme.None, 60, 16}, "truecolor-80x24": {theme.True, 80, 24},
	"truecolor-140x40": {theme.True, 140, 40},
}

func TestGoldenScreens(t *testing.T) {
	for name, reach := range scenarios {
		for label, on := range goldens {
			t.Run(name+"-"+label, func(t *testing.T) {
				s := newHarness(t, on.level, on.w, on.h)
				reach(s)
				s.exact()
				golden.RequireEqual(t, strings.Join(s.model.shown.Lines, "\n")+"\n")
			})
		}
	}
}

func TestSmallDisplayShowsMessage(t *testing.T) {
	s := newHarness(t, theme.None, 19, 3)
	s.exact()
	s.shows("too small")
	for w := range 24 {
		for h := range 6 {
			s.resize(w, h)
			s.exact()
		}
	}
}

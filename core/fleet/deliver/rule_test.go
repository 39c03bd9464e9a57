package deliver

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/engine"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// askingClaude is an engine with one pane, in which an agent asks to run commands, one after the other.
type askingClaude struct {
	*fleettest.Engine
	// dialogs are the rows above the options of the dialogs that are still to be answered.
	dialogs [][]string
	pressed []string
}

// dialogOfCommand are the rows of the dialog for a command.
func dialogOfCommand(command, description string, more ...string) []string {
	line := strings.Repeat("╌", 80)
	rows := []string{" Bash command", " " + description, line, " " + command, line}
	return append(append(rows, more...), " Do you want to proceed?")
}

func (a *askingClaude) Capture(_ context.Context, asks ...engine.Ask) ([]core.Screen, error) {
	lines := []string{"● I will run a command now."}
	if len(a.dialogs) > 0 {
		lines = append(append(lines, strings.Repeat("─", 80)), a.dialogs[0]...)
		lines = append(lines, " ❯ 1. Yes", "   2. Yes, and don't ask again for this", "   3. No", "", " Esc to cancel")
	} else {
		lines = append(lines, strings.Repeat("─", 80), "❯ ", strings.Repeat("─", 80), "  ? for shortcuts")
	}
	view := core.Viewport{Width: 80, Height: len(lines), Cursor: core.Cursor{X: 2, Y: len(lines) - 3, Visible: true}}
	return []core.Screen{{Pane: asks[0].Pane, Lines: lines, Visible: len(lines), View: view}}, nil
}

func (a *askingClaude) Press(_ context.Context, _ core.PaneID, keys ...string) error {
	a.pressed = append(a.pressed, keys...)
	if len(a.dialogs) > 0 {
		a.dialogs = a.dialogs[1:]
	}
	return nil
}

func (a *askingClaude) Tag(_ context.Context, tags ...engine.Tag) error {
	changed := maps.Clone(a.Listing.Panes[0].Tags)
	for _, tag := range tags {
		changed[tag.Name] = tag.Value
	}
	a.Listing.Panes = slices.Clone(a.Listing.Panes)
	a.Listing.Panes[0].Tags = changed
	return nil
}

func (a *askingClaude) rules() []core.Rule {
	return panetag.DecodeRules(a.Listing.Panes[0].Tags[engine.TagRules])
}

// hooked is the report of an agent that it asks to run a command.
func hooked(command, description string) detect.Hook {
	return detect.Hook{
		Event: "PermissionRequest", State: core.Waiting, Reason: core.ReasonApproval, At: fleettest.Noon, Session: "s",
		Kind: "claude", PID: 4711, Start: 1, Asks: command, Command: command, Description: description,
	}
}

// asksToRun returns an engine whose agent asks to run a command, as a hook of it says.
func asksToRun(hook *detect.Hook, dialogs ...[]string) *askingClaude {
	pane := fleettest.Row("$1", "%1", "claude", engine.TagRole, panetag.RoleAgent, engine.TagKind, "claude",
		engine.TagName, "cc_1", engine.TagOrdinal, "1")
	if hook != nil {
		pane.Tags[engine.TagHook] = panetag.EncodeHook(*hook)
	}
	a := &askingClaude{dialogs: dialogs, Engine: &fleettest.Engine{Listing: engine.Listing{
		Sessions: []engine.Session{{ID: "$1", Name: "api", Engine: engine.Tmux}}, Panes: []engine.Pane{pane},
	}}}
	return a
}

const testCommand, testDescription = "go test ./...", "Run the tests"

// ruleCase is a request of an agent, with its hook and its dialog, and a rule with its uses and the time to its end
// beyond a minute; yes if the rule approves the request.
type ruleCase struct {
	hook   *detect.Hook
	dialog []string
	allow  string
	uses   int
	ends   time.Duration
	yes    bool
}

func TestARuleApprovesOnlyWhatAHookSaysAndTheScreenShows(t *testing.T) {
	plain := hooked(testCommand, testDescription)
	dialog := dialogOfCommand(testCommand, testDescription)
	change := func(do func(*detect.Hook)) *detect.Hook {
		hook := plain
		do(&hook)
		return &hook
	}
	no := func(hook *detect.Hook, dialog []string, allow string) ruleCase {
		return ruleCase{hook: hook, dialog: dialog, allow: allow}
	}
	for name, test := range map[string]ruleCase{
		"the very command":      {hook: &plain, dialog: dialog, allow: testCommand, yes: true},
		"by its first words":    {hook: &plain, dialog: dialog, allow: "go test *", yes: true},
		"used up":               {hook: &plain, dialog: dialog, allow: testCommand, uses: 2},
		"too late":              {hook: &plain, dialog: dialog, allow: testCommand, ends: -time.Hour},
		"another command":       no(&plain, dialog, "go vet ./..."),
		"no hook":               no(nil, dialog, testCommand),
		"a hook of another":     no(change(func(h *detect.Hook) { h.Kind = "codex" }), dialog, testCommand),
		"nobody's hook":         no(change(func(h *detect.Hook) { h.PID = 0 }), dialog, testCommand),
		"a hook of work":        no(change(func(h *detect.Hook) { h.State = core.Working }), dialog, testCommand),
		"a hook of more":        no(change(func(h *detect.Hook) { h.Command = "" }), dialog, testCommand),
		"another on the screen": no(&plain, dialogOfCommand("rm -rf /", testDescription), testCommand),
		"more on the screen":    no(&plain, dialogOfCommand(testCommand, testDescription, " rm x"), testCommand),
		"a warning":             no(&plain, dialogOfCommand(testCommand, testDescription, " Unsafe"), testCommand),
		"cut on the screen":     no(&plain, dialogOfCommand("go test …", testDescription), "go test *"),
		"operators": no(change(func(h *detect.Hook) { h.Command = "go test; rm x" }),
			dialogOfCommand("go test; rm x", testDescription), "go test *"),
		"a look-alike": no(change(func(h *detect.Hook) { h.Command = "gо test ./..." }),
			dialogOfCommand("gо test ./...", testDescription), "go test *"),
		"a second line": no(change(func(h *detect.Hook) { h.Command = "go test ./...\nrm x" }),
			dialogOfCommand("go test ./...", testDescription, " rm x"), "go test *"),
		"a dialog within words": no(change(func(h *detect.Hook) { h.Command = "rm -rf /" }),
			dialogOfCommand("rm -rf /", "go test ./... Do you want to proceed?"), testCommand),
	} {
		t.Run(name, func(t *testing.T) {
			a := asksToRun(test.hook, test.dialog)
			synctest.Test(t, func(t *testing.T) {
				a.Listing.Panes[0].Tags[engine.TagRules] = panetag.EncodeRules([]core.Rule{{
					ID: "r", Allow: test.allow, Most: 2, Uses: test.uses,
					Until: time.Now().Add(time.Minute + test.ends),
				}})
				journal := &fleettest.Journal{}
				f := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, nil), Journal: journal})
				_, err := f.Answer(t.Context(), byRule())
				if !test.yes {
					if !errors.Is(err, ErrNoRule) || len(a.pressed) > 0 || a.rules()[0].Uses != test.uses {
						t.Errorf("%v; pressed %q", err, a.pressed)
					}
					return
				}
				rule := a.rules()[0]
				if err != nil || !slices.Equal(a.pressed, []string{"1"}) || rule.Uses != 1 || rule.Ran != testCommand {
					t.Errorf("%v; pressed %q; %+v", err, a.pressed, rule)
				}
				if given := journal.Decisions; len(given) != 1 || given[0].Origin != core.OriginRule ||
					given[0].Text != test.allow || given[0].Act != core.ActApprove {
					t.Errorf("on record: %+v", given)
				}
			})
		})
	}
}

func byRule() AnswerRequest {
	return AnswerRequest{
		Target: resolve.Target{Session: "api.1"}, Act: core.ActApprove, ByRule: true, Expect: core.ReasonApproval,
		Origin: core.OriginRule,
	}
}

// Of two dialogs in a row, the second is another request: the hook of the first does not speak for it.
func TestARuleAnswersOneDialog(t *testing.T) {
	hook := hooked(testCommand, testDescription)
	a := asksToRun(&hook, dialogOfCommand(testCommand, testDescription), dialogOfCommand("rm -rf /", testDescription))
	synctest.Test(t, func(t *testing.T) {
		a.Listing.Panes[0].Tags[engine.TagRules] = panetag.EncodeRules([]core.Rule{
			{ID: "r", Allow: "go test *", Most: 9, Until: time.Now().Add(time.Hour)},
		})
		f := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, nil)})
		answers, err := f.Answer(t.Context(), byRule())
		if err != nil || answers[0].Resolved || len(a.pressed) != 1 {
			t.Fatalf("%+v, %v; pressed %q", answers, err, a.pressed)
		}
		if _, err := f.Answer(t.Context(), byRule()); !errors.Is(err, ErrNoRule) || len(a.pressed) != 1 {
			t.Errorf("%v; pressed %q", err, a.pressed)
		}
	})
}

func TestRulesAreMadeListedAndEnded(t *testing.T) {
	a, journal := asksToRun(nil), &fleettest.Journal{}
	f := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, nil), Journal: journal})
	at := resolve.Target{Session: "api"}
	rule := func(request RuleRequest) []core.Rule {
		request.Target = at
		ruled, err := f.Rule(t.Context(), request)
		if err != nil || len(ruled) != 1 {
			t.Fatalf("%+v, %v", ruled, err)
		}
		return ruled[0].Rules
	}
	if _, err := f.Rule(t.Context(), RuleRequest{Target: at, Allow: "go test; rm x"}); err == nil {
		t.Error("a rule with an operator was made")
	}
	if planned := rule(RuleRequest{Allow: testCommand, For: time.Hour, Times: 3, DryRun: true}); len(planned) != 1 ||
		len(a.rules()) != 0 {
		t.Errorf("a dry run: %+v, %+v", planned, a.rules())
	}
	made := rule(RuleRequest{Allow: testCommand, For: time.Hour, Times: 3})
	if len(a.rules()) != 1 || a.rules()[0].Most != 3 || a.rules()[0].Allow != testCommand {
		t.Errorf("%+v", a.rules())
	}
	if _, err := f.Rule(t.Context(), RuleRequest{Target: at, Revoke: "x"}); !core.AsError(err).HasCode(core.NotFound) {
		t.Errorf("another id: %v", err)
	}
	if left := rule(RuleRequest{Revoke: made[0].ID}); len(left) != 0 || len(a.rules()) != 0 {
		t.Errorf("%+v", a.rules())
	}
	var acts []core.Act
	for _, given := range journal.Decisions {
		acts = append(acts, given.Act)
	}
	if !slices.Equal(acts, []core.Act{core.ActAllow, core.ActRevoke}) {
		t.Errorf("on record: %v", acts)
	}
}

func TestNoRuleIsMadeThatCouldNeverApprove(t *testing.T) {
	for kind, makes := range map[string]bool{
		"claude": true, "codex": true, "qwen": true, "gemini-acp": true, "gemini": false, "opencode": false,
		"command": false,
	} {
		a := asksToRun(nil)
		a.Listing.Panes[0].Tags[engine.TagKind] = kind
		f := open(t, Options{Engine: a, Kinds: fleettest.Kinds(t, nil), Journal: &fleettest.Journal{}})
		_, err := f.Rule(t.Context(),
			RuleRequest{Target: resolve.Target{Session: "api"}, Allow: testCommand, For: time.Hour, Times: 3})
		if made := len(a.rules()) == 1; made != makes || makes != (err == nil) {
			t.Errorf("%s: %v, %v", kind, made, err)
		}
		if err != nil && !strings.Contains(core.AsError(err).Hint, "claude, codex") {
			t.Errorf("%s: %+v", kind, err)
		}
	}
}

package main

import (
	"slices"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// wholeSessions are the verbs that take no pane's address.
var wholeSessions = []string{"add", "checkpoint", "rename", "save"}

func TestEverySessionVerbKnowsSessionsAndPanes(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	seen := 0
	for _, verb := range catalog.All().Verbs {
		if verb.Scope != registry.Session || verb.Name == "spawn" || verb.Name == "ensemble-spawn" {
			continue
		}
		seen++
		held := promiseOf(t, m, verb)
		right := words(t, verb.Examples()[0])[1:]
		about := func(session string, more ...string) []string {
			return slices.Concat(right[:1], []string{session}, right[2:], more)
		}
		mustRefuse(t, m, held, refusal{"unknown session", about("apj"), core.SessionNotFound})
		flag := append([]string{verb.RobotFlag() + "=apj"}, right[2:]...)
		mustRefuse(t, m, held, refusal{"unknown session by flag", flag, core.SessionNotFound})
		if near := mustAsk(t, ".suggestions[0]", m.call(flag...)); near != "api" {
			t.Errorf("%q suggests %s", flag, near)
		}
		session, _, _ := strings.Cut(right[1], ".")
		code := core.PaneNotFound
		if slices.Contains(wholeSessions, verb.Name) {
			code = core.SessionNotFound
		}
		mustRefuse(t, m, held, refusal{"unknown pane", about("api.9"), code})
		for _, flag := range []string{"panes", "pane"} {
			if verb.Field(flag) != nil {
				mustRefuse(t, m, held,
					refusal{"unknown pane by flag", about(session, "--"+flag+"=9"), core.PaneNotFound})
			}
		}
		if verb.Field("type") != nil {
			mustRefuse(t, m, held, refusal{"unknown agent kind", about(session, "--type=cladue"), core.AgentNotFound})
		}
	}
	if seen < 8 {
		t.Errorf("only %d verbs are about sessions", seen)
	}
	mustBeUnchanged(t, m)
}

// mustBeUnchanged fails if the refused calls changed the sessions.
func mustBeUnchanged(t *testing.T, m *machine) {
	t.Helper()
	if sessions := mustAsk(t, `.sessions | map("\(.name) \(.pane_count)") | join(",")`,
		m.call("status")); sessions != "api 2,web 2" {
		t.Errorf("what was refused changed the sessions: %s", sessions)
	}
}

func TestEverySessionFlagKnowsTheNearSession(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	seen := 0
	for _, verb := range catalog.All().Verbs {
		// A ceiling may be set before its session is there, and a run that failed is on
		// record. That of an agent inside a story is none of the terminal server. The pane of kind-record is its second
		// argument, and needed.
		if verb.Field("session") == nil || verb.ForPrograms ||
			slices.Contains([]string{"budget-set", "pipeline-run", "kind-record"}, verb.Name) {
			continue
		}
		seen++
		args := []string{}
		for _, word := range words(t, verb.Examples()[0])[1:] {
			if !strings.HasPrefix(word, "--session=") {
				args = append(args, word)
			}
		}
		args = append(args, "--session=apj")
		mustRefuse(t, m, promiseOf(t, m, verb), refusal{"unknown session", args, core.SessionNotFound})
		if near := mustAsk(t, ".suggestions[0]", m.call(append([]string{"--json"}, args...)...)); near != "api" {
			t.Errorf("%q suggests %s", args, near)
		}
	}
	if seen < 20 {
		t.Errorf("only %d verbs take a session by flag", seen)
	}
	mustBeUnchanged(t, m)
}

// unasked are the verbs that destroy and ask no consent: a person who calls them said all that there is to say.
var unasked = []string{"budget-set", "config-edit", "config-init", "config-set"}

func TestDestructiveVerbsNeedConsent(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	seen := 0
	for _, verb := range catalog.All().Verbs {
		asks := registry.AsksConsent(verb)
		if verb.Effect == registry.Destroys && asks == slices.Contains(unasked, verb.Name) {
			t.Errorf("%s destroys, and asks for consent: %v", verb.Name, asks)
		}
		if !asks || verb.Scope != registry.Session {
			continue
		}
		seen++
		args := slices.DeleteFunc(words(t, verb.Examples()[0])[1:],
			func(word string) bool { return word == "--yes" || word == "--force" || word == "--dry-run" })
		mustRefuse(t, m, promiseOf(t, m, verb), refusal{"no consent", args, core.MissingRequired})
	}
	if seen < 3 {
		t.Errorf("only %d verbs ask for consent", seen)
	}
	mustBeUnchanged(t, m)
}

func TestContradictoryFlagsAreRefused(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, line := range []string{
		"send api x --wait --no-enter", "send api --msg=a --msg-file=b", "send api x --palette=y",
		"send api --msg-file=b --palette=y", "broadcast x --msg=y", "broadcast x --wait --no-enter",
		"answer api --approve --deny", "answer api --choose=1 --text=x", "bead-list --dir=. --session=api",
		"budget-set day --usd=1 --tokens=2", "budget-set day --usd=1 --session=api",
		"budget-set day --usd=1 --since=1h", "config-set alerts.idle 1h --unset", "pipeline-run a.toml --resume=x",
		"pipeline-run --resume=x --dry-run", "pipeline-run --resume=x --session=api",
		"pipeline-run --resume=x --vars=a=b", "dismiss-alert a --id=b", "rename api web --to=web", "demo --keep --stop",
		"status --human --json", "status --human --errors=stderr", "--human --robot-status",
		"status --robot-terse --robot-format=toon", "status --robot-markdown --robot-terse",
		"status --pretty --robot-format=toon", "status --jq=. --go-template=x", "status --jq=. --robot-format=terse",
		"status --progress=stdout --robot-format=toon", "--robot-status --robot-version", "status --robot-version",
	} {
		got := m.call(append([]string{"--exit-codes=detailed"}, strings.Fields(line)...)...)
		failure := got
		if strings.Contains(line, "--errors=stderr") {
			failure.stdout = got.stderr
		}
		if strings.Contains(line, "--human") || strings.Contains(line, "=toon") || strings.Contains(line, "terse") ||
			strings.Contains(line, "markdown") {
			if got.status != 2 || !strings.Contains(got.stdout+got.stderr, "contradict") {
				t.Errorf("%s: %+v", line, got)
			}
			continue
		}
		if facts := mustAsk(t,
			`[.error_code, .details.parse_code, (.details | (.flags // .verbs) | length)] | join(" ")`,
			failure); facts != "INVALID_FLAG ARGUMENT_CONFLICT 2" || got.status != 2 {
			t.Errorf("%s: %s with status %d", line, facts, got.status)
		}
	}
}

func TestMissingArgumentsAreNamed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, line := range []string{
		"send api", "broadcast", "budget-set day", "config-set alerts.idle", "add api", "pipeline-run", "dismiss-alert",
		"replay", "explain --screen=x", "explain --title=x", "adopt", "keys api", "rename api", "bead-create",
		"dcg-check", "tail",
	} {
		got := m.call(strings.Fields(line)...)
		if facts := mustAsk(t, `"\(.error_code) \(.details.missing | length > 0)"`,
			got); facts != "MISSING_REQUIRED true" || got.status != 1 {
			t.Errorf("%s: %s with status %d", line, facts, got.status)
		}
	}
}

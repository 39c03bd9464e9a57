package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"cupola/core/verb/catalog"
	"cupola/core/verb/registry"
)

// suggested holds the next commands in an answer.
type suggested struct {
	NextActions []struct {
		Action, Description, Command string
	} `json:"next_actions"`
	Actions []string `json:"actions"`
}

func suggestions(t *testing.T, doc string) (lines []string) {
	t.Helper()
	var s suggested
	if err := json.Unmarshal([]byte(doc), &s); err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	for _, next := range s.NextActions {
		if next.Action == "" || next.Description == "" {
			t.Errorf("%+v does not say what it is for", next)
		}
		lines = append(lines, next.Command)
	}
	return append(lines, s.Actions...)
}

// TestEverySuggestedCommandParses asks every verb that only reads, and some
// that refuse, on a fleet in which one agent waits, and follows what they suggest:
// each command parses, and names what is there.
func TestEverySuggestedCommandParses(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	for _, args := range [][]string{
		{"spawn", "mixed", "--agents=scripted=2", "--wait-ready"},
		{"send", "mixed.1", "approve tool touch m1"},
		{"wait", "mixed.1", "--for=waiting", "--timeout=20s"},
	} {
		if got := m.call(args...); got.status != 0 {
			t.Fatalf("cupola %q: %+v", args, got)
		}
	}
	asked := [][]string{
		{"spawn", "bare"},
		{"add", "mixed", "--agents=scripted=1", "--dry-run"},
		{"answer", "mixed.2", "--approve"},
		{"answer", "mixed.1"},
		{"answer", "mixed.1", "--dry-run"},
		{"answer", "mixed.1", "--approve", "--showing=rm"},
		{"send", "web", "hello", "--type=claude"},
		{"send", "mixed.1", "hello"},
		{"wait", "mixed", "--timeout=10s"},
		{"attention", "--session=mixed"},
		{"wait", "mixed", "--for=waiting,idle", "--timeout=10s"},
		{"diagnose", "mixed"},
		{"health", "mixed"},
		{"agent-health", "mixed"},
		{"send", "mixed.2", "say done", "--wait", "--timeout=20s"},
		{"send", "mixed.2", "say done"},
		{"broadcast", "say hello", "--filter=a*"},
		{"tail", "ap"},
		{"tail", "api.7"},
		{"watch", "--since=1h"},
		{"reply", "web"},
		{"ack", "mixed.2"},
	}
	for _, verb := range catalog.All().Verbs {
		if verb.Effect != registry.Reads || verb.Streams {
			continue
		}
		for _, example := range verb.Examples() {
			asked = append(asked, words(t, example)[1:])
		}
	}
	followed := map[string]bool{}
	for _, args := range asked {
		got := m.call(append([]string{"--robot-format=json"}, args...)...)
		for _, line := range suggestions(t, got.stdout) {
			if followed[line] {
				continue
			}
			followed[line] = true
			mustParse(t, strings.Join(args, " "), line)
			leads(m, strings.Join(args, " "), verbFirst(words(t, line))[1:])
		}
	}
	for _, line := range []string{
		"cupola answer mixed.1 --dry-run", "cupola answer mixed.1 --approve --expect=approval --showing='touch m1'",
		"cupola answer mixed.1 --deny --expect=approval --showing='touch m1'",
		"cupola answer mixed.1 --choose=2 --expect=approval --showing='touch m1'", "cupola wait mixed --timeout=10s",
		"cupola reply mixed.2", "cupola send bare.0 pwd",
	} {
		if !followed[line] {
			t.Errorf("no answer suggests %s, but %s", line, keys(followed))
		}
	}
}

func keys(set map[string]bool) (list []string) {
	for key := range set {
		list = append(list, key)
	}
	return list
}

// nowhere are the codes of commands that lead nowhere.
var nowhere = []string{
	"SESSION_NOT_FOUND", "PANE_NOT_FOUND", "AGENT_NOT_FOUND", "NOT_FOUND", "INVALID_FLAG", "INVALID_INPUT",
	"MISSING_REQUIRED", "UNKNOWN_FLAG", "UNKNOWN_COMMAND", "AMBIGUOUS",
}

// leads runs a suggested command as far as it does nothing: what only reads, but
// does not wait, and what can be rehearsed.
func leads(m *machine, where string, args []string) {
	m.t.Helper()
	verb := catalog.All().Find(args[0])
	if verb == nil || verb.Streams || slices.Contains(args, "--help") {
		return
	}
	switch {
	case verb.Effect == registry.Reads:
		waits := func(arg string) bool { return strings.HasPrefix(arg, "--timeout") }
		if verb.Field("timeout") != nil && !slices.ContainsFunc(args, waits) {
			args = append(args, "--timeout=1ms")
		}
	case verb.Field("dry-run") != nil:
		args = append(args, "--dry-run")
	default:
		return
	}
	got := m.callWith("what a caller would write\n", append([]string{"--robot-format=json"}, args...)...)
	var doc struct {
		Code  string `json:"error_code"`
		Error string `json:"error"`
	}
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil {
		m.t.Errorf("%s suggests %q: %v\n%s", where, args, err, got.stdout)
	}
	for _, code := range append(nowhere, "NOT_READY") {
		if doc.Code == code && (code != "NOT_READY" || verb.Name == "answer") {
			m.t.Errorf("%s suggests %q, which leads nowhere: %s", where, args, doc.Error)
		}
	}
}

package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/system/shell/shelltest"
)

// entry holds the fields of answers about entries of hosts.
type entry struct {
	State, Hint, Error   string
	Code                 string                      `json:"error_code"`
	Hints                struct{ Warnings []string } `json:"_agent_hints"`
	Next                 []struct{ Command string }  `json:"next_actions"`
	Hosts                []struct{ Host, State string }
	Host, Diff           string
	Others               []struct{ Host, State string }
	Suggestions, Actions []string
}

// entryOf runs a verb of hosts, and reads its answer.
func (m *machine) entryOf(args ...string) (found entry) {
	m.t.Helper()
	got := m.call(append([]string{"--robot-format=json"}, args...)...)
	if err := json.Unmarshal([]byte(got.stdout), &found); err != nil {
		m.t.Fatalf("%q: %v in %+v", args, err, got)
	}
	return found
}

// A host that does not answer is added with a warning and what to do next, and has one state in all answers.
func TestAHostThatIsDownIsAddedWithAWarning(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1")
	for _, args := range [][]string{{"hosts-add", "dead7"}, {"hosts-disable", "dead7"}, {"hosts-enable", "dead7"}} {
		got := m.entryOf(args...)
		command, state, warned := "cupola hosts-check dead7", "down", "host dead7 is down: "
		if args[0] == "hosts-disable" {
			command, state, warned = "cupola hosts-enable dead7", "disabled", ""
		}
		if got.Error != "" || got.State != state || len(got.Next) == 0 || got.Next[0].Command != command {
			t.Errorf("%q: %+v", args, got)
		}
		said := strings.Join(got.Hints.Warnings, "\n")
		if !strings.HasPrefix(said, warned) || (said == "") != (warned == "") {
			t.Errorf("%q warns %q", args, said)
		}
	}
	got := m.entryOf("hosts-check", "dead7")
	if got.Code != "NETWORK_ERROR" || !strings.Contains(got.Error, "is down") {
		t.Errorf("checked: %+v", got)
	}
	for _, args := range [][]string{{"hosts"}, {"status", "--host=all"}, {"attention", "--host=all"}} {
		got := m.entryOf(args...)
		last := got.Hosts[0]
		for _, h := range got.Hosts {
			if h.Host == "dead7" {
				last = h
			}
		}
		if last.Host != "dead7" || last.State != "down" {
			t.Errorf("%q: %+v", args, got.Hosts)
		}
		said := strings.Join(got.Hints.Warnings, "")
		if args[0] != "hosts" && !strings.Contains(said, "dead7 is down: ") {
			t.Errorf("%q warns %q", args, said)
		}
	}
	if got := m.entryOf("hosts-add", "gpu1"); len(got.Hints.Warnings) > 0 || got.State != "up" {
		t.Errorf("a host that answers: %+v", got)
	}
}

// Hosts are disabled, enabled and forgotten by a pattern, in one change of the settings.
func TestEntriesOfAPatternAreChangedTogether(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("gpu1", "gpu2", "web")
	states := func() (all string) {
		for _, h := range m.entryOf("hosts").Hosts {
			all += h.Host + " " + h.State + "\n"
		}
		return all
	}
	for _, c := range []struct{ verb, pattern, state, after string }{
		{"hosts-disable", "gpu*", "disabled", "gpu1 disabled\ngpu2 disabled\nweb up\n"},
		{"hosts-enable", "*2", "up", "gpu1 disabled\ngpu2 up\nweb up\n"},
		{"hosts-enable", "gpu*", "up", "gpu1 up\ngpu2 up\nweb up\n"},
		{"hosts-remove", "gpu*", "", "web up\n"},
	} {
		before := states()
		if dry := m.entryOf(c.verb, c.pattern, "--dry-run"); dry.Error != "" || dry.Diff == "" || states() != before {
			t.Errorf("%s %s as a dry run: %+v", c.verb, c.pattern, dry)
		}
		got := m.entryOf(c.verb, c.pattern)
		if got.Error != "" || got.State != c.state {
			t.Errorf("%s %s: %+v", c.verb, c.pattern, got)
		}
		if c.pattern == "gpu*" && (got.Host != "gpu1" || len(got.Others) != 1 || got.Others[0].Host != "gpu2" ||
			got.Others[0].State != c.state) {
			t.Errorf("%s %s names %+v", c.verb, c.pattern, got)
		}
		if after := states(); after != c.after {
			t.Errorf("after %s %s: %s", c.verb, c.pattern, after)
		}
	}
	for _, verb := range []string{"hosts-disable", "hosts-enable", "hosts-remove"} {
		got := m.entryOf(verb, "wab*")
		if got.Code != "NOT_FOUND" || len(got.Actions) == 0 ||
			!strings.HasSuffix(got.Actions[0], " "+verb+" web --dry-run") {
			t.Errorf("a near miss of %s: %+v", verb, got)
		}
	}
}

// A key that may only read says where more is allowed, and offers no check of this machine.
func TestAKeyThatMayOnlyReadSaysWhereMoreIsAllowed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.addHosts("ro")
	program := filepath.Join(m.tmux.Dir, "hosts", "ro", "reads")
	if err := shelltest.WriteProgram(program, []byte("#!/bin/sh\nexec cupola \"$@\" --read-only\n")); err != nil {
		t.Fatal(err)
	}
	if got := m.entryOf("hosts-add", "ro", "--program=~/reads", "--force"); got.State != "up" {
		t.Fatalf("%+v", got)
	}
	for _, args := range [][]string{
		{"spawn", "ro/api", "--agents=scripted=1"}, {"kill", "ro/api", "--yes"}, {"send", "ro/api", "hello"},
	} {
		got := m.entryOf(args...)
		if got.Code != "PERMISSION_DENIED" || !strings.Contains(got.Hint, "authorized_keys") || len(got.Actions) > 0 {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

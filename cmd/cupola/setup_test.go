package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/system/shell/shelltest"
)

// withClaude is a machine on which one agent is installed.
func withClaude(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t)
	bin := filepath.Join(m.tmux.Dir, "agents")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := shelltest.WriteProgram(filepath.Join(bin, "claude"), []byte("#!/bin/sh\necho 2.1.0\n")); err != nil {
		t.Fatal(err)
	}
	m.putFirst(bin)
	return m
}

func TestSetupAsksForEachStepOnATerminal(t *testing.T) {
	t.Parallel()
	cancelled, _ := core.Cancelled.Row()
	questions := []string{
		"┃ Write a new settings file", "┃ Make claude the default backend of relays",
		"┃ Ask the default backend of relays to say hello",
	}
	for _, test := range []struct {
		name          string
		keys          []string
		status        int
		hooks, config bool
	}{
		{"yes to all", []string{"y", "y", "y", "n"}, 0, true, true},
		{"the defaults leave other programs alone", []string{"\r", "\r", "n", "n"}, 0, false, true},
		{"no to all", []string{"n", "n", "n", "n"}, 0, false, false},
		{"interrupt", []string{"\x03"}, cancelled.Exit, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := withClaude(t)
			x := onTerminal(t, m.command(m.program, "setup"))
			x.waitFor("Install hooks into Claude Code")
			for i, key := range test.keys {
				x.write(key)
				if i+1 < len(test.keys) {
					x.waitFor(questions[i]) // the next question has the focus
				}
			}
			if got := x.end(); got.status != test.status {
				t.Errorf("status %d, not %d\n%q", got.status, test.status, got.stdout)
			}
			for file, want := range map[string]bool{
				".claude/settings.json":      test.hooks,
				".config/cupola/config.toml": test.config,
			} {
				if _, err := os.Stat(filepath.Join(m.home, file)); (err == nil) != want {
					t.Errorf("%s is there: %v, wanted %v", file, err == nil, want)
				}
			}
		})
	}
}

func TestSetupNeverAsksPrograms(t *testing.T) {
	t.Parallel()
	m := withClaude(t)
	listed := m.cupola("setup")
	if open := mustAsk(t, `.steps | map(select(.ours) | [.step, .state] | join("=")) | join(" ")`,
		listed); open != "hooks-claude=open config=open relay=open relay-test=optional service=optional" {
		t.Errorf("the open steps are %s", open)
	}
	if entries, err := os.ReadDir(m.home); err != nil || len(entries) > 0 {
		t.Errorf("listing made %v, %v", entries, err)
	}
	for _, next := range strings.Fields(mustAsk(t, `.next_actions | map(.action) | join(" ")`, listed)) {
		if next == "spawn" {
			continue
		}
		if got := m.cupola("setup", "--steps="+next, "--yes"); got.status != 0 || mustAsk(t, ".done", got) != "1" {
			t.Errorf("%s: %+v", next, got)
		}
	}
	again := m.cupola("setup", "--yes")
	if rest := mustAsk(t, "[.ready, .open, .done] | tostring", again); rest != "[true,0,0]" {
		t.Errorf("doing it again: %s", rest)
	}
	wrong := m.cupola("setup", "--steps=confg")
	if near := mustAsk(t, "[.error_code, .suggestions[0]] | join(\" \")", wrong); near != "INVALID_INPUT config" {
		t.Errorf("a step that is none: %s", near)
	}
}

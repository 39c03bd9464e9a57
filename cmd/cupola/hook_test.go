package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
)

// turnEnded is the hook event of Claude Code at the end of a turn.
const turnEnded = `{"hook_event_name":"Stop","session_id":"s1","background_tasks":[]}`

// hooked has an agent's hook report, which must be silent and end well. It is run by an
// orphan: a hook looks for its pane in its parent processes, and would report to the one in
// which the tests run.
func (m *machine) hooked(payload string, env []string, args ...string) {
	m.t.Helper()
	in, out := filepath.Join(m.tmux.Dir, "payload"), filepath.Join(m.tmux.Dir, "answer")
	if err := os.WriteFile(in, []byte(payload), 0o600); err != nil {
		m.t.Fatal(err)
	}
	held, release, err := os.Pipe()
	if err != nil {
		m.t.Fatal(err)
	}
	defer held.Close()
	defer release.Close()
	const script = `(read _ <&3; cat payload 2>/dev/null | "$@" >said 2>&1; echo $? >>said; mv said answer) &`
	cmd := m.command("/bin/sh", append([]string{"-c", script, "sh", m.program, "hook"}, args...)...)
	cmd.Env = append(cmd.Env, env...)
	cmd.ExtraFiles = []*os.File{held}
	if err := cmd.Run(); err != nil {
		m.t.Fatal(err)
	}
	release.Close()
	enginetest.Eventually(m.t, testTimeout, func() bool { _, err := os.Stat(out); return err == nil },
		func() string { return fmt.Sprintf("hook %q of %.80q goes on", args, payload) })
	if got, err := os.ReadFile(out); err != nil || string(got) != "0\n" {
		m.t.Errorf("hook %q of %.80q left %q, %v", args, payload, got, err)
	}
	if err := os.Remove(out); err != nil {
		m.t.Fatal(err)
	}
}

// mustReport has an agent's hook report until the pane's edge holds all texts: a hook
// that comes too slowly gives its report up.
func mustReport(m *machine, pane, payload string, env, args []string, texts ...string) {
	m.t.Helper()
	edge := ""
	enginetest.Eventually(m.t, testTimeout, func() bool {
		m.hooked(payload, env, args...)
		edge = m.edge(pane)
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(edge, text) })
	}, func() string { return fmt.Sprintf("the edge of %s is %q, without one of %q", pane, edge, texts) })
}

// edge is the option that a hook left on a pane.
func (m *machine) edge(pane string) string {
	m.t.Helper()
	return m.tmux.Run("show-options", "-p", "-q", "-v", "-t", pane, "@cupola_hook")
}

func TestHookTagsPaneOfItsEnvironment(t *testing.T) {
	m := newMachine(t)
	m.tmux.Start()
	m.tmux.Run("split-window", "-t", "first", "--", "sleep", "100000")
	in := []string{"TMUX=" + m.tmux.Socket + ",1,0", "TMUX_PANE=%1"}
	mustReport(m, "%1", turnEnded, in, []string{"claude", "--installed"}, "Stop", "idle", "s1")
	mustReport(m, "%1", "", in, []string{"cod", `{"type":"agent-turn-complete","thread-id":"t7"}`},
		"agent-turn-complete", "t7")
	before := m.edge("%1")
	m.hooked(`{"hook_event_name":"SubagentStop","agent_id":"a"}`, in, "claude")
	if edge := m.edge("%1"); edge != before {
		t.Errorf("what changes nothing left %q", edge)
	}
	// A session that reported before is found without an environment.
	mustReport(m, "%1", strings.Replace(turnEnded, "s1", "t7", 1), []string{"TMUX=", "TMUX_PANE="}, []string{"claude"},
		"Stop")
	if edge := m.edge("%0"); edge != "" {
		t.Errorf("the other pane has %q", edge)
	}
}

func TestHookFindsPaneByProcess(t *testing.T) {
	m := newMachine(t)
	m.tmux.Start()
	// The agent itself has no environment either; only what started it does. It reports
	// again and again, for a hook that comes too slowly gives its report up.
	script := "while printf '%s' '" + turnEnded + "' | env -i " + m.program + " hook claude; do sleep 1; done"
	m.tmux.Run("new-session", "-d", "-s", "second", "--", "sh", "-c", "env -i sh -c \"$0\" & wait", script)
	pane := m.tmux.Run("display-message", "-p", "-t", "second", "#{pane_id}")
	enginetest.Eventually(t, testTimeout, func() bool { return strings.Contains(m.edge(pane), "Stop") },
		func() string { return "no edge came" })
}

func TestHookNeverPrintsNorFails(t *testing.T) {
	m := newMachine(t)
	dead := []string{"TMUX=" + filepath.Join(m.tmux.Dir, "nobody") + ",1,0", "TMUX_PANE=%9"}
	for _, args := range [][]string{
		{},
		{"claude"},
		{"nobody"},
		{"claude", "--no-such-flag"},
		{"--help"},
		{"-h"},
		{"--robot"},
		{"--json", "claude"},
		{"command"},
		{"claude", "{"},
	} {
		for _, payload := range []string{
			"", "{", "null", turnEnded, strings.Repeat("x", 2<<20),
			`{"hook_event_name":"Stop","x":"` + strings.Repeat("x", 2<<20) + `"}`,
		} {
			m.hooked(payload, nil, args...)
			m.hooked(payload, dead, args...)
		}
	}
	if err := os.MkdirAll(filepath.Join(m.home, ".config", "cupola", "agents"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"config.toml", "agents/claude.toml"} {
		if err := os.WriteFile(filepath.Join(m.home, ".config", "cupola", file), []byte("= broken"),
			0o600); err != nil {
			t.Fatal(err)
		}
		m.hooked(turnEnded, dead, "claude")
		m.hooked(turnEnded, []string{"TMUX="}, "claude")
	}
}

func TestHookEndsWithoutInputOrKeeper(t *testing.T) {
	m := newMachine(t)
	// A server that was stopped takes connections and never answers.
	m.tmux.Start()
	pid := m.tmux.Run("display-message", "-p", "#{pid}")
	m.signal(pid, "-STOP")
	defer m.signal(pid, "-CONT")
	m.hooked(turnEnded, []string{"TMUX=" + m.tmux.Socket + "," + pid + ",0", "TMUX_PANE=%0"}, "claude")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	defer read.Close()
	cmd := m.command(m.program, "hook", "claude")
	cmd.Stdin = read
	if got := m.run(cmd); got != (answer{}) {
		t.Errorf("without a word on standard input: %+v", got)
	}
}

func (m *machine) signal(pid, signal string) {
	m.t.Helper()
	if _, err := strconv.Atoi(pid); err != nil {
		m.t.Fatal(err)
	}
	if got := m.run(m.command("kill", signal, pid)); got.status != 0 {
		m.t.Fatalf("%+v", got)
	}
}

func TestHooksAreInstalledAndRemoved(t *testing.T) {
	m := newMachine(t)
	file := filepath.Join(m.home, ".claude", "settings.json")
	const mine = "{\n\t\"model\": \"opus\" // the best\n}\n"
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(mine), 0o600); err != nil {
		t.Fatal(err)
	}
	text := func() string {
		t.Helper()
		got, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(got)
	}
	refused := m.cupola("plugin", "install", "claude")
	if code := mustAsk(t, ".error_code", refused); code != "MISSING_REQUIRED" || text() != mine {
		t.Errorf("without consent: %+v", refused)
	}
	looked := m.cupola("plugin", "install", "claude", "--dry-run")
	if diff := mustAsk(t, ".diff", looked); !strings.Contains(diff, "+\t\t\"Stop\": [") || text() != mine {
		t.Errorf("a dry run shows %s", diff)
	}
	installed := m.cupola("plugin-install", "cc", "--yes")
	if state := mustAsk(t, ".state", installed); state != "installed" || mustAsk(t, ".changed", installed) != "true" {
		t.Errorf("%+v", installed)
	}
	quoted, err := json.Marshal(m.program + " hook claude --installed")
	if err != nil || !strings.Contains(text(), string(quoted)) {
		t.Errorf("%s is not in\n%s", quoted, text())
	}
	if state := mustAsk(t, `.plugins[] | select(.agent == "claude") | .state`,
		m.cupola("plugin", "status")); state != "installed" {
		t.Errorf("the status is %s", state)
	}
	m.must("plugin", "remove", "claude", "-y")
	if text() != mine {
		t.Errorf("left\n%s", text())
	}
	if code := mustAsk(t, ".error_code", m.cupola("plugin", "install", "clude")); code != "AGENT_NOT_FOUND" {
		t.Errorf("the code is %s", code)
	}
}

func (m *machine) must(args ...string) {
	m.t.Helper()
	if got := m.cupola(args...); got.status != 0 {
		m.t.Fatalf("%q: %+v", args, got)
	}
}

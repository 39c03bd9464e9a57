package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
)

// newMixedMachine is a machine with a fleet that has a pane of each sort: api has a shell, an agent, an ended agent and
// a command; far, which others made, has an agent of no known kind; web has a shell and a command.
func newMixedMachine(t *testing.T) *machine {
	t.Helper()
	m := newFleetMachine(t)
	m.must("add", "api", "--cmd=exec cat")
	m.tmux.Run("new-session", "-d", "-s", "far", "sleep 1000")
	m.must("adopt", "far.0", "--kind=generic")
	m.mustKill(m.tmux.Run("display-message", "-p", "-t", "=api:scr_2", "#{pane_pid}"))
	enginetest.Eventually(t, testTimeout, func() bool {
		return strings.Contains(m.call("--robot-terse").stdout, " exited=1 ")
	}, func() string { return m.call("status").stdout })
	return m
}

// panesOf are the addresses of the panes in an answer, be it a success or not, that have a field.
func panesOf(t *testing.T, a answer, field string) string {
	t.Helper()
	all := strings.Fields(mustAsk(t, fmt.Sprintf(`[.. | objects | select(has(%q) and has("ordinal"))`+
		` | "\(.session).\(.ordinal)"] | unique | join(" ")`, field), a))
	slices.Sort(all)
	return strings.Join(all, " ")
}

// TestWhatIsCountedIsAddressed goes over the verbs that act on agents, wait for them or count them.
func TestWhatIsCountedIsAddressed(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	m := newMixedMachine(t)
	status := m.call("status")
	agents := panesOf(t, m.call("status"), "agent")
	if agents != "api.1 api.2 api.3 far.0 web.1" {
		t.Fatalf("the fleet is %s", agents)
	}
	const everywhere, inAPI = "api.1 api.2 far.0", "api.1 api.2"
	if got := mustAsk(t, `"\(.summary.agent_count) " + ([.sessions[] | "\(.name) \(.agent_count)"] | join(", "))`,
		status); got != "3 api 2, far 1, web 0" {
		t.Errorf("status counts %s", got)
	}
	if got := m.call("--robot-terse").stdout; !strings.Contains(got, " agents=3 ") {
		t.Errorf("terse counts %s", got)
	}
	for _, c := range []struct {
		field, want string
		args        []string
	}{
		{"outcome", everywhere, []string{"broadcast", "hi", "--dry-run"}},
		{"outcome", inAPI, []string{"send", "api", "hi", "--dry-run"}},
		{"outcome", inAPI, []string{"broadcast", "hi", "--filter=api", "--dry-run"}},
		{"reached", inAPI, []string{"wait", "api", "--timeout=2s"}},
		{"reached", everywhere, []string{"wait", "--timeout=2s"}},
		{"recommendation", inAPI, []string{"is-working", "api"}},
		{"state", inAPI, []string{"activity", "api"}},
		{"health", inAPI, []string{"agent-health", "api"}},
		{"ordinal", inAPI, []string{"smart-restart", "api", "--dry-run"}},
		{"ordinal", inAPI, []string{"restart-pane", "api", "--all", "--dry-run"}},
		{"ordinal", inAPI, []string{"interrupt", "api", "--dry-run"}},
		{"ordinal", inAPI, []string{"label", "api", "review", "--dry-run"}},
		{"outcome", "api.3", []string{"send", "api.3", "hi", "--dry-run"}},
		{"outcome", "api.3", []string{"send", "api", "hi", "--panes=cmd_1", "--dry-run"}},
		{"outcome", "api.0 api.1 api.2 api.3", []string{"send", "api", "hi", "--all", "--dry-run"}},
	} {
		if got := panesOf(t, m.call(c.args...), c.field); got != c.want {
			t.Errorf("%q reaches %s; want %s", c.args, got, c.want)
		}
	}
	for _, args := range [][]string{
		{"send", "web", "hi", "--dry-run"},
		{"wait", "web", "--timeout=1s"},
		{"interrupt", "web"},
		{"smart-restart", "web", "--dry-run"},
		{"label", "web", "x", "--dry-run"},
		{"is-working", "web"},
	} {
		if got := m.call(args...); mustAsk(t, ".error_code", got) != "AGENT_NOT_FOUND" ||
			!strings.Contains(got.stdout, "web.1") {
			t.Errorf("%q, where only a command runs: %s", args, got.stdout)
		}
	}
	requests := strings.Join([]string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},` +
			`"clientInfo":{"name":"test","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"cupola_send",` +
			`"arguments":{"session":"api","msg":"hi","dry-run":true}}}`, "",
	}, "\n")
	serves := m.command(m.program, "mcp", "--allow=writes")
	serves.Stdin = strings.NewReader(requests)
	got := m.run(serves).stdout
	for _, pane := range []string{`\"ordinal\":1`, `\"ordinal\":2`} {
		if !strings.Contains(got, pane) {
			t.Errorf("MCP reaches %s", got)
		}
	}
	if strings.Contains(got, `\"ordinal\":3`) || strings.Contains(got, `\"ordinal\":0`) {
		t.Errorf("MCP reaches a command or a shell: %s", got)
	}
}

// TestTheCommandsOfREADMERunAsPrinted runs the daily commands one right after the other, and those of robot mode before
// the last of them ends the session.
func TestTheCommandsOfREADMERunAsPrinted(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	daily, robot := commandsOf(t, "## Commands for every day"), commandsOf(t, "## Robot mode")
	last := len(daily) - 1
	for _, line := range slices.Concat(daily[:last], robot, daily[last:]) {
		if got := m.cupola(words(t, line)[1:]...); got.status != 0 {
			t.Errorf("%s: %+v", line, got)
		}
	}
	if len(daily) < 10 || len(robot) < 7 || !strings.HasPrefix(daily[last], "cupola kill ") {
		t.Errorf("ran %q and %q", daily, robot)
	}
}

// commandsOf returns the commands of README below a heading, without their comments.
func commandsOf(t *testing.T, heading string) (lines []string) {
	t.Helper()
	file, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(file), heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if line, is := strings.CutPrefix(line, "    cupola"); is {
			line, _, _ = strings.Cut(line, " #")
			lines = append(lines, "cupola"+strings.TrimRight(line, " \n"))
		}
	}
	return lines
}

// TestASessionThatTakesANameIsNotKilledForAnother: a program beside Cupola makes a session in tmux with the name of one
// on Cupola's own server, and later another one takes the place of that.
func TestASessionThatTakesANameIsNotKilledForAnother(t *testing.T) {
	t.Parallel()
	enginetest.NeedsTmux(t)
	m := newMachine(t)
	m.must("spawn", "hj", "--engine=own", "--agents=scripted=1", "--wait-ready")
	m.tmux.Run("new-session", "-d", "-s", "hj", "sleep 1000")
	for _, args := range [][]string{
		{"kill", "hj", "--yes"},
		{"kill", "hj.1", "--yes"},
		{"send", "hj.1", "x"},
		{"send", "hj", "x"},
		{"tail", "hj"},
		{"interrupt", "hj.1"},
		{"attach", "hj"},
		{"rename", "hj", "other"},
		{"label", "hj.1", "x"},
		{"restart-pane", "hj.1"},
		{"keys", "hj.1", "Enter"},
		{"checkpoint", "hj"},
		{"adopt", "hj.0", "--kind=generic"},
		{"add", "hj", "--cmd=cat"},
		{"save", "hj"},
		{"answer", "hj.1", "--deny"},
	} {
		if got := m.call(args...); mustAsk(t, ".error_code", got) != "AMBIGUOUS" ||
			!strings.Contains(got.stdout, "own:hj") || !strings.Contains(got.stdout, "tmux:hj") {
			t.Errorf("%q: %s", args, got.stdout)
		}
	}
	if got := mustAsk(t, `[.sessions[].name] | join(" ")`, m.call("status")); got != "own:hj tmux:hj" {
		t.Errorf("the sessions are %s", got)
	}
	m.must("send", "own:hj.1", "say hello", "--wait", "--timeout=1m")
	identity := mustAsk(t, `.sessions[] | select(.engine == "tmux") | "\(.id)@\(.created_at | fromdate)"`,
		m.call("status"))
	m.tmux.Run("kill-session", "-t", "=hj")
	m.must("send", "hj.1", "say again", "--wait", "--timeout=1m")
	m.must("kill", "own:hj", "--yes")
	m.tmux.Run("new-session", "-d", "-s", "hj", "sleep 1000")
	if got := m.call("kill", identity, "--yes"); mustAsk(t, ".error_code", got) != "SESSION_NOT_FOUND" {
		t.Errorf("an earlier session was meant: %s", got.stdout)
	}
	m.must("kill", "tmux:hj", "--yes")
}

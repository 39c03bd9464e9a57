//go:build agents

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/system/shell/shelltest"
)

// crewKinds are the kinds that take part, in the order of their numbers in scripts.
var crewKinds = []string{"claude", "codex", "gemini", "opencode", "qwen"}

// crewMachine is a machine on which members of crews are real agents that say what a script gives.
type crewMachine struct {
	*machine
	// folder holds the fake model and its script, calls the file with the agents' command lines.
	folder, calls string
}

func newCrewMachine(t *testing.T) *crewMachine { return newModelMachine(t, "testdata/crew/mock.py") }

// newModelMachine is a machine with real agents whose model a script extends.
func newModelMachine(t *testing.T, extension string) *crewMachine {
	t.Helper()
	script, err := os.ReadFile(extension)
	if err != nil {
		t.Fatal(err)
	}
	c := &crewMachine{folder: fleettest.Extended(t, string(script))}
	c.machine, c.calls = newMachine(t), filepath.Join(c.folder, "calls")
	harness := fleettest.Real(t)
	c.more = append(c.more, harness.Environ(t, c.folder, crewKinds...)...)
	c.more = append(c.more, "PATH="+c.noted(harness.Path(t))+":"+variable(c.tmux.Environ, "PATH"),
		"REAL_AGENTS_PASS=OPENCODE_PERMISSION")
	t.Cleanup(func() { c.noAgentLeft() })
	return c
}

// noted makes programs that note how they were called, and then are the agents.
func (c *crewMachine) noted(agents string) string {
	bin := filepath.Join(c.folder, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		c.t.Fatal(err)
	}
	for _, kind := range crewKinds {
		text := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$$ %s $PWD $* $OPENCODE_PERMISSION\" >>%s\nexec %s "+
			"\"$@\"\n", kind, c.calls,
			filepath.Join(agents, kind))
		if err := shelltest.WriteProgram(filepath.Join(bin, kind), []byte(text)); err != nil {
			c.t.Fatal(err)
		}
	}
	return bin
}

// noAgentLeft sees that no process has a home of an agent.
func (c *crewMachine) noAgentLeft() {
	c.t.Helper()
	var left []string
	enginetest.Eventually(c.t, testTimeout, func() bool {
		left = nil
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			environ, err := os.ReadFile(path)
			if err == nil && bytes.Contains(environ, []byte("\x00HOME="+c.folder)) {
				command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
				left = append(left, string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
			}
		}
		return len(left) == 0
	}, func() string { return fmt.Sprintf("left are %q", left) })
}

// crewResult is the part of a crew's result that a test reads.
type crewResult struct {
	ID, State, Reason string
	Turn              int
	CostUSD           float64 `json:"cost_usd"`
	Agents            []struct {
		Name, Backend, Status string
		Code                  string  `json:"error_code"`
		CostUSD               float64 `json:"cost_usd"`
		Turns                 int     `json:"turn_count"`
	}
	Outcome []struct{ From, Text string }
	status  int
	events  []string
	// took is how long the whole call took.
	took time.Duration
}

// crewOf runs a crew whose members are named a.one, b.two and so on, and say what is given for
// them; a member is "kind answer" with further answers behind it.
func (c *crewMachine) crewOf(t *testing.T, says [][]string, flags ...string) *crewResult {
	t.Helper()
	names := []string{"a.one", "b.two", "c.three", "d.four", "e.five"}
	script, agents := map[string][]string{}, ""
	for i, one := range says {
		script[names[i]] = one[1:]
		agents += "," + names[i] + ":" + one[0]
	}
	text, err := json.Marshal(script)
	if err == nil {
		err = os.WriteFile(filepath.Join(c.folder, "crew.json"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"--robot-format=json", "crew", "run", "--agents=" + agents[1:], "--prompt=Talk"}, flags...)
	cmd := c.command(c.program, args...)
	out := &bytes.Buffer{}
	cmd.Stdout, cmd.Stderr = out, out
	began := time.Now()
	err = cmd.Run()
	result := &crewResult{took: time.Since(began), status: cmd.ProcessState.ExitCode()}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	id, _ := c.crewState()
	got := c.cupola("--robot-format=json", "crew", "show", id)
	if err := json.Unmarshal([]byte(got.stdout), result); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, got.stdout)
	}
	result.events = c.in(t).crewSaid(id)
	t.Logf("%s: %s, %s in turn %d after %s, $%.4f, exit %d", result.ID, result.State, result.Reason, result.Turn,
		result.took.Round(time.Second/10), result.CostUSD, result.status)
	return result
}

// wants sees how a crew ended, and that there are events like those given.
func (r *crewResult) wants(t *testing.T, reason string, turn, status int, events ...string) {
	t.Helper()
	if r.Reason != reason || r.Turn != turn || r.status != status {
		t.Errorf("it ended as %s in turn %d with status %d, want %s, %d, %d", r.Reason, r.Turn, r.status, reason,
			turn, status)
	}
	for _, event := range events {
		if !slices.ContainsFunc(r.events, func(line string) bool { return strings.HasPrefix(line, event) }) {
			t.Errorf("no event begins with %s", event)
		}
	}
	if t.Failed() {
		t.Logf("%+v\n%.4000s", r.Agents, strings.Join(r.events, "\n"))
	}
}

// ended matches the events of turns that are over.
var ended = regexp.MustCompile(`^\d+ (message|note) `)

func TestCrewsOfRealAgents(t *testing.T) {
	c := newCrewMachine(t)
	t.Run("all talk until nothing is left to say", func(t *testing.T) {
		r := c.crewOf(t, [][]string{
			{"claude", "I ask.\n@all: who is there?", "@user: all are here"},
			{"codex", "ready", "@a.one: codex\n@a.oen: lost", "I see."},
			{"gemini", "ready", "```\n@ONE: gemini"},
			{"opencode", "ready", "@four: note to me\n@a: opencode", "@user: I noted it"},
			{"qwen", "> @a.one: a quote\n\n```\n@a.one: code\n```", "@a.one: qwen"},
		})
		r.wants(t, "converged", 2, 0, `0 message a.one all "who is there?"`, `1 message b.two a.one "codex\n@a.oen: lost"`,
			`1 message c.three a.one "gemini"`, `1 message d.four d.four "note to me"`, `1 message d.four a.one "opencode"`,
			`1 message e.five a.one "qwen"`, `1 guardrail b.two  "no agent is named \"a.oen\"" unknown_name`,
			`1 message crew b.two "No member of this crew`, `2 message a.one user "all are here"`,
			`2 message d.four user "I noted it"`)
		if said := slices.DeleteFunc(slices.Clone(r.events),
			func(e string) bool { return !ended.MatchString(e) }); len(said) > 20 {
			t.Errorf("the record is\n%s", strings.Join(said, "\n"))
		}
	})
	t.Run("an endless ping-pong", func(t *testing.T) {
		c.crewOf(t, [][]string{{"claude", "@b.two: and {n}?"}, {"codex", "ready", "@a.one: and {n}?"}}).wants(t,
			"ping_pong", 6, 0, `6 guardrail   "a.one and b.two talked to each other alone for 6 turns" ping_pong`)
	})
	t.Run("too many turns", func(t *testing.T) {
		c.crewOf(t, [][]string{{"gemini", "@b.two: and {n}?"}, {"opencode", "ready", "@a.one: and {n}?"}},
			"--max-turns=2").wants(t, "max_turns", 2, 0, `2 guardrail   "2 turns are over; messages that wait: 1" max_turns`)
	})
	t.Run("no progress", func(t *testing.T) {
		c.crewOf(t, [][]string{{"claude", "@all: I am here"}, {"codex", "@all: me too"}}).wants(t, "no_progress", 2, 0,
			`2 guardrail   "nobody said anything new for 2 turns" no_progress`)
	})
	t.Run("too expensive", func(t *testing.T) {
		r := c.crewOf(t, [][]string{{"claude", "TOKENS 100000 @b.two: and {n}?"}, {"claude", "@a.one: and {n}?"}},
			"--max-cost=0.05")
		r.wants(t, "cost", r.Turn, 0)
		if r.CostUSD < 0.05 || r.Turn > 3 {
			t.Errorf("it cost $%v", r.CostUSD)
		}
	})
	t.Run("a message of a megabyte", func(t *testing.T) {
		r := c.crewOf(t, [][]string{{"codex", "REPEAT 1048576 @b.two: "}, {"claude", "ready", "@user: I read it"}})
		r.wants(t, "converged", 1, 0, `1 guardrail a.one b.two "a message of 1048576 bytes was cut to 50000" message_size`,
			`1 message b.two user "I read it"`)
	})
	t.Run("its time is over within a turn", func(t *testing.T) {
		r := c.crewOf(t, [][]string{{"claude", "STALL 100 x"}, {"gemini", "STALL 100 x"}}, "--timeout=10s")
		r.wants(t, "timeout", 0, 0)
		if r.took > 15*time.Second {
			t.Errorf("it took %s", r.took)
		}
	})
}

func TestRealAgentsOfACrewDie(t *testing.T) {
	c := newCrewMachine(t)
	t.Run("by errors of their models", func(t *testing.T) {
		r := c.crewOf(t, [][]string{
			{"claude", "@all: who is there?", "@b.two: still?", "@user: I am alone"},
			{"codex", "ready", "ERROR 500"},
			{"gemini", "ready", "ERROR 429"},
			{"opencode", "ready", "ERROR 401"},
			{"codex", "@a.one: I am", "@a.one: still"},
		}, "--turn-timeout=2m")
		r.wants(t, "converged", r.Turn, 0, "1 error b.two", "1 error c.three", "1 error d.four",
			`1 message crew a.one "b.two failed`)
		for _, agent := range r.Agents {
			t.Logf("%s %s %s %s", agent.Name, agent.Backend, agent.Status, agent.Code)
		}
	})
	t.Run("by a signal", func(t *testing.T) {
		go c.killCall(t, "codex")
		c.crewOf(t, [][]string{{"codex", "STALL 80 x"}, {
			"claude", "@a.one: are you there?",
			"@user: it is gone",
		}}).wants(t,
			"converged", 1, 0, "0 error a.one", `0 message crew b.two "a.one failed`, `1 message b.two user "it is gone"`)
	})
	t.Run("all", func(t *testing.T) {
		r := c.crewOf(t, [][]string{{"claude", "ERROR 401"}, {"codex", "ERROR 401"}, {"opencode", "ERROR 401"}})
		r.wants(t, "all_dead", 0, 1, "0 error a.one", "0 error b.two", "0 error c.three")
		if r.State != "failed" {
			t.Errorf("it is %s", r.State)
		}
	})
}

// killCall kills the next agent of a kind once it works.
func (c *crewMachine) killCall(t *testing.T, kind string) {
	seen := len(c.callsOf(kind))
	for range 400 {
		if calls := c.callsOf(kind); len(calls) > seen {
			pid, _ := strconv.Atoi(strings.Fields(calls[len(calls)-1])[0])
			<-time.After(3 * time.Second)
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Errorf("kill %d: %v", pid, err)
			}
			return
		}
		<-time.After(50 * time.Millisecond)
	}
	t.Errorf("no %s was called", kind)
}

// callsOf are the calls of a kind until now, each with the process, the kind, the directory and the
// arguments.
func (c *crewMachine) callsOf(kind string) []string {
	text, _ := os.ReadFile(c.calls)
	var calls []string
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[1] == kind {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	return calls
}

// TestRealAgentsAreLaunchedAlikeInEveryTurn looks at the command lines: what a member may do, its
// model and its directory are said again in every turn.
func TestRealAgentsAreLaunchedAlikeInEveryTurn(t *testing.T) {
	c := newCrewMachine(t)
	dir := filepath.Join(c.tmux.Dir, "repo")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	says := [][]string{
		{"claude:mock-a", "@all: {n}", "@all: {n}", "@user: done"},
		{"codex:mock-b", "ready", "@one: {n}", "{n}"},
		{"gemini:mock-c", "ready", "{n}"},
		{"opencode:mock/mock-model", "ready", "{n}"},
	}
	r := c.crewOf(t, says, "--repo="+dir, "--sandbox=workspace-write")
	for i, kind := range crewKinds[:4] {
		calls := c.callsOf(kind)
		if len(calls) != r.Agents[i].Turns || len(calls) < 2 {
			t.Errorf("%s was called %d times, and answered %d times", kind, len(calls), r.Agents[i].Turns)
		}
		_, model, _ := strings.Cut(says[i][0], ":")
		sandbox := map[string]string{
			"claude": "--permission-mode acceptEdits", "codex": `sandbox_mode="workspace-write"`,
			"gemini": "--approval-mode auto_edit", "opencode": `"bash":"deny"`,
		}[kind]
		for turn, call := range calls {
			t.Logf("turn %d: %s", turn, call)
			words := strings.Fields(call)
			if words[2] != dir || !strings.Contains(call, model) || !strings.Contains(call, sandbox) {
				t.Errorf("%s was called in turn %d as %s", kind, turn, call)
			}
		}
	}
}

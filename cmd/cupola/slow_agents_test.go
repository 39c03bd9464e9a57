//go:build agents

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet/fleettest"
	"cupola/core/system/process"
)

// TestRealAgentsOnASlowMachineAreWaitedFor gives agents a tenth of a processor, and
// sends them prompts: a wait must not end before the prompt was answered. CUPOLA_TRIES
// says how many times, 10 if it does not; CUPOLA_KINDS which kinds.
func TestRealAgentsOnASlowMachineAreWaitedFor(t *testing.T) {
	tries, err := strconv.Atoi(cmp.Or(os.Getenv("CUPOLA_TRIES"), "10"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range strings.Split(cmp.Or(os.Getenv("CUPOLA_KINDS"), "claude,codex,gemini,opencode,copilot,qwen"),
		",") {
		t.Run(kind, func(t *testing.T) {
			m := &slowAgent{withReal(t, kind), fleettest.Real(t)}
			startReal(t, m.machine, kind)
			pid := m.listed(core.PaneID(m.replied(t).Pane)).Process.PID
			slow := slowed(t, pid)
			for i := range tries {
				slow(i%2 == 0 || i%5 == 1)
				m.answered(t, i)
			}
		})
	}
}

// slowAgent is a machine with one agent.
type slowAgent struct {
	*machine
	harness *fleettest.Harness
}

// answered sends a prompt and waits, half of the time in one command.
func (m *slowAgent) answered(t *testing.T, i int) {
	t.Helper()
	mark := fleettest.Token()
	prompt := []string{"hello ", "slow 1 ", "think 1 "}[i%3] + mark
	began := time.Now()
	waited := func() answer {
		if i%4 == 3 {
			return m.cupola("send", "real.1", prompt, "--wait", "--timeout", "55")
		}
		if sent := m.cupola("send", "real.1", prompt); sent.status != 0 {
			return sent
		}
		return m.cupola("wait", "real.1", "--timeout", "55")
	}()
	got := m.harness.Received(t, mark)
	if waited.status != 0 || len(got) != 1 {
		t.Errorf("%d: after %v the model has %q: %s%s\n%s", i, time.Since(began), got, waited.stdout, waited.stderr,
			m.cupola("tail", "real.1", "--human").stdout)
	}
	first := m.replied(t)
	for until := time.Now().Add(2 * time.Second); time.Now().Before(until) && !t.Failed(); {
		if later := m.replied(t); later != first || later.Text == "" {
			t.Errorf("%d: after the wait of %v the reply was %+v, then %+v", i, time.Since(began), first, later)
		}
	}
	t.Logf("%d: %s in %v", i, prompt, time.Since(began).Round(100*time.Millisecond))
}

// replyShown is the last reply, and what the agent does.
type replyShown struct {
	Pane  string `json:"pane"`
	Text  string `json:"text"`
	State string `json:"state"`
}

func (m *slowAgent) replied(t *testing.T) replyShown {
	t.Helper()
	var decoded struct{ Replies []replyShown }
	answer := m.cupola("reply", "real.1", "--json")
	if err := json.Unmarshal([]byte(answer.stdout), &decoded); err != nil || len(decoded.Replies) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	return decoded.Replies[0]
}

// groups is the folder of the kernel's groups of programs that share processors.
const groups = "/sys/fs/cgroup/cpu"

// share is how much of each 100 ms a slowed program may use a processor, in µs.
var share = 10_000

// slowed returns a switch that leaves a program and its children a tenth of a processor.
func slowed(t *testing.T, pid int) func(slow bool) {
	t.Helper()
	group := filepath.Join(groups, fmt.Sprintf("cupola-test-%d", pid))
	err := os.Mkdir(group, 0o700)
	if err != nil {
		t.Skipf("needs the right to make cgroups: %v", err)
	}
	move := func(group string, report func(error)) {
		for _, p := range process.Tree(pid) {
			if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(p.PID)), 0); err != nil {
				report(err)
			}
		}
	}
	t.Cleanup(func() {
		move(groups, func(error) {})
		if err := os.Remove(group); err != nil {
			t.Log(err)
		}
	})
	move(group, func(err error) { t.Fatal(err) })
	return func(slow bool) {
		quota := -1
		if slow {
			quota = share
		}
		if err := os.WriteFile(filepath.Join(group, "cpu.cfs_quota_us"), []byte(fmt.Sprint(quota)), 0); err != nil {
			t.Fatal(err)
		}
	}
}

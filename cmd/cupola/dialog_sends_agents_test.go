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
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// sendsAround is how many prompts are sent around each dialog: before, in the moment between
// a hook's word of it and its drawing, and while it is open.
const sendsAround = 10

// TestRealAgentsApproveNothingThatIsSent has agents ask for approval, and sends prompts all
// the while. None may approve, and each must become what its outcome says. CUPOLA_SENDS says
// how many are sent to each kind, with hooks and without; CUPOLA_KINDS to which kinds.
func TestRealAgentsApproveNothingThatIsSent(t *testing.T) {
	sends, err := strconv.Atoi(cmp.Or(os.Getenv("CUPOLA_SENDS"), "20"))
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range strings.Split(cmp.Or(os.Getenv("CUPOLA_KINDS"), "claude,codex,gemini,opencode,copilot,qwen"),
		",") {
		for _, hooks := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, hooks %t", kind, hooks), func(t *testing.T) {
				m := withReal(t, kind)
				if hooks && m.cupola("plugin", "install", kind, "--yes").status != 0 {
					t.Skip("no hooks can be installed into it")
				}
				startReal(t, m, kind)
				s := &dialogAgent{machine: m, harness: fleettest.Real(t), kind: kind, tally: map[string]int{}}
				for i := range max(1, sends/2/sendsAround) {
					s.round(t, []string{"", "slow 2 "}[i%2])
				}
				t.Logf("%s, hooks %t: %v", kind, hooks, s.tally)
			})
		}
	}
}

// dialogAgent is an agent that gets prompts while its dialog is open.
type dialogAgent struct {
	*machine
	harness *fleettest.Harness
	kind    string
	// tally counts the outcomes.
	tally map[string]int
}

// round has the agent ask once, at once or after it has talked for a while, so that prompts
// are queued before.
func (s *dialogAgent) round(t *testing.T, before string) {
	t.Helper()
	made := filepath.Join(s.tmux.Dir, "work", fleettest.Token())
	s.must("send", "real.1", before+"tool-bash `touch "+made+"`")
	outcomes := map[string]string{}
	for range sendsAround {
		mark := fleettest.Token()
		outcomes[mark] = s.outcome(t, "hello "+mark)
	}
	if _, err := os.Stat(made); err == nil {
		t.Fatalf("the command was approved: %v\n%s", outcomes, s.screen())
	}
	s.rest(t)
	if _, err := os.Stat(made); err == nil {
		t.Errorf("the command was approved after all: %v", outcomes)
	}
	for mark, outcome := range outcomes {
		s.tally[outcome]++
		got := len(s.harness.Received(t, mark))
		switch core.Outcome(outcome) {
		case core.Refused:
			if got != 0 {
				t.Errorf("a refused prompt was received %d times", got)
			}
		case core.Delivered, core.Queued, core.Steered:
			// A rejection ends OpenCode's turn, and what was queued behind goes along with the
			// next prompt; others put several that were queued into one.
			if got != 1 && (s.kind != "opencode" || got != 0) && !s.mentions(mark) {
				t.Errorf("a prompt that was %s was received %d times\n%s", outcome, got, s.screen())
			}
		}
	}
}

// outcome sends a prompt, and returns what became of it.
func (s *dialogAgent) outcome(t *testing.T, text string) string {
	t.Helper()
	answer := s.cupola("send", "real.1", text, "--timeout", "2", "--json")
	decoded := struct {
		Deliveries []struct{ Outcome string }
		Details    struct {
			Deliveries []struct{ Outcome string }
		}
	}{}
	if err := json.Unmarshal([]byte(answer.stdout), &decoded); err != nil ||
		len(decoded.Deliveries)+len(decoded.Details.Deliveries) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	return append(decoded.Deliveries, decoded.Details.Deliveries...)[0].Outcome
}

// rest denies until the agent is idle, and wants no prompt to be on its way any more.
func (s *dialogAgent) rest(t *testing.T) {
	t.Helper()
	enginetest.Eventually(t, 90*time.Second, func() bool {
		waited := s.cupola("wait", "real.1", "--timeout", "30")
		if strings.Contains(waited.stdout, `"state":"waiting"`) {
			s.cupola("answer", "real.1", "--deny")
		}
		return waited.status == 0
	}, s.screen)
}

// mentions reports whether the conversation shows a prompt.
func (s *dialogAgent) mentions(mark string) bool {
	return strings.Contains(s.cupola("tail", "real.1", "--lines", "300").stdout, mark)
}

func (s *dialogAgent) screen() string { return s.cupola("tail", "real.1", "--human").stdout }

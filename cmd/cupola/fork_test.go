package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core"
)

// prompted puts a prompt on record that the user typed into an agent of a machine with recorders.
func (m *machine) prompted(session, text string) {
	m.t.Helper()
	paths, err := filepath.Glob(filepath.Join(m.home, ".claude", "projects", "*", session+".jsonl"))
	if err != nil || len(paths) != 1 {
		m.t.Fatalf("records of %s: %q, %v", session, paths, err)
	}
	file, err := os.OpenFile(paths[0], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		m.t.Fatal(err)
	}
	defer file.Close()
	fmt.Fprintf(file, `{"type":"user","sessionId":%q,"timestamp":%q,"message":{"role":"user","content":%q}}`+"\n",
		session, time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), text)
}

// TestAForkIsInAConversationOfItsOwn forks a conversation whose prompts are then in two records, and the fork again:
// each agent is found in its own, in whichever order they write next.
func TestAForkIsInAConversationOfItsOwn(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"tmux", "own"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			m := recorders(t)
			m.must("spawn", "api", "--engine="+engine, "--agents=cc=1", "--no-user-pane")
			ids := m.conversations("api", 1, "new")
			m.must("add", "api", "--fork=api.1")
			ids["cc_2"] = m.conversations("api", 1, "forked")["cc_2"]
			own := func(when string) {
				t.Helper()
				for i := 1; i <= len(ids); i++ {
					got := m.answer(".panes[0].session_id", "restart", fmt.Sprintf("api.%d", i), "--dry-run")
					if want := ids[fmt.Sprintf("cc_%d", i)]; strings.TrimSpace(got) != want || want == "" {
						t.Errorf("%s: the conversation of api.%d is %q, not %q", when, i, got, want)
					}
				}
			}
			own("forked")
			m.prompted(ids["cc_1"], "go on there")
			own("the first was asked")
			m.prompted(ids["cc_2"], "go on here")
			own("the fork was asked")
			m.must("add", "api", "--fork=api.2")
			ids["cc_3"] = m.conversations("api", 2, "forked")["cc_3"]
			own("the fork was forked")
			if launch := m.answer(".panes[1].command", "add", "api", "--fork=api.2", "--dry-run"); launch != "null" {
				t.Errorf("a fork is more than one pane: %s", launch)
			}
			m.must("kill", "api", "--yes")
		})
	}
}

// TestAForkThatCannotBeIsRefused names the kinds that can, and what contradicts a fork.
func TestAForkThatCannotBeIsRefused(t *testing.T) {
	t.Parallel()
	m := recorders(t)
	m.must("spawn", "api", "--agents=scripted=1", "--wait-ready")
	said := m.cupola("add", "api", "--fork=api.1", "--json")
	for _, kind := range []string{"claude", "codex", "opencode"} {
		if !strings.Contains(said.stdout+said.stderr, kind) {
			t.Errorf("%s is not named: %s%s", kind, said.stdout, said.stderr)
		}
	}
	for want, args := range map[core.Code][]string{
		core.NotImplemented:  {"--fork=api.1"},
		core.AgentNotFound:   {"--fork=api.0"},
		core.PaneNotFound:    {"--fork=api.9"},
		core.SessionNotFound: {"--fork=nobody"},
		core.InvalidInput:    {"--fork=api"},
		core.InvalidFlag:     {"--fork=api.1", "--agents=cc=1"},
	} {
		if got := m.answerOfError(append([]string{"add", "api"}, args...)...); got != string(want) {
			t.Errorf("%q: %s, not %s", args, got, want)
		}
	}
	for _, flag := range []string{
		"--cmd=sh", "--dir=/", "--worktree", "--base=main", "--model=opus", "--mode=plan", "--by=acp", "--args=-x",
		"--profile=p", "--sandbox=project",
	} {
		if got := m.answerOfError("add", "api", "--fork=api.1", flag); got != string(core.InvalidFlag) {
			t.Errorf("%s: %s", flag, got)
		}
	}
	m.must("kill", "api", "--yes")
}

//go:build agents

package main

import (
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

// TestRealAgentsAreFollowedIntoNewConversations has each kind, without hooks, answer in one conversation and in a new
// one, with sub-agents in between: all that read a conversation must read the present one.
func TestRealAgentsAreFollowedIntoNewConversations(t *testing.T) {
	for kind, fresh := range map[string]string{
		"claude": "/clear", "codex": "/new", "gemini": "/clear", "opencode": "/new", "copilot": "/clear",
		"qwen": "/clear",
	} {
		t.Run(kind, func(t *testing.T) {
			m := withReal(t, kind)
			startReal(t, m, kind)
			m.reads(t, "usage 30000 in the old one", `"tokens":300`)
			m.must("send", "real.1", "tool-agent")
			m.rests(t)
			m.reads(t, "usage 35000 after a sub-agent", `"tokens":350`)
			m.cupola("send", "real.1", fresh, "--command")
			m.rests(t)
			if got := m.cupola("reply", "real.1").stdout; strings.Contains(got, `"complete":true`) {
				t.Errorf("the new conversation has an answer:\n%s", got)
			}
			m.reads(t, "usage 40000 in the new one", `"tokens":400`)
		})
	}
}

// rests answers what the agent asks, and waits until it is idle.
func (m *machine) rests(t *testing.T) {
	t.Helper()
	enginetest.Eventually(t, time.Minute, func() bool {
		if m.cupola("wait", "real.1", "--timeout", "5").status == 0 {
			return true
		}
		m.cupola("answer", "real.1", "--choose", "1")
		return false
	}, func() string { return m.cupola("tail", "real.1", "--human").stdout })
}

// reads sends a prompt, and wants it read by all that read a conversation.
func (m *machine) reads(t *testing.T, prompt, tokens string) {
	t.Helper()
	began := time.Now()
	m.must("send", "real.1", prompt, "--wait")
	t.Logf("%q: %s", prompt, time.Since(began).Round(time.Millisecond))
	reply := m.cupola("reply", "real.1").stdout
	if !strings.Contains(reply, `"complete":true`) || !strings.Contains(reply, `"prompt":"`+prompt) {
		t.Errorf("%q:\n%s", prompt, reply)
	}
	if used := m.cupola("context", "real.1").stdout; !strings.Contains(used, tokens) {
		t.Errorf("%q:\n%s", prompt, used)
	}
	_, session, _ := strings.Cut(reply, `"session_id":"`)
	session, _, _ = strings.Cut(session, `"`)
	plan := m.cupola("restart-pane", "real.1", "--dry-run").stdout
	if session == "" || !strings.Contains(plan, session) {
		t.Errorf("%q: a restart would not take up %q:\n%s", prompt, session, plan)
	}
}

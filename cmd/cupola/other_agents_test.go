//go:build agents

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// TestOtherRealAgentsWork has each of the other kinds live an agent's day: it starts, answers, asks, is interrupted,
// takes a prompt while it works, is restarted with its conversation, begins another one, and leaves nothing.
func TestOtherRealAgentsWork(t *testing.T) {
	for _, kind := range otherKinds {
		t.Run(kind, func(t *testing.T) {
			fleettest.Extended(t, othersTools)
			m, harness := newMachine(t), fleettest.Real(t)
			m.more = append(m.more, "COLORTERM=truecolor")
			m.putFirst(writeOther(t, harness, kind, m.home))
			startReal(t, m, kind)
			o := otherAgent{m, harness, kind}
			o.answers(t, "hello usage 30000")
			o.asks(t)
			o.takesTheNext(t)
			o.isInterrupted(t)
			o.isRestarted(t)
			o.beginsAnew(t)
			m.must("kill", "real", "--yes")
			o.leavesNothing(t)
		})
	}
}

// otherAgent is an agent of Others at real.1.
type otherAgent struct {
	*machine
	harness *fleettest.Harness
	kind    string
}

// recorded reports whether Cupola reads the kind's conversations.
func (o otherAgent) recorded() bool { return o.kind != "cline" }

// shows returns the text of the screen of the agent.
func (o otherAgent) shows() string { return o.cupola("tail", "real.1", "--human").stdout }

// until waits for a state of the agent.
func (o otherAgent) until(t *testing.T, state string) {
	t.Helper()
	enginetest.Eventually(t, time.Minute,
		func() bool { return strings.Contains(o.cupola("status", "real").stdout, `"state":"`+state+`"`) },
		func() string { return "never " + state + "\n" + o.shows() })
}

// answers sends a prompt and wants it answered once, and the reply to be its own.
func (o otherAgent) answers(t *testing.T, prompt string) (session string) {
	t.Helper()
	mark := fleettest.Token()
	prompt += " " + mark
	sent := o.cupola("send", "real.1", prompt, "--wait")
	if strings.Contains(sent.stdout, `"why":"dialog"`) && o.kind == "cline" { // an advertisement came up
		o.must("answer", "real.1", "--deny")
		sent = o.cupola("send", "real.1", prompt, "--wait")
	}
	if sent.status != 0 {
		t.Errorf("%q: %+v\n%s", prompt, sent, o.shows())
	}
	if got := o.harness.Received(t, mark); len(got) != 1 || got[0] != prompt {
		t.Errorf("the model got %q, want %q once", got, prompt)
	}
	reply := o.cupola("reply", "real.1").stdout
	if !o.recorded() {
		return ""
	}
	if !strings.Contains(reply, `"complete":true`) || !strings.Contains(reply, `"prompt":"`+prompt) {
		t.Errorf("%q:\n%s", prompt, reply)
	}
	_, session, _ = strings.Cut(reply, `"session_id":"`)
	session, _, _ = strings.Cut(session, `"`)
	return session
}

// asks has the agent run a command, which kinds that ask must ask for.
func (o otherAgent) asks(t *testing.T) {
	t.Helper()
	made := filepath.Join(o.tmux.Dir, "work", fleettest.Token())
	o.must("send", "real.1", "tool-bash `touch "+made+"`")
	if o.kind != "pi" { // which asks for nothing
		o.until(t, "waiting")
		if _, err := os.Stat(made); err == nil {
			t.Error("it did not ask")
		}
		if sent := o.cupola("send", "real.1", "hello"); !strings.Contains(sent.stdout, `"why":"dialog"`) {
			t.Errorf("a prompt at a dialog: %+v", sent)
		}
		o.must("answer", "real.1", "--approve", "--showing", filepath.Base(made))
	}
	enginetest.Eventually(t, time.Minute, func() bool {
		_, err := os.Stat(made)
		return err == nil
	}, o.shows)
	o.must("wait", "real.1", "--timeout", "60s")
}

// takesTheNext sends a prompt while a turn runs, and wants both answered.
func (o otherAgent) takesTheNext(t *testing.T) {
	t.Helper()
	first, next := fleettest.Token(), fleettest.Token()
	o.must("send", "real.1", "slow 5 "+first)
	o.until(t, "working")
	o.must("send", "real.1", "hello "+next)
	enginetest.Eventually(t, time.Minute, func() bool { return len(o.harness.Received(t, next)) > 0 }, o.shows)
	o.must("wait", "real.1", "--timeout", "60s")
	if got := o.harness.Received(t, next); len(got) != 1 || got[0] != "hello "+next {
		t.Errorf("the model got %q", got)
	}
}

func (o otherAgent) isInterrupted(t *testing.T) {
	t.Helper()
	o.must("send", "real.1", "slow 60 "+fleettest.Token())
	o.until(t, "working")
	began := time.Now()
	o.must("interrupt", "real.1")
	o.until(t, "idle")
	t.Logf("idle %s after an interrupt", time.Since(began).Round(time.Millisecond))
}

// isRestarted restarts the agent, and wants it to resume its conversation if that is recorded.
func (o otherAgent) isRestarted(t *testing.T) {
	t.Helper()
	before := o.answers(t, "hello before")
	o.must("restart-pane", "real.1", "--yes")
	if after := o.answers(t, "hello after"); o.recorded() && (before == "" || after != before) {
		t.Errorf("it went on with %q, not %q", after, before)
	}
}

// beginsAnew has the agent begin another conversation.
func (o otherAgent) beginsAnew(t *testing.T) {
	t.Helper()
	before := o.answers(t, "hello old one")
	o.must("send", "real.1", "/new", "--command")
	o.must("wait", "real.1", "--timeout", "60s")
	if reply := o.cupola("reply", "real.1").stdout; o.recorded() && strings.Contains(reply, `"complete":true`) {
		t.Errorf("the new conversation has an answer:\n%s", reply)
	}
	if after := o.answers(t, "hello new one"); o.recorded() && after == before {
		t.Errorf("it is still %q", after)
	}
}

// leavesNothing wants no process to be left that has the machine's home.
func (o otherAgent) leavesNothing(t *testing.T) {
	t.Helper()
	var left []string
	enginetest.Eventually(t, 20*time.Second, func() bool {
		left = nil
		paths, _ := filepath.Glob("/proc/[0-9]*/environ")
		for _, path := range paths {
			environ, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(environ, []byte("HOME="+o.home+"\x00")) {
				continue
			}
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			if text := string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})); strings.Contains(text, o.kind) {
				left = append(left, text)
			}
		}
		return len(left) == 0
	}, func() string { return fmt.Sprintf("left are %q", left) })
}

//go:build agents

package main

import (
	"slices"
	"strings"
	"testing"

	"cupola/core/fleet/fleettest"
)

// TestRealAgentsFork begins a second conversation where the first is: both know what was said before, and neither gets
// what is said to the other.
func TestRealAgentsFork(t *testing.T) {
	for _, kind := range []string{"claude", "codex", "opencode", "kilo"} {
		t.Run(kind, func(t *testing.T) {
			var m *machine
			if slices.Contains(otherKinds, kind) {
				fleettest.Extended(t, othersTools)
				m = newMachine(t)
				m.more = append(m.more, "COLORTERM=truecolor")
				m.putFirst(writeOther(t, fleettest.Real(t), kind, m.home))
			} else {
				m = withReal(t, kind)
			}
			startReal(t, m, kind)
			before, original, forked := fleettest.Token(), fleettest.Token(), fleettest.Token()
			m.must("send", "real.1", "hello "+before, "--wait", "--timeout=1m")
			m.must("add", "real", "--fork=real.1")
			m.must("wait", "real.2", "--for=idle", "--timeout=1m")
			if screen := m.cupola("tail", "real.2", "--human").stdout; !strings.Contains(screen, before) {
				t.Errorf("it is ready before its conversation is drawn:\n%s", screen)
			}
			m.must("send", "real.2", "hello "+forked, "--wait", "--timeout=1m")
			m.must("send", "real.1", "hello "+original, "--wait", "--timeout=1m")
			for _, pane := range []struct{ address, has, lacks string }{
				{"real.1", original, forked}, {"real.2", forked, original},
			} {
				screen := m.cupola("tail", pane.address, "--human").stdout
				if !strings.Contains(screen, before) || !strings.Contains(screen, pane.has) ||
					strings.Contains(screen, pane.lacks) {
					t.Errorf("%s shows\n%s", pane.address, screen)
				}
				if reply := m.callJSON("reply", pane.address); !strings.Contains(reply, pane.has) {
					t.Errorf("%s replies %s", pane.address, reply)
				}
			}
		})
	}
}

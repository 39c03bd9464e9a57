//go:build agents

package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

func TestRealAgentsSideBySide(t *testing.T) {
	kinds := []string{"claude", "codex", "gemini", "opencode"}
	harness := fleettest.Real(t)
	m := newMachine(t)
	for _, pair := range harness.Environ(t, m.tmux.Dir, kinds...) {
		if !strings.HasPrefix(pair, "PATH=") {
			m.more = append(m.more, pair)
		}
	}
	m.putFirst(harness.Path(t))
	d := newDisplay(t, m, 200, 60).open()
	d.shows("No agents yet.")
	d.keys("n")
	d.shows("New session")
	d.text("real")
	d.keys("Tab")
	d.text("claude=1 codex=1 gemini=1 opencode=1")
	d.keys("C-s")
	d.lacks("New session")
	// Whatever fails, no agent may outlive the test.
	t.Cleanup(func() { m.cupola("kill", "real", "--yes") })

	d.shows("cc_1", "cod_1", "gmi_1", "oc_1")
	d.keys("g")
	for _, seen := range []struct{ address, screen string }{
		{"real.1  cc_1", "? for shortcuts"},
		{"real.2  cod_1", "Ask Codex to do anything"},
		{"real.3  gmi_1", "Type your message"},
		{"real.4  oc_1", "Ask anything"},
	} {
		d.shows(seen.address, seen.screen)
	}
	t.Logf("\n%s", d.screen())

	tokens := make([]string, len(kinds))
	// The tiles are two by two.
	way := [][]string{{"Home"}, {"Right"}, {"Left", "Down"}, {"Right"}}
	for i, kind := range kinds {
		d.keys(way[i]...)
		address := fmt.Sprintf("real.%d", i+1)
		d.until("never framed: "+address, func(screen string) bool {
			_, framed, _ := strings.Cut(screen, "┏")
			framed, _, _ = strings.Cut(framed, "┓")
			return strings.Contains(framed, address)
		})
		d.keys("s")
		d.shows("Send to " + address)
		tokens[i] = fleettest.Token()
		d.text("hello " + tokens[i] + " from " + kind)
		d.keys("C-s")
		d.lacks("Send to")
		d.shows(address + " delivered")
	}
	for i, kind := range kinds {
		var got []string
		want := []string{"hello " + tokens[i] + " from " + kind}
		enginetest.Eventually(t, 40*time.Second, func() bool {
			got = harness.Received(t, tokens[i])
			return slices.Equal(got, want)
		}, func() string { return fmt.Sprintf("%s got %q, not %q\n%s", kind, got, want, d.screen()) })
	}
	t.Logf("\n%s", d.screen())
	d.keys("Escape")
	d.selected("oc_1")
	d.keys("Home", "x")
	d.shows("End real?")
	d.keys("Y")
	d.shows("ended real")
	d.keys("q")
	d.restored()
}

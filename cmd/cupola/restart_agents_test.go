//go:build agents

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
)

// TestRealAgentsRememberOverRestarts has two agents of each kind work in one folder, without
// hooks, gives each a word of its own, and restarts all of them three times and restores
// them once: each must know its own word, and no other.
func TestRealAgentsRememberOverRestarts(t *testing.T) {
	kinds := []string{"claude", "codex", "gemini", "opencode", "copilot", "qwen"}
	if only := os.Getenv("CUPOLA_KINDS"); only != "" {
		kinds = strings.Split(only, ",")
	}
	c := &class{machine: withReal(t, kinds[0])}
	for _, kind := range kinds[1:] {
		c.more = append(c.more, "REAL_AGENTS_HOME_"+strings.ToUpper(kind)+"="+c.home)
	}
	dir := filepath.Join(c.tmux.Dir, "work")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.cupola("kill", "real", "--yes") })
	c.must("spawn", "real", "--dir", dir, "--agents", kinds[0]+"=2", "--wait-ready")
	for _, kind := range kinds[1:] {
		c.must("add", "real", "--dir", dir, "--agents", kind+"=2", "--wait-ready")
	}
	for range 2 * len(kinds) {
		c.words = append(c.words, fleettest.Token())
	}
	for _, kind := range kinds {
		c.must("send", "real", "hello to all of you", "--type", kind, "--wait")
	}
	c.prompt(t, "remember")
	for round := range 3 {
		for _, kind := range kinds {
			c.must("restart-pane", "real", "--type", kind, "--yes")
		}
		c.remember(t, fmt.Sprintf("restart %d", round+1))
		if round != 1 {
			c.prompt(t, fmt.Sprintf("round %d", round))
		}
	}
	c.must("checkpoint", "real", "--name", "all")
	c.must("kill", "real", "--yes")
	c.must("restore", "all")
	c.remember(t, "the restore")
}

// class is a session of agents, each with a word of its own to remember.
type class struct {
	*machine
	words []string
}

func (c *class) at(i int) string { return fmt.Sprintf("real.%d", i+1) }

// prompt sends every agent its word.
func (c *class) prompt(t *testing.T, about string) {
	t.Helper()
	for i, word := range c.words {
		c.must("send", c.at(i), about+" "+word)
	}
	enginetest.Eventually(t, 3*time.Minute,
		func() bool { return c.cupola("wait", "real", "--timeout", "20").status == 0 },
		func() string { return c.cupola("status", "--human").stdout })
}

// remember wants every agent to show its word, and no other's.
func (c *class) remember(t *testing.T, after string) {
	t.Helper()
	for i, own := range c.words {
		shown := ""
		enginetest.Eventually(t, 2*time.Minute, func() bool {
			shown = c.cupola("tail", c.at(i), "--lines", "300", "--human").stdout
			return strings.Contains(shown, own)
		}, func() string { return fmt.Sprintf("%s does not know its word after %s:\n%s", c.at(i), after, shown) })
		for j, other := range c.words {
			if i != j && strings.Contains(shown, other) {
				t.Errorf("%s knows the word of %s after %s", c.at(i), c.at(j), after)
			}
		}
	}
}

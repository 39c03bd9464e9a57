//go:build agents

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/git/gittest"
)

// TestRealAgentsAreWorkedFromTheKeyboard does a day's work with eight agents of four kinds, from the keyboard alone:
// started in worktrees, three are prompted at once, one is approved, one denied in words, one's change is read,
// committed and merged, one that failed is recovered, an old prompt is sent again, the cost is seen, and all end. From
// the inbox
// nothing of that takes more than four keys besides the words.
func TestRealAgentsAreWorkedFromTheKeyboard(t *testing.T) {
	harness := fleettest.Real(t)
	m := newMachine(t)
	for _, pair := range harness.Environ(t, m.tmux.Dir, "claude", "codex", "gemini", "opencode") {
		if !strings.HasPrefix(pair, "PATH=") {
			m.more = append(m.more, pair)
		}
	}
	m.putFirst(harness.Path(t))
	root := filepath.Join(m.tmux.Dir, "api")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	gittest.Run(t, root, nil, "init", "-q", "-b", "main")
	gittest.Run(t, root, nil, "config", "user.name", "Ada")
	gittest.Run(t, root, nil, "config", "user.email", "ada@example.org")
	gittest.Run(t, root, nil, "commit", "-q", "--allow-empty", "-m", "begin")

	d := newDisplay(t, m, 160, 50).open()
	d.keys("n")
	d.shows("New session")
	d.text("api")
	d.keys("Tab")
	d.text("claude=2 codex=2 gemini=3 opencode=1")
	d.keys("Tab", "Space", "Tab", "Tab", "C-u")
	d.text(root)
	d.keys("C-s")
	d.lacks("New session")
	t.Cleanup(func() { m.cupola("kill", "api", "--yes") })
	d.shows("cc_1", "cc_2", "cod_1", "cod_2", "gmi_1", "gmi_2", "gmi_3", "oc_1", "api/oc_1")
	// It is one OpenCode only: of two that start at once with one HOME, one may never draw its screen.
	enginetest.Eventually(t, 2*testTimeout, func() bool { return strings.Contains(d.screen(), "8 idle") }, d.screen)

	d.answersThree()
	d.mergesChange(t, root)

	// One that failed is recovered.
	m.mustKill(m.pidOf(paneID(1)))
	d.keys("3")
	d.shows("killed", "signal 9")
	d.keys("R")
	d.shows("Restart api.1")
	d.keys("Enter")
	d.shows("restarted api.1")
	d.keys("Escape") // with the next key in one read it would be that key with Alt
	d.shows("cod_2")

	// An old prompt is found and sent again.
	d.keys("7")
	d.shows("Sent to all agents", " prompts", "tool-bash")
	d.keys("r")
	d.shows("Send to api.")
	d.keys("C-u")
	d.text("hello again")
	d.keys("C-s")
	d.shows("delivered")
	// What it cost is seen.
	d.keys("6")
	d.shows("Usage of the last 7 days", "by agent", "api")
	d.keys("1", "Home", "x")
	d.shows("End api?")
	d.keys("Y")
	d.shows("ended api")
	d.keys("q")
	d.restored()
}

// answersThree prompts three marked agents, approves one, denies one in words, and approves the last.
func (d *display) answersThree() {
	d.t.Helper()
	// Three marked ones are prompted.
	for _, agent := range []string{"cod_1", "gmi_1", "oc_1"} {
		d.keys(":")
		d.shows("Go to, or do")
		d.text(agent)
		d.keys("Enter", "m")
	}
	d.shows("3 marked")
	d.keys("s")
	d.shows("Send to 3 marked agents")
	d.text("tool-bash")
	d.keys("C-s")
	d.shows("3 waiting")

	// One is approved, one denied in words, and one approved again.
	d.keys("I")
	d.shows("3 need you", "waits: approval", "echo tool-done")
	d.keys("y")
	d.shows("was answered")
	d.shows("2 need you", "waits: approval")
	d.keys("t")
	d.shows("in your own words")
	d.text("not today")
	d.keys("Enter")
	d.shows("1 need you", "waits: approval")
	d.keys("y")
	d.shows("no agent needs you")
	d.keys("Escape")
	d.shows("cod_2")
}

// mergesChange reads what one agent changed, commits and merges it.
func (d *display) mergesChange(t *testing.T, root string) {
	t.Helper()
	// What one changed is read, committed and merged.
	own := filepath.Join(root+"-worktrees", "api", "oc_1")
	if err := os.WriteFile(filepath.Join(own, "notes.md"), []byte("what was found\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.keys("4")
	d.shows("api/oc_1", "notes.md", "+what was found")
	d.keys("C")
	d.shows("Nothing is staged")
	d.text("Notes")
	d.keys("C-s")
	d.shows("committed", "1 ahead")
	d.keys("M")
	d.shows("1 commit of api/oc_1 into main")
	d.keys("y")
	d.shows("merged 1 commit", "into main")
	if _, err := os.Stat(filepath.Join(root, "notes.md")); err != nil {
		t.Error(err)
	}
	d.keys("1")
}

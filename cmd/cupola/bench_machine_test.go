package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

// agents is how many panes hold scripted agents at most; in the others a program sleeps.
const agents = 12

// composer is on the screen of every scripted agent that is ready. Its first letters are
// left out since the cursor is on them.
const composer = "a prompt"

// benchMachine is a machine with many panes: a session of agents, every other one on the
// alternate screen, and sessions of ten that sleep.
type benchMachine struct {
	*machine
	panes  int
	server int        // the tmux server's process
	ttys   []*os.File // the agents', in their order
}

func newBenchMachine(b *testing.B, panes int) *benchMachine {
	b.Helper()
	c := &benchMachine{machine: newMachine(b), panes: panes}
	for i := range min(panes, agents) {
		argv := []string{"--", c.program, "scripted"}
		if i%2 == 0 {
			argv = append(argv, "--full-screen")
		}
		c.pane("agents", i == 0, argv...)
	}
	for i := range max(0, panes-agents) {
		c.pane(fmt.Sprintf("bulk%d", i/10), i%10 == 0, "--", "sleep", "100000")
	}
	c.server, _ = strconv.Atoi(c.tmux.Run("display-message", "-p", "#{pid}"))
	for line := range strings.Lines(c.tmux.Run("list-panes", "-s", "-t", "=agents", "-F", "#{pane_id} #{pane_tty}")) {
		id, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		enginetest.Eventually(b, testTimeout,
			func() bool { return strings.Contains(c.tmux.Run("capture-pane", "-p", "-t", id), composer) }, nil)
		tty, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { tty.Close() })
		c.ttys = append(c.ttys, tty)
	}
	return c
}

// pane starts one in a session, which the first makes.
func (c *benchMachine) pane(session string, first bool, argv ...string) {
	c.t.Helper()
	args := []string{"new-window", "-d", "-t", "=" + session + ":"}
	if first {
		args = []string{"new-session", "-d", "-s", session, "-x", "120", "-y", "40"}
	}
	c.tmux.Run(append(args, argv...)...)
}

// firstWords are words of the first whole frame: the last agent, the last session that has
// room, and what the selected pane shows.
func (c *benchMachine) firstWords() []string {
	words := []string{fmt.Sprintf("scr_%d", min(c.panes, agents)), composer}
	if c.panes > agents {
		words = append(words, "bulk1")
	}
	return words
}

// dashboard is the program on a display.
type dashboard struct {
	*monitor
	pid int
	// appeared is how long it took from its start to the whole frame.
	appeared time.Duration
}

// open starts a dashboard.
func (c *benchMachine) open(b *testing.B) *dashboard {
	b.Helper()
	cmd := c.command(c.program)
	screen, appeared := show(b, cmd, c.firstWords()...)
	return &dashboard{monitor: screen, pid: cmd.Process.Pid, appeared: appeared}
}

// openInTmux starts a dashboard in a pane of another tmux server, whose client
// has the display.
func (c *benchMachine) openInTmux(b *testing.B) *dashboard {
	b.Helper()
	outer := *c.tmux
	outer.Socket = filepath.Join(c.tmux.Dir, "outer")
	bare := filepath.Join(c.tmux.Dir, "outer.conf")
	if err := os.WriteFile(bare, []byte("set -g status off\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(outer.Stop)
	cmd := exec.Command(outer.Binary, "-u", "-f", bare, "-S", outer.Socket, "new-session", "--",
		"env", "-u", "TMUX", "-u", "TMUX_PANE", c.program)
	cmd.Env, cmd.Dir = c.environ(), c.tmux.Dir
	screen, appeared := show(b, cmd, c.firstWords()...)
	pid, _ := strconv.Atoi(outer.Run("display-message", "-p", "#{pane_pid}"))
	return &dashboard{monitor: screen, pid: pid, appeared: appeared}
}

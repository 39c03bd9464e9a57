package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet/fleettest"
	"cupola/core/system/process"
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
	server int // the terminal server's process
	agents []core.PaneID
	ttys   []*os.File // the agents', in their order
}

func newBenchMachine(b *testing.B, panes int) *benchMachine {
	b.Helper()
	c := &benchMachine{machine: newMachine(b), panes: panes}
	e := fleettest.EngineOf(b, c.tmux, "")
	b.Cleanup(func() { _ = e.Close() })
	sessions := map[string]core.SessionID{}
	// start starts one in a session, which the first makes.
	start := func(session string, argv ...string) engine.Location {
		launch := engine.Launch{
			Session: session, Into: sessions[session], Argv: argv, Width: 120, Height: 40, Dir: c.tmux.Dir,
		}
		place, err := e.Create(b.Context(), launch)
		if err != nil {
			b.Fatal(err)
		}
		sessions[session] = place.Session
		return place
	}
	var first engine.Location
	for i := range min(panes, agents) {
		argv := []string{c.program, "scripted"}
		if i%2 == 0 {
			argv = append(argv, "--full-screen")
		}
		place := start("agents", argv...)
		first.PID = cmp.Or(first.PID, place.PID)
		c.agents = append(c.agents, place.Pane)
	}
	for i := range max(0, panes-agents) {
		start(fmt.Sprintf("bulk%d", i/10), "sleep", "100000")
	}
	c.server = parentOf(b, first.PID)
	for _, id := range c.agents {
		enginetest.Eventually(b, testTimeout, func() bool { return strings.Contains(c.screenOf(id), composer) }, nil)
		tty, err := os.OpenFile(c.listed(id).TTY, os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = tty.Close() })
		c.ttys = append(c.ttys, tty)
	}
	return c
}

// parentOf is the process that started another one.
func parentOf(b *testing.B, pid int) int {
	b.Helper()
	found, err := process.Find(pid)
	if err != nil {
		b.Fatal(err)
	}
	return found.Parent
}

// firstWords are words of the first whole frame: the last agent, the last session that has
// room, and what the selected pane shows.
func (c *benchMachine) firstWords() []string {
	words := []string{fmt.Sprintf("scr_%d", min(c.panes, agents)), composer}
	if c.panes > agents {
		words = append(words, "bulk0")
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

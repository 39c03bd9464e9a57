package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core"
	"cupola/core/engine/enginetest"
)

// brakes are the calls that must work whatever is broken, on a session.
func brakes(session string) [][]string {
	return [][]string{
		{"status"},
		{"attention"},
		{"tail", session},
		{"interrupt", session, "--all"},
		{"answer", session + ".1", "--deny"},
		{"kill", session, "--yes"},
	}
}

// breakage breaks something of a machine.
type breakage struct {
	name string
	// path is the broken file, below the home or, with project, the project; text is its content then.
	path, text string
	project    bool
	// make makes it in another way; nil writes the text.
	make func(path string) error
	// env are the variables that differ.
	env []string
	// told is true if the answers must warn of it, ways if it is one of several ways to break the file.
	told, ways bool
}

const (
	ownFolder  = ".config/cupola/"
	dataFolder = ".local/share/cupola"
)

func fifo(path string) error   { return syscall.Mkfifo(path, 0o600) }
func folder(path string) error { return os.Mkdir(path, 0o700) }

// breakages are all that can be broken, one each.
func breakages() []breakage {
	all := []breakage{
		{name: "no HOME", env: []string{"HOME="}},
		{name: "a home that cannot be written", env: []string{"HOME=/proc/1/fd"}},
		{name: "no such runtime folder", env: []string{"XDG_RUNTIME_DIR=/nonexistent/run"}},
		{name: "a relative runtime folder", env: []string{"XDG_RUNTIME_DIR=run"}},
		{name: "a wrong variable", env: []string{"CUPOLA_ENGINE_TRANSPORT=pigeon"}, told: true},
		{
			name: "a project that sets a socket", project: true, path: ".cupola.toml", text: "engine.socket = \"/x\"\n",
			told: true,
		},
		{name: "a store that is none", path: dataFolder + "/cupola.db", text: strings.Repeat("no store\n", 9999)},
		{name: "a store that is a folder", path: dataFolder + "/cupola.db", make: folder},
		{name: "a store that is a FIFO", path: dataFolder + "/cupola.db", make: fifo},
		{name: "a data folder that is a file", path: ".local/share", text: "x"},
		{name: "a state folder that is a file", path: ".local/state", text: "x"},
		{name: "a configuration folder that is a file", path: ".config", text: "x", told: true},
		{name: "kinds that are no folder", path: ownFolder + "agents", text: "x", told: true},
	}
	for _, file := range []struct {
		path    string
		project bool
		// told is true for files that every call reads.
		told bool
	}{
		{path: ownFolder + "config.toml", told: true},
		{path: ".cupola.toml", project: true, told: true},
		{path: ownFolder + "agents/claude.toml", told: true},
		{path: ownFolder + "agents/mine.toml", told: true},
		{path: ownFolder + "bridges/cass.toml", told: true},
		{path: ownFolder + "bridges/mine.toml", told: true},
		{path: ownFolder + "presets/mine.toml"},
		{path: ownFolder + "crews/mine.toml"},
		{path: ownFolder + "themes/calm.toml"},
		{path: ownFolder + "keys.toml"},
		{path: ownFolder + "palette.toml"},
		{path: ".cupola/palette.toml", project: true},
	} {
		for _, how := range []breakage{
			{name: "an unknown key", text: "zzzz_newer = 1\n[zzzz]\nx = 1\n"},
			{name: "no TOML", text: "broken = [\n"},
			{name: "another type", text: "display = 5\nlaunch = 5\naction = 5\nprompt = 5\nagent = 5\n"},
			{name: "a FIFO", make: fifo},
			{name: "a folder", make: folder},
		} {
			how.name += " in " + file.path
			how.path, how.project, how.told, how.ways = file.path, file.project, file.told, true
			all = append(all, how)
		}
	}
	return all
}

// breaks makes the breakage, and returns its repair.
func (b *breakage) breaks(t *testing.T, m *machine) (repair func()) {
	t.Helper()
	if b.path == "" {
		return func() {}
	}
	path := filepath.Join(m.home, b.path)
	if b.project {
		path = filepath.Join(m.dir, b.path)
	}
	aside := path + ".aside"
	moved := os.Rename(path, aside) == nil
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	switch {
	case err != nil:
	case b.make != nil:
		err = b.make(path)
	default:
		err = os.WriteFile(path, []byte(b.text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		err := os.RemoveAll(path)
		if err == nil && moved {
			err = os.Rename(aside, path)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestTheBrakesWorkWhateverIsBroken tries two brakes on each way to break a file: each file meets all of them.
func TestTheBrakesWorkWhateverIsBroken(t *testing.T) { tryAllBreakages(t, 2) }

func TestDeepBrakesWorkWhateverIsBroken(t *testing.T) {
	enginetest.Deep(t)
	tryAllBreakages(t, len(brakes("")))
}

func tryAllBreakages(t *testing.T, most int) {
	t.Helper()
	const machines = 4
	all := breakages()
	for part := range machines {
		t.Run(fmt.Sprint("part ", part), func(t *testing.T) {
			t.Parallel()
			tryBrakes(t, all[part*len(all)/machines:(part+1)*len(all)/machines], most)
		})
	}
}

// tryBrakes breaks a machine in one way after another, and tries all brakes; where a file is broken in several ways, at
// most so many each time, and the next ones for the next way.
func tryBrakes(t *testing.T, all []breakage, most int) {
	t.Helper()
	m := newMachine(t)
	m.dir = filepath.Join(m.tmux.Dir, "project")
	if err := os.Mkdir(m.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	held := []core.Code{core.NotReady, core.AgentNotFound} // what there is to deny in a pane without a dialog
	for i, b := range all {
		session := fmt.Sprintf("s%d", i)
		if got := m.call("spawn", session, "--cmd=cat"); got.status != 0 {
			t.Fatalf("%s: spawn: %+v", b.name, got)
		}
		repair := b.breaks(t, m)
		turn := brakes(session)
		if at := i * most % len(turn); b.ways {
			turn = slices.Concat(turn[at:], turn[:at])[:most]
		}
		for _, args := range turn {
			got := b.call(m, args)
			var said struct {
				Success bool
				Code    core.Code `json:"error_code"`
				Hints   struct {
					Warnings []string
				} `json:"_agent_hints"`
			}
			if err := json.Unmarshal([]byte(got.stdout), &said); err != nil {
				t.Errorf("%s: %q: %v: %+v", b.name, args, err, got)
				continue
			}
			if !said.Success && (args[0] != "answer" || !slices.Contains(held, said.Code)) {
				t.Errorf("%s: %q: %s", b.name, args, got.stdout)
			}
			about := filepath.Base(b.path)
			if len(b.env) > 0 {
				about, _, _ = strings.Cut(b.env[0], "=")
			}
			if warned := strings.Contains(strings.Join(said.Hints.Warnings, "\n"), about); b.told && !warned {
				t.Errorf("%s: %q does not warn of it: %s", b.name, args, got.stdout)
			}
		}
		repair()
		_ = m.call("kill", session, "--yes") // unless that was its turn
	}
	left := m.call("status")
	if sessions := mustAsk(t, ".sessions | length", left); sessions != "0" {
		t.Errorf("sessions are left: %s", left.stdout)
	}
	if got := m.call("doctor"); strings.Contains(got.stdout, "not used") {
		t.Errorf("what was mended is still broken: %s", got.stdout)
	}
}

// call calls the program while something is broken.
func (b *breakage) call(m *machine, args []string) answer {
	m.t.Helper()
	if len(b.env) == 0 {
		return m.call(args...)
	}
	cmd := m.command(m.program, args...)
	cmd.Env = append(cmd.Env, b.env...)
	return m.run(cmd)
}

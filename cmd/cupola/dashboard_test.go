package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
)

// newFleetMachine returns a machine with the session api, of a shell and two scripted
// agents, and the session web, of a shell and a cat. What is submitted to the agents is in
// the log.
func newFleetMachine(t testing.TB) *machine {
	t.Helper()
	m := newMachine(t)
	kinds := filepath.Join(m.home, ".config", "cupola", "agents")
	if err := os.MkdirAll(kinds, 0o700); err != nil {
		t.Fatal(err)
	}
	kind := fmt.Sprintf("id = \"scripted\"\n[launch]\ncommand = [\"{self}\", \"scripted\", \"--speed\", \"0.1\", "+
		"\"--log\", %q]\n", m.log())
	if err := os.WriteFile(filepath.Join(kinds, "scripted.toml"), []byte(kind), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"spawn", "api", "--agents=scripted=2", "--wait-ready"},
		{"spawn", "web", "--cmd=echo in-the-cat; exec cat"},
	} {
		if got := m.cupola(args...); got.status != 0 {
			t.Fatalf("cupola %q: %+v", args, got)
		}
	}
	// Keys that come fast are keys all the same.
	m.tmux.Run("set-option", "-g", "assume-paste-time", "0")
	return m
}

// log is the file in which scripted agents say what they were given.
func (m *machine) log() string { return filepath.Join(m.tmux.Dir, "log") }

// logged returns the texts of the log's events of one kind.
func (m *machine) logged(event string) []string {
	m.t.Helper()
	data, err := os.ReadFile(m.log())
	if err != nil {
		return nil
	}
	var texts []string
	for text := range bytes.Lines(data) {
		var line struct{ Event, Text string }
		if err := json.Unmarshal(text, &line); err != nil {
			continue // it is being written
		}
		if line.Event == event {
			texts = append(texts, line.Text)
		}
	}
	return texts
}

// mustLog waits until the log has exactly these texts of an event.
func (m *machine) mustLog(event string, want ...string) {
	m.t.Helper()
	var got []string
	enginetest.Eventually(m.t, testTimeout, func() bool {
		got = m.logged(event)
		return slices.Equal(got, want)
	}, func() string { return fmt.Sprintf("the agents' %ss are %q, not %q", event, got, want) })
}

// sessions are the names of the sessions there are.
func (m *machine) sessions() string {
	m.t.Helper()
	out, err := m.tmux.Try("list-sessions", "-F", "#{session_name}")
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(out, "\n", " ")
}

// pane is the id of the pane of a session in which a program runs.
func (m *machine) pane(session, program string) string {
	m.t.Helper()
	panes := m.tmux.Run("list-panes", "-s", "-t", "="+session, "-F", "#{pane_current_command} #{pane_id}")
	for line := range strings.Lines(panes) {
		if id, ok := strings.CutPrefix(line, program+" "); ok {
			return strings.TrimSpace(id)
		}
	}
	m.t.Fatalf("nothing in %s runs %s: %s", session, program, panes)
	return ""
}

func TestDashboardScreens(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	m.knowsDashboard() // its welcome would be a part of the first screen, whichever that is
	for name, look := range map[string]func(*display){
		"sessions and panes": seesSessions, "moving": moves, "folding": folds, "filtering": filters,
		"the grid": seesGrid, "one pane alone": peeks, "help": seesHelp, "late replies": hearsLateReplies,
		"from small to large": resizes, "the mouse": points, "what is pasted": pastes,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			look(newDisplay(t, m, 120, 32).open())
		})
	}
}

func seesSessions(d *display) {
	d.shows("api", "scr_1", "scr_2", "web", "cmd_1", "? for help · mock-1")
	if modes := d.modes(); modes != dashboardModes {
		d.t.Errorf("modes: %s", modes)
	}
	d.selected("scr_1")
}

func moves(d *display) {
	d.selected("scr_1")
	d.keys("Down")
	d.selected("scr_2")
	d.text("jjj") // as a key held down comes
	d.selected("cmd_1")
	d.shows("in-the-cat")
	d.keys("k", "Up")
	d.selected("web")
	d.keys("Home")
	d.selected("api")
	d.keys("G")
	d.selected("cmd_1")
	d.keys("[", "[")
	d.selected("api")
	d.keys("]")
	d.selected("web")
}

func folds(d *display) {
	d.selected("scr_1")
	d.keys("h")
	d.selected("api")
	d.lacks("1 scr_1  ", "2 scr_2")
	d.keys("j")
	d.selected("web")
	d.keys("k", "l")
	d.shows("1 scr_1", "2 scr_2")
}

func filters(d *display) {
	d.selected("scr_1")
	d.keys("/")
	d.shows("Show only")
	d.text("cmd")
	d.keys("Enter")
	d.lacks("scr_2", "Show only")
	d.shows("/cmd", "web", "cmd_1")
	d.keys("Escape")
	d.shows("scr_2")
	d.lacks("/cmd")
	d.keys("/")
	d.text("no such thing")
	d.keys("Enter")
	d.shows("nothing matches")
	d.keys("Escape")
	d.shows("scr_2")
}

func seesGrid(d *display) {
	d.selected("scr_1")
	d.keys("g")
	d.shows("━ ○ api.1", "─ ○ api.2")
	d.keys("Down", "Right")
	d.shows("━ ○ api.2", "─ ○ api.1")
	d.keys("A")
	d.shows("━ ○ api.2", "─ · web.1", "in-the-cat")
	d.keys("g")
	d.selected("scr_2")
}

func peeks(d *display) {
	d.selected("scr_1")
	d.keys("Space")
	d.lacks("▾")
	d.shows("api.1", "? for help · mock-1")
	d.keys("Down")
	d.shows("api.2")
	d.keys("Escape")
	d.selected("scr_2")
	d.keys("Tab")
	d.lacks("▾")
	d.keys("Tab")
	d.selected("scr_2")
}

func seesHelp(d *display) {
	d.selected("scr_1")
	d.keys("?")
	d.shows("send a prompt", "list the alerts")
	d.keys("NPage", "NPage", "NPage", "NPage", "NPage", "NPage", "NPage", "NPage")
	d.lacks("list the alerts")
	d.keys("q")
	d.selected("scr_1")
}

func hearsLateReplies(d *display) {
	d.selected("scr_1")
	before := ageless(d.shows("? for help · mock-1"))
	for _, reply := range []string{
		"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\", "\x1b]10;rgb:ffff/ffff/ffff\a", "\x1b[?62;1;6c", "\x1b[>41;330;0c",
		"\x1b[?2026;2$y", "\x1bP>|tmux 3.3a\x1b\\", "\x1b[?997;1n",
	} {
		d.bytes(reply)
	}
	// A reply may come in parts.
	d.bytes("\x1b]11;rgb:1e")
	d.bytes("1e/1e1e/2e2e\x1b")
	d.bytes("\\")
	d.keys("Down")
	d.selected("scr_2")
	d.keys("Up")
	d.selected("scr_1")
	d.until("replies changed the screen from\n"+before, func(screen string) bool { return ageless(screen) == before })
	d.keys("/")
	d.shows("Show only")
	d.bytes("\x1b]11;rgb:dddd/dddd/dddd\x1b\\")
	d.text("typed")
	d.keys("Enter")
	d.shows("/typed ")
}

// click presses and lets go of the left button, some times as fast as it goes, in
// the row of the tree that holds a text.
func (d *display) click(text string, times int) {
	d.t.Helper()
	for y, line := range strings.Split(d.screen(), "\n") {
		row, _, _ := strings.Cut(line, "│")
		if strings.Contains(row, text) {
			d.bytes(strings.Repeat(fmt.Sprintf("\x1b[<0;8;%dM\x1b[<0;8;%dm", y+1, y+1), times))
			return
		}
	}
	d.t.Fatalf("no row with %q:\n%s", text, d.screen())
}

func points(d *display) {
	d.selected("scr_1")
	d.click("2 scr_2", 1)
	d.selected("scr_2")
	d.click("1 cmd_1", 1)
	d.selected("cmd_1")
	d.shows("in-the-cat")
	d.bytes("\x1b[<64;8;5M")
	d.bytes("\x1b[<64;8;5M\x1b[<64;8;5M")
	d.selected("scr_2")
	d.bytes("\x1b[<65;8;5M")
	d.selected("web")
	d.click("1 scr_1", 1)
	d.selected("scr_1")
}

func pastes(d *display) {
	d.selected("scr_1")
	before := ageless(d.shows("? for help · mock-1"))
	d.bytes("\x1b[200~qxyj g\nn\x1b[201~")
	d.keys("j")
	d.selected("scr_2")
	d.keys("k")
	d.selected("scr_1")
	d.until("a paste changed the screen from\n"+before, func(screen string) bool { return ageless(screen) == before })
	d.keys("s")
	d.shows("Send to api.1")
	long := strings.Repeat("a long line ", 60)
	d.bytes("\x1b[200~first pasted\n" + long + "\nlast pasted\x1b[201~")
	d.shows("last pasted")
	d.keys("Escape")
	d.lacks("Send to")
}

func resizes(d *display) {
	d.selected("scr_1")
	d.resize(15, 3)
	d.shows("too small")
	for i := range 50 {
		d.resize(40+(i*67)%161, 10+(i*29)%51)
	}
	for _, size := range [][2]int{{40, 10}, {200, 60}, {90, 24}} {
		d.resize(size[0], size[1])
		want := newDisplay(d.t, d.machine, size[0], size[1]).open()
		want.selected("scr_1")
		d.until("not the frame of a dashboard that began with this size",
			func(screen string) bool { return screen == want.screen() })
	}
}

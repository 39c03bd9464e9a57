package main

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"cupola/core/engine/enginetest"
	"cupola/core/system/process"
)

// prompt is the prompt of a display's shell.
const prompt = "ready$"

// display is a terminal with a shell on it, whose state tests can read: a pane of a tmux
// server that has nothing else to do.
type display struct {
	*machine
	outer *enginetest.Tmux
	// before is how the shell's terminal was set when it began.
	before string
}

// newDisplay makes a terminal on a machine.
func newDisplay(t testing.TB, m *machine, width, height int) *display {
	t.Helper()
	d := &display{machine: m.in(t), outer: enginetest.Private(t)}
	d.outer.Environ = m.environ("PS1=" + prompt + " ")
	// What runs there must not find this server as its own.
	shell := "unset TMUX TMUX_PANE; TERM=xterm-256color; export TERM; exec sh -i"
	d.outer.Run("new-session", "-d", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height), "-c", m.tmux.Dir, shell)
	d.outer.Run("set-option", "-s", "set-clipboard", "on")
	d.shows(prompt)
	d.before = d.settings()
	return d
}

// open starts the dashboard and waits until it shows something.
func (d *display) open(args ...string) *display {
	d.t.Helper()
	d.begin(args...)
	d.until("the dashboard does not open", func(screen string) bool {
		return strings.HasPrefix(screen, "cupola") && d.modes() == dashboardModes
	})
	return d
}

// begin types a call of the program into the shell, which leaves its process id
// in the file that pid reads.
func (d *display) begin(args ...string) {
	d.t.Helper()
	d.line(fmt.Sprintf("clear; sh -c 'echo $$ >%s; exec %s'", d.pidFile(),
		strings.Join(append([]string{"cupola"}, args...), " ")))
}

func (d *display) pidFile() string { return d.outer.Socket + ".pid" }

// pid is the process that begin started.
func (d *display) pid() int {
	d.t.Helper()
	text, err := os.ReadFile(d.pidFile())
	if err != nil {
		d.t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		d.t.Fatal(err)
	}
	return pid
}

// foreground is the process that has the keyboard of the terminal.
func (d *display) foreground() int {
	d.t.Helper()
	pid, err := strconv.Atoi(d.outer.Run("display-message", "-p", "#{pane_pid}"))
	if err != nil {
		d.t.Fatal(err)
	}
	shell, err := process.Find(pid)
	if err != nil {
		d.t.Fatal(err)
	}
	return shell.Foreground
}

// keys presses keys, by the names that tmux gives them, one after another: an
// Escape that comes with the next key would be read as alt.
func (d *display) keys(names ...string) {
	d.t.Helper()
	for _, name := range names {
		d.outer.Run("send-keys", name)
	}
}

// text types a text.
func (d *display) text(text string) {
	d.t.Helper()
	d.outer.Run("send-keys", "-l", text)
}

// line types a line into the shell.
func (d *display) line(text string) {
	d.t.Helper()
	d.text(text)
	d.keys("Enter")
}

// bytes puts raw input into the terminal, as its own replies are.
func (d *display) bytes(text string) {
	d.t.Helper()
	args := []string{"send-keys", "-H"}
	for _, b := range []byte(text) {
		args = append(args, fmt.Sprintf("%02x", b))
	}
	d.outer.Run(args...)
}

// resize gives the terminal another size.
func (d *display) resize(width, height int) {
	d.t.Helper()
	d.outer.Run("resize-window", "-x", strconv.Itoa(width), "-y", strconv.Itoa(height))
}

// screen returns the text of the terminal.
func (d *display) screen() string {
	d.t.Helper()
	return strings.TrimRight(d.outer.Run("capture-pane", "-p"), "\n")
}

// until waits for a condition on the screen.
func (d *display) until(what string, holds func(screen string) bool) string {
	d.t.Helper()
	screen := ""
	enginetest.Eventually(d.t, testTimeout, func() bool {
		screen = d.screen()
		return holds(screen)
	}, func() string { return fmt.Sprintf("%s\nthe terminal (%s) shows:\n%s", what, d.modes(), screen) })
	return screen
}

// shows waits until the screen holds all texts.
func (d *display) shows(texts ...string) string {
	d.t.Helper()
	return d.until(fmt.Sprintf("never %q", texts), func(screen string) bool {
		for _, text := range texts {
			if !strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// lacks waits until the screen holds none of some texts.
func (d *display) lacks(texts ...string) string {
	d.t.Helper()
	return d.until(fmt.Sprintf("still one of %q", texts), func(screen string) bool {
		for _, text := range texts {
			if strings.Contains(screen, text) {
				return false
			}
		}
		return true
	})
}

// selected waits until the row of the tree that is selected holds a text.
func (d *display) selected(text string) {
	d.t.Helper()
	d.until("never selected: "+text, func(screen string) bool { return strings.Contains(selection(screen), text) })
}

// selection is the row of the tree that is selected, empty if there is none. Who needs the user is listed below the
// tree too.
func selection(screen string) string {
	for line := range strings.Lines(screen) {
		if row, ok := strings.CutPrefix(line, "›"); ok {
			row, _, _ = strings.Cut(row, "│")
			return strings.Join(strings.Fields(row), " ")
		}
	}
	return ""
}

// ages matches the ages on a screen, and its clock.
var ages = regexp.MustCompile(`(?m) +(now\b|\d+[smhdw]\b|\d\d:\d\d$)`)

// ageless is a screen without what a later minute shows otherwise.
func ageless(screen string) string { return ages.ReplaceAllString(screen, " AGE") }

// modes are the modes of the terminal, in which the shell leaves none set but
// the cursor's.
func (d *display) modes() string {
	return d.outer.Run("display-message", "-p",
		"alternate=#{alternate_on} cursor=#{cursor_flag} mouse=#{mouse_any_flag} keypad=#{keypad_flag} "+
			"cursor-keys=#{keypad_cursor_flag} insert=#{insert_flag}")
}

// The modes of a shell's terminal, and of the dashboard's.
const (
	shellModes     = "alternate=0 cursor=1 mouse=0 keypad=0 cursor-keys=0 insert=0"
	dashboardModes = "alternate=1 cursor=0 mouse=1 keypad=0 cursor-keys=0 insert=0"
)

// settings are how the terminal's driver is set, asked of the shell.
func (d *display) settings() string {
	d.t.Helper()
	file := d.outer.Socket + ".stty"
	_ = os.Remove(file)
	d.line("stty -g >" + file + ".new && mv " + file + ".new " + file)
	text := ""
	enginetest.Eventually(d.t, testTimeout, func() bool {
		read, err := os.ReadFile(file)
		text = string(read)
		return err == nil
	}, d.screen)
	return text
}

// restored wants the shell to have its terminal back as it was: the screen from
// before, no mode left set, the driver as before, and what is typed is seen.
func (d *display) restored() {
	d.t.Helper()
	atPrompt := func(screen string) bool { return d.modes() == shellModes && strings.HasSuffix(screen, prompt) }
	d.until("the shell does not have its terminal back", atPrompt)
	if now := d.settings(); now != d.before {
		d.t.Errorf("stty -g was %s and is %s", d.before, now)
	}
	d.until("the shell does not answer", atPrompt)
	d.text("echoed-as-typed")
	d.shows(prompt + " echoed-as-typed")
	d.keys("C-u", "Enter")
	if screen := d.screen(); strings.Contains(screen, "│") {
		d.t.Errorf("the dashboard is left on the screen:\n%s", screen)
	}
}

// status is the exit status of what the shell ran last.
func (d *display) status() string {
	d.t.Helper()
	file := d.outer.Socket + ".status"
	d.line("echo $? >" + file + ".new; mv " + file + ".new " + file)
	text := ""
	enginetest.Eventually(d.t, testTimeout, func() bool {
		read, err := os.ReadFile(file)
		text = strings.TrimSpace(string(read))
		return err == nil
	}, d.screen)
	_ = os.Remove(file)
	return text
}

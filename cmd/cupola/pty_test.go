package main

import (
	"strings"
	"testing"

	"cupola/core"
)

func TestNothingIsWrittenBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for _, test := range []struct {
		args  []string
		first string
	}{
		{[]string{"--robot-status"}, `{"success":true,`},
		{[]string{"--json", "status"}, `{"success":true,`},
		{[]string{"--json", "status", "--session=nowhere"}, `{"success":false,`},
		{[]string{"--robot-terse"}, "cupola/1 "},
		{[]string{"version"}, "cupola dev\n"},
		{[]string{"--version"}, "cupola dev\n"},
	} {
		// Whatever a terminal is asked is an escape sequence.
		got := onTerminal(t, m.command(m.program, test.args...)).end()
		if !strings.HasPrefix(got.stdout, test.first) || strings.ContainsRune(got.stdout, '\x1b') {
			t.Errorf("cupola %q begins with %.60q, not with %q", test.args, got.stdout, test.first)
		}
		if strings.HasPrefix(test.first, "{") {
			if _, err := oneDocument(got.stdout); err != nil {
				t.Errorf("cupola %q: %v", test.args, err)
			}
		}
	}
}

func TestPeopleSeeColoursOnATerminal(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	for _, args := range [][]string{{"status"}, {"terse"}} {
		got := onTerminal(t, m.command(m.program, args...)).end()
		if got.status != 0 || !strings.Contains(got.stdout, "api") || strings.HasPrefix(got.stdout, "{") {
			t.Errorf("cupola %q: %+v", args, got)
		}
	}
	coloured := onTerminal(t, m.command(m.program, "status")).end().stdout
	if !strings.Contains(coloured, "\x1b[") {
		t.Errorf("no colour: %q", coloured)
	}
	for _, line := range strings.Split(coloured, "\n") {
		if width := len([]rune(unstyled(line))); width > 100 {
			t.Errorf("a line is %d wide: %q", width, line)
		}
	}
	plain := m.command(m.program, "status")
	plain.Env = append(plain.Env, "NO_COLOR=1")
	if got := onTerminal(t, plain).end(); strings.ContainsRune(got.stdout, '\x1b') {
		t.Errorf("NO_COLOR has colour: %q", got.stdout)
	}
	never := onTerminal(t, m.command(m.program, "status", "--color=never")).end()
	if strings.ContainsRune(never.stdout, '\x1b') {
		t.Errorf("--color=never has colour: %q", never.stdout)
	}
}

func TestColoursFitTheTerminalsBackground(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const query = "\x1b]11;?\x1b\\\x1b[c"
	by := func(environment, told string) string {
		cmd := m.command(m.program, "status")
		if environment != "" {
			cmd.Env = append(cmd.Env, environment)
		}
		terminal := onTerminal(t, cmd)
		if told != "" {
			terminal.waitFor(query)
			terminal.write(told)
		}
		return strings.ReplaceAll(terminal.end().stdout, query, "")
	}
	dark, light := by("COLORFGBG=15;0", ""), by("COLORFGBG=0;15", "")
	if dark == light {
		t.Fatalf("both look alike: %q", dark)
	}
	for told, want := range map[string]string{
		"\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[?62;22c": light, "\x1b]11;rgb:1e1e/1e1e/2e2e\a\x1b[?62c": dark,
		"\x1b[?62c": dark,
	} {
		if got := by("", told); got != want {
			t.Errorf("told %q it shows %q, not %q", told, got, want)
		}
	}
	for setting, want := range map[string]string{"light": light, "dark": dark} {
		if got := by("CUPOLA_DISPLAY_BACKGROUND="+setting, ""); got != want {
			t.Errorf("set to %s it shows %q", setting, got)
		}
	}
}

// unstyled is a line without its colours.
func unstyled(line string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(line, "\x1b[") {
		if b.Len() > 0 || strings.HasPrefix(line, "\x1b[") {
			_, after, ok := strings.Cut(part, "m")
			if ok {
				part = after
			}
		}
		b.WriteString(part)
	}
	return b.String()
}

func TestKillAsksOnATerminal(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	cancelled, _ := core.Cancelled.Row()
	for _, test := range []struct {
		name, keys string
		status     int
		left       string
	}{
		{"no", "n", cancelled.Exit, "api,web"},
		{"enter takes the default", "\r", cancelled.Exit, "api,web"},
		{"interrupt", "\x03", cancelled.Exit, "api,web"},
		{"yes", "y", 0, "api"},
	} {
		x := onTerminal(t, m.command(m.program, "kill", "web"))
		x.waitFor("End session web with 2 panes?")
		x.write(test.keys)
		if got := x.end(); got.status != test.status {
			t.Errorf("%s: status %d, not %d\n%q", test.name, got.status, test.status, got.stdout)
		}
		if left := mustAsk(t, `.sessions | map(.name) | join(",")`, m.cupola("status")); left != test.left {
			t.Errorf("%s leaves %s, not %s", test.name, left, test.left)
		}
	}

	// There is no question with a robot flag, or after consent was given.
	robot := onTerminal(t, m.command(m.program, "kill", "api", "--json")).end()
	if code := mustAsk(t, ".error_code", robot); code != string(core.MissingRequired) || robot.status != 1 {
		t.Errorf("kill --json on a terminal: %+v", robot)
	}
	if got := onTerminal(t, m.command(m.program, "kill", "api", "--yes")).end(); got.status != 0 ||
		!strings.Contains(got.stdout, "Ended") {
		t.Errorf("kill --yes on a terminal: %+v", got)
	}
}

func TestMissingArgumentsAreAskedForOnATerminal(t *testing.T) {
	t.Parallel()
	m := newFleet(t)
	x := onTerminal(t, m.command(m.program, "tail"))
	x.waitFor("web")
	x.write("\x1b[B\r") // the second session
	if got := x.end(); got.status != 0 || !strings.Contains(got.stdout, "hello") {
		t.Errorf("tail: %+v", got)
	}
	x = onTerminal(t, m.command(m.program, "send", "web.1"))
	x.waitFor("the prompt is missing")
	x.waitFor("Msg")
	x.write("typed by a person\r")
	if got := x.end(); got.status != 0 {
		t.Errorf("send: %+v", got)
	}
	shows(m, "web:1", "typed by a person")
	x = onTerminal(t, m.command(m.program, "rename", "web"))
	x.waitFor("To")
	x.write("\x03")
	if got := x.end(); got.status != 130 {
		t.Errorf("rename after Ctrl-C: %+v", got)
	}
	for _, args := range [][]string{{"tail", "--json"}, {"--robot-tail"}, {"send", "web.1", "-J"}} {
		got := onTerminal(t, m.command(m.program, args...)).end()
		if code := mustAsk(t, ".error_code", got); code != string(core.MissingRequired) || got.status != 1 {
			t.Errorf("%q on a terminal: %+v", args, got)
		}
	}
}

func TestAttachTakesTheTerminalOver(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Run("new-session", "-d", "-s", "demo", "sh", "-c", "echo in-the-session; exec cat")
	x := onTerminal(t, m.command(m.program, "attach", "demo"))
	x.waitFor("in-the-session")
	if clients := m.tmux.Run("list-clients", "-F", "#{client_session}"); clients != "demo" {
		t.Errorf("clients: %q", clients)
	}
	m.tmux.Run("detach-client", "-s", "demo")
	if got := x.end(); got.status != 0 {
		t.Errorf("attach ended with %d: %q", got.status, got.stdout)
	}
}

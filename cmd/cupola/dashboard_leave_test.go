package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core/agent"
	"cupola/core/engine/enginetest"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/theme"
	"cupola/tui"
	"cupola/tui/effect"
)

func TestTerminalIsRestoredOnEveryExit(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	signal := func(s syscall.Signal) func(*display) {
		return func(d *display) {
			if err := syscall.Kill(d.pid(), s); err != nil {
				d.t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name   string
		leave  func(*display)
		status string
	}{
		{"q", func(d *display) { d.keys("q") }, "0"},
		{"ctrl+c", func(d *display) { d.keys("C-c") }, "0"},
		{"q in the grid", func(d *display) { d.keys("g"); d.shows("━ ○ api.1"); d.keys("q") }, "0"},
		{"SIGINT", signal(syscall.SIGINT), "130"},
		{"SIGTERM", signal(syscall.SIGTERM), "130"},
		{"SIGHUP", signal(syscall.SIGHUP), "130"},
		{"SIGQUIT", signal(syscall.SIGQUIT), "130"},
		{"SIGABRT", signal(syscall.SIGABRT), "130"},
		{"SIGTERM in a form", func(d *display) { d.keys("s"); d.shows("Send to"); signal(syscall.SIGTERM)(d) }, "130"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 24).open()
			d.selected("scr_1")
			test.leave(d)
			d.shows(prompt)
			if status := d.status(); status != test.status {
				t.Errorf("status %s, not %s\n%s", status, test.status, d.screen())
			}
			d.restored()
			if text := d.screen(); strings.Contains(text, "goroutine") {
				t.Errorf("it says\n%s", text)
			}
		})
	}
}

func TestTypedPromptIsSubmittedAfterQuit(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	for name, leave := range map[string]func(*display){
		"q":       func(d *display) { d.keys("q") },
		"SIGTERM": func(d *display) { syscall.Kill(d.pid(), syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newDisplay(t, m, 100, 24).open()
			d.selected("scr_1")
			d.keys("s")
			d.shows("Send to api.1")
			d.text("say by " + name)
			d.keys("C-s")
			pane := m.scripted("api", 1)
			enginetest.Eventually(t, testTimeout,
				func() bool { return strings.Contains(m.tmux.Run("capture-pane", "-p", "-t", pane), "say by "+name) },
				d.screen)
			leave(d)
			d.restored()
			if got := m.cupola("history", "--last=1", "--jq=.prompts[0].outcome"); got.stdout != "delivered\n" {
				t.Errorf("on record it is %+v", got)
			}
			if logged := m.logged("prompt"); !slices.Contains(logged, "say by "+name) {
				t.Errorf("the agents' prompts are %q", logged)
			}
		})
	}
}

// failing is a program of the test binary: the dashboard with a fault where its
// argument says.
const failing = "failing-dashboard"

func failAtTheDashboard() {
	kinds, err := agent.Load()
	if err != nil {
		panic(err)
	}
	server, err := tmux.Open(tmux.Options{})
	if err != nil {
		panic(err)
	}
	f := fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds, Environ: os.Environ(),
		Runtime: os.Getenv("XDG_RUNTIME_DIR"),
	})
	opts := tui.Options{
		Fleet: f, Theme: theme.New(theme.Options{}), Stdin: os.Stdin, Stdout: os.Stdout, Dir: ".",
		Services: effect.Services{Clip: func(string) error { panic("a fault in an act") }},
		Log:      slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if os.Args[1] == "update" {
		opts.Theme = nil
	}
	err = tui.Run(context.Background(), opts)
	_ = f.Close()
	fmt.Println("\n" + err.Error())
	os.Exit(7)
}

func TestAPanicGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	for where, provoke := range map[string]func(*display){
		"act":    func(d *display) { d.selected("scr_1"); d.shows("model mock-1"); d.keys("y") },
		"update": func(*display) {},
	} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 40)
			d.line("clear; " + failing + " " + where)
			provoke(d)
			d.shows("the dashboard failed", prompt)
			if status := d.status(); status != "7" {
				t.Errorf("status %s:\n%s", status, d.screen())
			}
			d.restored()
		})
	}
}

func TestAClosedTerminalEndsTheDashboard(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	for name, args := range map[string][]string{"the dashboard": nil, "the demo": {"demo"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 100, 24).open(args...)
			pid := d.pid()
			d.outer.Stop()
			enginetest.Eventually(t, testTimeout, func() bool { return syscall.Kill(pid, 0) != nil },
				func() string { return "it runs on" })
			m.mustHaveNoDemo(t)
		})
	}
}

func TestADemoLeavesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	for name, leave := range map[string]func(*display){
		"q":       func(d *display) { d.keys("q") },
		"SIGTERM": func(d *display) { syscall.Kill(d.pid(), syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDisplay(t, m, 120, 32).open("demo")
			d.shows("api", "docs", "web", "importer")
			leave(d)
			d.restored()
			m.mustHaveNoDemo(t)
			if got := m.sessions(); got != "" {
				t.Errorf("sessions: %s", got)
			}
		})
	}
}

func TestADemoHasAHistoryOfItsOwn(t *testing.T) {
	t.Parallel()
	m := newFleetMachine(t)
	if got := m.cupola("send", "api.1", "what the user said"); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	d := newDisplay(t, m, 120, 32).open("demo")
	d.shows("api", "docs", "web", "importer")
	d.keys("Home")
	d.selected("api")
	d.keys("H")
	d.shows("Prepare the release")
	d.lacks("what the user said")
	// Escape and a letter that come together are one key.
	d.keys("Escape")
	d.lacks("Prepare the release")
	d.keys("s")
	d.shows("Send to all 3 agents of api")
	d.text("what the demo received")
	d.keys("C-s")
	// The demo's agents work by themselves: what became of the prompt is open.
	d.until("the outcome is shown", regexp.MustCompile(`\d (delivered|queued|steered|refused|unconfirmed)`).MatchString)
	d.keys("H")
	d.shows("Sent to api")
	d.keys("Home")
	d.shows("what the demo received")
	d.lacks("what the user said")
	d.keys("Escape")
	d.until("the history is closed",
		func(screen string) bool { return !strings.Contains(screen, "Sent to api") })
	d.keys("q")
	d.restored()
	m.mustHaveNoDemo(t)
	if got := m.cupola("history", "--jq=[.prompts[].text]"); got.stdout != "[\"what the user said\"]\n" {
		t.Errorf("on record is %+v", got)
	}
}

func TestAClosedTerminalIsNoticedWithoutASignal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skipf("needs setsid: %v", err)
	}
	m := newFleetMachine(t)
	d := newDisplay(t, m, 100, 24)
	d.line("clear; (setsid sh -c 'echo $$ >" + d.pidFile() + "; exec cupola')")
	d.selected("scr_1")
	pid := d.pid()
	d.outer.Stop()
	enginetest.Eventually(t, testTimeout, func() bool { return syscall.Kill(pid, 0) != nil },
		func() string { return "it runs on" })
}

// mustHaveNoDemo wants the demos that ended to have left no folder.
func (m *machine) mustHaveNoDemo(t *testing.T) {
	t.Helper()
	var left []string
	enginetest.Eventually(t, testTimeout, func() bool {
		left, _ = filepath.Glob(filepath.Join(m.tmux.Dir, "cupola-demo*"))
		return len(left) == 0
	}, func() string { return strings.Join(left, ", ") })
}

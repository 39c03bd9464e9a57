package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"cupola/core/agent"
	"cupola/core/engine/engines"
	"cupola/core/engine/enginetest"
)

// testTimeout is how long a condition may take before the test fails.
const testTimeout = enginetest.Timeout

// machineKey is the key of a script's machine.
type machineKey struct{}

// machine is a computer of its own, as far as Cupola can see: an empty home, empty XDG
// folders, and a tmux server of its own. All that was started on it is gone when the test
// ends.
type machine struct {
	t    testing.TB
	tmux *enginetest.Tmux
	// home is empty at first; so is runtime, the XDG runtime folder.
	home, runtime string
	// program is the program's path.
	program string
	// more is added to the environment of what runs on it.
	more []string
	// dir is the folder that programs are started in; empty is the tmux server's.
	dir string
	// variable are the names of the variables that lines of a script have; nil where each line is a process.
	variable []string
	// callers answer calls.
	callers *callers
}

// newMachine is a machine with the program as it is shipped, which starts far
// faster than the one in the test binary.
func newMachine(t testing.TB) *machine {
	t.Helper()
	program, err := shipped()
	if err != nil {
		t.Fatal(err)
	}
	m := newBareMachine(t)
	m.program = program
	m.putFirst(filepath.Dir(program))
	return m
}

// newBareMachine is a machine on which the program is the test binary.
func newBareMachine(t testing.TB) *machine {
	t.Helper()
	tmux := enginetest.Private(t)
	m := &machine{
		t: t, tmux: tmux, home: filepath.Join(tmux.Dir, "home"), runtime: filepath.Join(tmux.Dir, "run"),
		program: "cupola", callers: &callers{},
	}
	for _, dir := range []string{m.home, m.runtime} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	forgetAgents(t, tmux)
	if os.Getenv("CUPOLA_TMUX") != "" {
		m.preferTmux()
	}
	// The server is the one that tmux itself would choose, which makes this folder when it first runs.
	socket := filepath.Join(tmux.Dir, fmt.Sprintf("tmux-%d", os.Getuid()))
	if err := os.Mkdir(socket, 0o700); err != nil {
		t.Fatal(err)
	}
	tmux.Socket = filepath.Join(socket, "default")
	if enginetest.OnOwn() {
		tmux.Socket = engines.SocketIn(filepath.Join(m.runtime, "cupola"))
	}
	t.Cleanup(m.mustBeQuiet)
	// The server is stopped before that; Private stops it too late.
	t.Cleanup(tmux.Stop)
	t.Cleanup(m.endOwnServer)
	t.Cleanup(func() { m.callers.end(t) })
	return m
}

// knowsDashboard lets the user have seen the dashboard before, so that it shows no welcome.
func (m *machine) knowsDashboard() {
	m.t.Helper()
	state := filepath.Join(m.home, ".local", "state", "cupola")
	if err := os.MkdirAll(state, 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(state, "dashboard-seen"), nil, 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// endServers ends the terminal servers, with all that runs in them.
func (m *machine) endServers() {
	m.t.Helper()
	m.tmux.Stop()
	m.endOwnServer()
}

func (m *machine) endOwnServer() {
	m.t.Helper()
	enginetest.StopOwn(m.t, engines.SocketIn(filepath.Join(m.runtime, "cupola")))
}

// in is the same machine within a part of the test.
func (m *machine) in(t testing.TB) *machine {
	part := *m
	part.t = t
	return &part
}

// preferTmux makes the tmux under test the first in PATH.
func (m *machine) preferTmux() {
	m.t.Helper()
	bin := filepath.Join(m.tmux.Dir, "bin")
	if err := errors.Join(os.Mkdir(bin, 0o700), os.Symlink(m.tmux.Binary, filepath.Join(bin, "tmux"))); err != nil {
		m.t.Fatal(err)
	}
	m.putFirst(bin)
}

// forgetAgents leaves out of PATH the folders in which the tester has agents, but
// for git and tmux.
func forgetAgents(t testing.TB, tmux *enginetest.Tmux) {
	t.Helper()
	kinds, err := agent.Load()
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	needed := filepath.Join(tmux.Dir, "needed")
	for _, dir := range filepath.SplitList(variable(tmux.Environ, "PATH")) {
		has := func(k *agent.Kind) bool {
			return len(k.Launch.Command) > 0 && there(filepath.Join(dir, k.Launch.Command[0]))
		}
		if dir == "/usr/bin" || dir == "/bin" || !slices.ContainsFunc(kinds.All(), has) {
			kept = append(kept, dir)
			continue
		}
		if err := os.MkdirAll(needed, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"git", "tmux"} {
			if program := filepath.Join(dir, name); there(program) && !there(filepath.Join(needed, name)) {
				if err := os.Symlink(program, filepath.Join(needed, name)); err != nil {
					t.Fatal(err)
				}
			}
		}
		kept = append(kept, needed)
	}
	tmux.Environ = append(tmux.Environ, "PATH="+strings.Join(slices.Compact(kept), ":"))
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// putFirst puts a folder before all others in PATH.
func (m *machine) putFirst(dir string) {
	m.tmux.Environ = append(m.tmux.Environ, "PATH="+dir+":"+variable(m.tmux.Environ, "PATH"))
}

// variable returns the value of the last of a name in an environment.
func variable(environ []string, name string) string {
	found := ""
	for _, pair := range environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			found = value
		}
	}
	return found
}

// variables returns the environment of a program on the machine, besides the inherited one.
func (m *machine) variables() []string {
	vars := []string{
		"HOME=" + m.home, "XDG_RUNTIME_DIR=" + m.runtime, "TMUX_TMPDIR=" + m.tmux.Dir, "TMPDIR=" + m.tmux.Dir,
		"LANG=C.UTF-8", "SHELL=/bin/sh", "PS1=$ ", "ENV=", "TERM=xterm-256color",
		// How full the disk is must not matter.
		"CUPOLA_ALERTS_DISK_PERCENT=0", "CUPOLA_ALERTS_DISK_MB=0",
		// The race detector else sleeps a second at the end of every process.
		"GORACE=atexit_sleep_ms=0",
	}
	for _, pair := range m.tmux.Environ {
		if strings.HasPrefix(pair, "PATH=") {
			vars = append(vars, pair)
		}
	}
	return append(vars, m.more...)
}

// environ is the whole environment of a program on the machine.
func (m *machine) environ(more ...string) []string {
	return slices.Concat(m.tmux.Environ, m.variables(), more)
}

// answer is the output and the status of a run of the program.
type answer struct {
	stdout, stderr string
	status         int
}

// cupola runs the program with nothing on its standard input.
func (m *machine) cupola(args ...string) answer {
	m.t.Helper()
	return m.run(m.command(m.program, args...))
}

// command is a run of a program on the machine that was not started yet.
func (m *machine) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Env = m.environ()
	cmd.Dir = cmp.Or(m.dir, m.tmux.Dir)
	return cmd
}

func (m *machine) run(cmd *exec.Cmd) answer {
	m.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = testTimeout
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !stop() {
		m.t.Fatalf("%q did not end\nstdout: %s\nstderr: %s", cmd.Args, &stdout, &stderr)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%q: %v", cmd.Args, err)
	}
	return answer{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// mustBeQuiet fails the test if a process that belongs to the machine is left.
func (m *machine) mustBeQuiet() {
	if runtime.GOOS != "linux" {
		return
	}
	var left []string
	enginetest.Eventually(m.t, enginetest.Timeout, func() bool { left = m.processes(); return len(left) == 0 },
		func() string { return "processes are left: " + strings.Join(left, ", ") })
}

// processes lists the processes whose environment says that they run here.
func (m *machine) processes() []string {
	var found []string
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		if name := entry.Name(); name[0] < '0' || name[0] > '9' {
			continue
		}
		dir := "/proc/" + entry.Name()
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(environ, []byte("TMUX_TMPDIR="+m.tmux.Dir+"\x00")) {
			continue
		}
		words, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err == nil && len(words) > 0 {
			found = append(found, strings.ReplaceAll(strings.TrimRight(string(words), "\x00"), "\x00", " "))
		}
	}
	return found
}

package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine"
)

// Tmux is a private tmux server with a socket of its own, an empty configuration and home,
// and no connection to the tmux that the test may run in.
type Tmux struct {
	// Binary is the tmux program: $CUPOLA_TMUX, or the one in PATH.
	Binary string
	// Socket is short enough for every system.
	Socket string
	// Dir holds the socket and the home; it is removed with the test.
	Dir string
	// Environ is the whole environment of the server and its clients.
	Environ []string

	t testing.TB
}

// inherited are the variables that programs need to run. They get no others, such as
// the folders of the user's agents.
var inherited = regexp.MustCompile(`^(PATH|USER|LOGNAME|TMPDIR|TERMINFO(_DIRS)?|LOCALE_ARCHIVE|(DY)?LD_LIBRARY_PATH|GO(COVERDIR|RACE|DEBUG|MAXPROCS|TRACEBACK)|REAL_AGENTS_.*)$`)

// Private returns a server that does not run yet. The server and its processes are ended when the test ends. Where
// tests run on Cupola's own server, Binary is empty, Socket is a socket of such a server, and a test that needs tmux is
// skipped.
func Private(t testing.TB) *Tmux {
	t.Helper()
	if OnOwn() {
		return PrivateOf(t, engine.Own)
	}
	return PrivateOf(t, engine.Tmux)
}

// PrivateOf is Private for a test that names the kind of terminal server itself.
func PrivateOf(t testing.TB, kind string) *Tmux {
	t.Helper()
	binary := ""
	if kind == engine.Tmux {
		var err error
		if binary, err = exec.LookPath(tmuxBinary()); err != nil {
			t.Fatal(err)
		}
	}
	dir := ShortDir(t)
	hear()
	m := &Tmux{Binary: binary, Socket: filepath.Join(dir, "s"), Dir: dir, t: t}
	for _, pair := range os.Environ() {
		if name, _, _ := strings.Cut(pair, "="); inherited.MatchString(name) {
			m.Environ = append(m.Environ, pair)
		}
	}
	m.Environ = append(m.Environ, "HOME="+dir, "TMUX_TMPDIR="+dir, "LANG=C.UTF-8", "SHELL=/bin/sh",
		"TERM=xterm-256color", "PS1=$ ", "ENV=")
	if binary == "" {
		m.Environ = append(m.Environ, "CUPOLA_ENGINE_KIND="+engine.Own)
	}
	t.Cleanup(m.Stop)
	return m
}

// tmuxBinary is the tmux that is tried.
func tmuxBinary() string { return cmp.Or(os.Getenv("CUPOLA_TMUX"), engine.Tmux) }

// ShortDir returns a folder whose path is short enough for sockets, unlike that of
// t.TempDir. The path contains neither a link nor a blank. The folder is removed when the
// test ends.
func ShortDir(t testing.TB) string {
	t.Helper()
	parent := os.TempDir()
	if len(parent) > longest || strings.ContainsAny(parent, " '\"$") {
		parent = "/tmp"
	}
	parent, err := filepath.EvalSymlinks(parent)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(parent, "cupola") //nolint:usetesting // see above
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// longest bounds the path of the system's temporary folder. The longest path below it is a keeper's socket.
const longest = 50

// hear has what tests start receive signals that the tests themselves were started
// to ignore, as in the background of a script: who handles one passes on its default.
func hear() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// Start starts the server with a session named "first" that runs a sleeping program. It
// waits for a previous server to end first.
func (m *Tmux) Start() *Tmux {
	m.t.Helper()
	Eventually(m.t, Timeout, func() bool {
		_, err := m.Try("new-session", "-d", "-s", "first", "-x", "80", "-y", "24", "--", "sleep", "100000")
		if err != nil && !strings.Contains(err.Error(), "server exited") {
			m.t.Fatal(err)
		}
		return err == nil
	}, nil)
	return m
}

// Run runs a tmux command and returns what it prints, without the last newline.
// If it fails, so does the test.
func (m *Tmux) Run(args ...string) string {
	m.t.Helper()
	out, err := m.Try(args...)
	if err != nil {
		m.t.Fatalf("tmux %q: %v", args, err)
	}
	return out
}

// Try is Run for a command that may fail. A command that takes longer than Timeout fails.
func (m *Tmux) Try(args ...string) (string, error) {
	m.t.Helper()
	if m.Binary == "" {
		m.t.Skip("it is about tmux, and runs on Cupola's own terminal server")
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(m.t.Context()), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, m.Binary, append([]string{"-u", "-f", os.DevNull, "-S", m.Socket}, args...)...)
	cmd.Env = m.Environ
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	// tmux hands its output over to the server, which may close it much later.
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return "", fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// Options returns all global options as the server prints them, so that tests can check
// that none changed.
func (m *Tmux) Options() string {
	m.t.Helper()
	return m.Run("show-options", "-g") + m.Run("show-options", "-gw") + m.Run("show-options", "-s")
}

// Reap signals the server that a child has ended. The server misses that signal while it
// runs utempter for a new pane, and would otherwise notice only when another child ends.
func (m *Tmux) Reap() {
	m.t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(m.Run("display-message", "-p", "#{pid}")))
	if err == nil {
		err = syscall.Kill(pid, syscall.SIGCHLD)
	}
	if err != nil {
		m.t.Fatal(err)
	}
}

// Stop ends the server, if it runs, and waits until it and the processes of its panes have
// ended.
func (m *Tmux) Stop() {
	m.t.Helper()
	if m.Binary == "" {
		StopOwn(m.t, m.Socket)
		return
	}
	// A server removes its socket when it ends.
	if _, err := os.Lstat(m.Socket); errors.Is(err, fs.ErrNotExist) {
		return
	}
	pids, err := m.Try("list-panes", "-a", "-F", "#{pid} #{pane_pid}", ";", "display-message", "-p", "#{pid}")
	if err != nil {
		pids = ""
	}
	// A server may be gone before it answers.
	_, _ = m.Try("kill-server")
	lines := strings.Fields(pids)
	slices.Sort(lines)
	for _, line := range slices.Compact(lines) {
		pid, err := strconv.Atoi(line)
		if err != nil || pid <= 0 {
			continue
		}
		Eventually(m.t, Timeout, func() bool { return ended(pid) },
			func() string { return fmt.Sprintf("process %d is left", pid) })
	}
}

// Suspend stops a process and waits until it is stopped.
func Suspend(t testing.TB, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	Eventually(t, Timeout, func() bool { return slices.Contains([]string{"T", "?"}, stateOf(pid)) },
		func() string { return fmt.Sprintf("process %d keeps running", pid) })
}

// ended reports whether a process is gone or only waits to be collected.
func ended(pid int) bool {
	return syscall.Kill(pid, 0) != nil || stateOf(pid) == "Z"
}

// stateOf returns the letter that the system shows for the state of a process; "?" where it shows none.
func stateOf(pid int) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "?"
	}
	_, rest, _ := strings.Cut(string(status), ") ")
	letter, _, _ := strings.Cut(rest, " ")
	return letter
}

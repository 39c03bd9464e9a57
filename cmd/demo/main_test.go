package demo_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"cupola/cmd/cli"
	"cupola/core/engine/enginetest"
)

// playVariable makes the test binary the program itself.
const playVariable = "DEMO_TEST_PLAY"

// testTimeout is how long a condition may take before the test fails.
const testTimeout = enginetest.Timeout

func TestMain(m *testing.M) {
	if os.Getenv(playVariable) == "" {
		os.Exit(m.Run())
	}
	os.Exit(cli.Main(cli.Options{
		Version: "test", Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv,
	}))
}

// machine is a computer of its own, as far as a demo can see. When the test
// ends, nothing may be left on it.
type machine struct {
	t *testing.T
	// self is this test's binary; home is the user's, temp the system's folder
	// for temporary files.
	self, home, temp string
	environ          []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmux := enginetest.Private(t)
	m := &machine{t: t, self: self, home: filepath.Join(tmux.Dir, "home"), temp: filepath.Join(tmux.Dir, "tmp")}
	bin := filepath.Join(tmux.Dir, "bin")
	err = errors.Join(os.Mkdir(m.home, 0o700), os.Mkdir(m.temp, 0o700), os.Mkdir(bin, 0o700))
	if tmux.Binary != "" {
		err = errors.Join(err, os.Symlink(tmux.Binary, filepath.Join(bin, "tmux")))
	}
	if err != nil {
		t.Fatal(err)
	}
	m.environ = slices.Concat(tmux.Environ,
		[]string{playVariable + "=1", "HOME=" + m.home, "TMPDIR=" + m.temp, "PATH=" + bin + ":" + os.Getenv("PATH")})
	t.Cleanup(m.mustBeClean)
	t.Cleanup(func() {
		if t.Failed() {
			m.clear()
		}
	})
	return m
}

// clear ends what a demo that failed its test has left running.
func (m *machine) clear() {
	for pid := range m.processes() {
		if p, err := os.FindProcess(pid); err == nil {
			p.Kill()
		}
	}
}

// mustBeClean fails the test if a folder or process of a demo is left.
func (m *machine) mustBeClean() {
	m.t.Helper()
	var folders []string
	enginetest.Eventually(m.t, testTimeout, func() bool { folders = m.folders(); return len(folders) == 0 },
		func() string { return fmt.Sprintf("folders are left: %v", folders) })
	var left map[int]string
	enginetest.Eventually(m.t, enginetest.Timeout, func() bool { left = m.processes(); return len(left) == 0 },
		func() string { m.clear(); return fmt.Sprintf("processes are left: %v", left) })
}

// folders returns the folders of the demos on the machine.
func (m *machine) folders() []string {
	found, err := filepath.Glob(filepath.Join(m.temp, "cupola-demo-*"))
	if err != nil {
		m.t.Fatal(err)
	}
	return found
}

// socket returns the socket of the only demo on the machine.
func (m *machine) socket() string {
	m.t.Helper()
	found := m.folders()
	if len(found) != 1 {
		m.t.Fatalf("folders are %q, want one", found)
	}
	return filepath.Join(found[0], "tmux")
}

// processes are the command lines, by pid, of the processes whose environment
// says that they run here.
func (m *machine) processes() map[int]string {
	if runtime.GOOS != "linux" {
		return nil
	}
	found := map[int]string{}
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(environ, []byte("HOME="+m.home+"\x00")) {
			continue
		}
		words, err := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
		pid, notPid := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && notPid == nil && len(words) > 0 {
			found[pid] = strings.ReplaceAll(strings.TrimRight(string(words), "\x00"), "\x00", " ")
		}
	}
	return found
}

// command is a run of the program that was not started yet.
func (m *machine) command(args ...string) *exec.Cmd {
	cmd := exec.Command(m.self, args...)
	cmd.Env = slices.Clone(m.environ)
	cmd.WaitDelay = testTimeout
	return cmd
}

// cupola runs the program and returns what it wrote, and its status.
func (m *machine) cupola(args ...string) (stdout, stderr string, status int) {
	m.t.Helper()
	return m.run(m.command(args...))
}

func (m *machine) run(cmd *exec.Cmd) (stdout, stderr string, status int) {
	m.t.Helper()
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	timer := time.AfterFunc(testTimeout, func() { cmd.Process.Kill() })
	err := cmd.Wait()
	if !timer.Stop() {
		m.t.Fatalf("%q does not end: %s%s", cmd.Args, &out, &complaints)
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%q: %v", cmd.Args, err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}

// running is a demo in the foreground.
type running struct {
	*exec.Cmd
	t     *testing.T
	enter func()
	ended chan struct{}

	mu   sync.Mutex
	text bytes.Buffer
}

// Write takes what the program writes.
func (r *running) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *running) output() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

// foreground starts a demo for people and waits until it is shown.
func (m *machine) foreground() *running {
	m.t.Helper()
	r := &running{Cmd: m.command("demo", "--human"), t: m.t, ended: make(chan struct{})}
	r.Stdout, r.Stderr = r, r
	in, err := r.StdinPipe()
	if err != nil {
		m.t.Fatal(err)
	}
	r.enter = func() { in.Write([]byte("\n")) }
	if err := r.Start(); err != nil {
		m.t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		r.Wait() // the status is read from ProcessState
	}()
	m.t.Cleanup(func() { r.Process.Kill(); <-r.ended })
	enginetest.Eventually(m.t, testTimeout,
		func() bool { return strings.Contains(r.output(), "Press Enter") }, r.output)
	return r
}

// status waits for the end and returns the exit status, -1 for a signal.
func (r *running) status() int {
	r.t.Helper()
	enginetest.Eventually(r.t, testTimeout, func() bool {
		select {
		case <-r.ended:
			return true
		default:
			return false
		}
	}, r.output)
	return r.ProcessState.ExitCode()
}

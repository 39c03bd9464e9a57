package scripted

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// process finds a running process by its id.
func process(t *testing.T, pid string) *os.Process {
	t.Helper()
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	proc, err := os.FindProcess(n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = proc.Kill() })
	return proc
}

func terminate(t *testing.T, proc *os.Process) {
	t.Helper()
	if err := proc.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// tty is the program on a bare pty.
type tty struct {
	*testing.T
	log           string
	master, slave *os.File
	before        *term.State
	cmd           *exec.Cmd
	output        chan string
}

// newTTY starts the program and waits for it.
func newTTY(t *testing.T, args ...string) *tty {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skipf("no pty: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	y := &tty{T: t, log: filepath.Join(t.TempDir(), "log"), master: master, slave: slave, output: make(chan string, 1)}
	if y.before, err = term.GetState(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	y.cmd = exec.Command(self, append([]string{"--speed", "0", "--title", "--log", y.log}, args...)...)
	y.cmd.Env = append(os.Environ(), playVariable+"=1")
	y.cmd.Stdin, y.cmd.Stdout, y.cmd.Stderr = slave, slave, slave
	y.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := y.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = y.cmd.Process.Kill() })
	go func() {
		all, _ := io.ReadAll(master)
		y.output <- string(all)
	}()
	eventually(t, "the start", func() bool {
		return len(texts(readLog(t, y.log), eventReady)) == 1
	}, func() string { return "" })
	return y
}

func (y *tty) send(text string) {
	y.Helper()
	if _, err := io.WriteString(y.master, text); err != nil {
		y.Fatal(err)
	}
}

// end waits for the program and returns its status and all that it wrote.
func (y *tty) end() (status int, output string) {
	y.Helper()
	_ = y.cmd.Wait()
	after, err := term.GetState(y.slave.Fd())
	if err != nil {
		y.Fatal(err)
	}
	if !reflect.DeepEqual(y.before, after) {
		y.Errorf("the terminal was %+v and is %+v", y.before, after)
	}
	_ = y.slave.Close()
	return y.cmd.ProcessState.ExitCode(), <-y.output
}

func TestTerminalIsGivenBackOnEveryExit(t *testing.T) {
	tests := map[string]struct {
		leave  func(y *tty)
		status int
	}{
		"bye":     {func(y *tty) { y.send("bye\r") }, 0},
		"crash":   {func(y *tty) { y.send("crash\r") }, 3},
		"ctrl-c":  {func(y *tty) { y.send("\x03\x03") }, 0},
		"SIGTERM": {func(y *tty) { terminate(y.T, y.cmd.Process) }, 143},
		"SIGHUP":  {func(y *tty) { _ = y.cmd.Process.Signal(syscall.SIGHUP) }, 129},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			y := newTTY(t, "--full-screen")
			tt.leave(y)
			status, output := y.end()
			if status != tt.status {
				t.Errorf("status %d, want %d", status, tt.status)
			}
			for _, mode := range []string{
				ansi.ResetModeAltScreenSaveCursor, ansi.ResetModeBracketedPaste,
				ansi.SetModeAutoWrap, ansi.ShowCursor, ansi.SetWindowTitle(""),
			} {
				if i := strings.LastIndex(output, mode); i < 0 {
					t.Errorf("%q was not written", mode)
				}
			}
			if strings.LastIndex(output, ansi.HideCursor) > strings.LastIndex(output, ansi.ShowCursor) {
				t.Error("the cursor stays hidden")
			}
		})
	}
}

func TestNoTerminalIsAnError(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), playVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "scripted needs a terminal") {
		t.Errorf("%v: %s", err, out)
	}
}

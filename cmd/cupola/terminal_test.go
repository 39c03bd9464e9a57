package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/creack/pty"

	"cupola/core/engine/enginetest"
)

// buildDir holds the program as it is shipped, once a test has asked for it.
var buildDir string

// shipped builds the program without anything of the tests in it, and returns
// its path. Where coverage is measured it is the test binary, since go test
// counts what that runs and nothing else.
var shipped = sync.OnceValues(func() (string, error) {
	if testing.CoverMode() != "" {
		return exec.LookPath("cupola")
	}
	dir, err := os.MkdirTemp("", "cupola-shipped")
	if err != nil {
		return "", err
	}
	buildDir = dir
	path := filepath.Join(dir, "cupola")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path,
		"cupola/cmd/cupola")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// term is a program on a terminal that never answers a question.
type term struct {
	t    testing.TB
	cmd  *exec.Cmd
	pty  *os.File
	done chan struct{} // closed once the program has ended and all is read

	mu   sync.Mutex
	text bytes.Buffer
}

// onTerminal starts a program on a terminal of 100 by 30.
func onTerminal(t testing.TB, cmd *exec.Cmd) *term {
	t.Helper()
	file, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 30, Cols: 100})
	if err != nil {
		t.Fatal(err)
	}
	x := &term{t: t, cmd: cmd, pty: file, done: make(chan struct{})}
	go x.read()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-x.done
		file.Close()
	})
	return x
}

// read collects what is written until the program ends.
func (x *term) read() {
	defer close(x.done)
	chunk := make([]byte, 4096)
	for {
		n, err := x.pty.Read(chunk)
		x.mu.Lock()
		x.text.Write(chunk[:n])
		x.mu.Unlock()
		if err != nil {
			// A terminal without a holder returns an error here, not io.EOF.
			x.cmd.Wait()
			return
		}
	}
}

// output is everything that was written until now.
func (x *term) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ReplaceAll(x.text.String(), "\r\n", "\n")
}

func (x *term) waitFor(text string) {
	x.t.Helper()
	enginetest.Eventually(x.t, testTimeout, func() bool { return strings.Contains(x.output(), text) },
		func() string { return fmt.Sprintf("no %q in %q", text, x.output()) })
}

func (x *term) write(keys string) {
	x.t.Helper()
	if _, err := x.pty.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// end waits until the program has ended, and returns what it wrote and its
// status.
func (x *term) end() answer {
	x.t.Helper()
	enginetest.Eventually(x.t, testTimeout, func() bool {
		select {
		case <-x.done:
			return true
		default:
			return false
		}
	}, func() string { return fmt.Sprintf("it goes on: %q", x.output()) })
	return answer{stdout: x.output(), status: x.cmd.ProcessState.ExitCode()}
}

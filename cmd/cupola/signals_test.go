package main

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

// buffer takes what a program writes while it runs.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// mustReach waits until a text was written.
func (b *buffer) mustReach(t *testing.T, text string) {
	t.Helper()
	enginetest.Eventually(t, testTimeout, func() bool { return strings.Contains(b.String(), text) },
		func() string { return text + " in " + b.String() })
}

func TestAnInterruptedStreamEndsWithAnEndLine(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		m := newMachine(t)
		m.tmux.Start()
		cmd := m.command(m.program, "watch")
		var out buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		mustStart(t, cmd)
		out.mustReach(t, `"resync"`)
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		if status := cmd.ProcessState.ExitCode(); status != 130 {
			t.Errorf("%v: status %d", signal, status)
		}
		lines, err := documents(out.String())
		if err != nil {
			t.Fatalf("%v: %v", signal, err)
		}
		got, err := ask(`.[-1] | [.type, .success, .error_code, has("timestamp")] | map(tostring) | join(" ")`, lines)
		if got != "end false CANCELLED true" {
			t.Errorf("%v: the last line is %s, %v\n%s", signal, got, err, out.String())
		}
	}
}

func TestIgnoredSignalsDoNotEndTheProgram(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Start()
	cmd := m.command("/bin/sh", "-c", `trap "" INT HUP; exec "$0" watch`, m.program)
	var out buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	mustStart(t, cmd)
	out.mustReach(t, `"resync"`)
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
	}
	m.tmux.Run("new-session", "-d", "-s", "second", "cat")
	out.mustReach(t, `"session_created"`)
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 130 {
		t.Errorf("status %d\n%s", status, out.String())
	}
}

func TestAWatchOnATerminalEndsWithCtrlC(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Start()
	x := onTerminal(t, m.command(m.program, "watch"))
	x.waitFor("1 sessions")
	m.tmux.Run("new-session", "-d", "-s", "second", "cat")
	x.waitFor("session_created")
	x.write("\x03")
	if got := x.end(); got.status != 130 || strings.Contains(got.stdout, "goroutine") ||
		strings.Contains(got.stdout, "{") {
		t.Errorf("status %d: %q", got.status, got.stdout)
	}
}

func TestClosedPipeIsNoError(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Start()
	for _, args := range [][]string{
		{"docs"},
		{"docs", "--human"},
		{"--help"},
		{"status", "--robot-format=toon"},
		{"--robot-tail=none"},
		{"--version"},
	} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var stderr bytes.Buffer
		cmd := m.command(m.program, args...)
		cmd.Stdout, cmd.Stderr = writer, &stderr
		mustStart(t, cmd)
		writer.Close()
		cmd.Wait()
		if stderr.Len() > 0 || cmd.ProcessState.Success() && args[0] == "docs" {
			t.Errorf("cupola %q: %v, says %q", args, cmd.ProcessState, stderr.String())
		}
	}
}

func TestStreamEndsWhenItsPipeIsClosed(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Start()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr buffer
	cmd := m.command(m.program, "watch")
	cmd.Stdout, cmd.Stderr = writer, &stderr
	mustStart(t, cmd)
	writer.Close()
	if _, err := reader.Read(make([]byte, 10)); err != nil {
		t.Fatal(err)
	}
	reader.Close()
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	n := 0
	enginetest.Eventually(t, testTimeout, func() bool {
		n++
		m.tmux.Run("rename-window", "-t", "first", strings.Repeat("x", 1+n%7))
		m.tmux.Run("new-window", "-d", "-t", "first", "sleep", "0.05")
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, func() string { return "it watches on; " + stderr.String() })
	if text := stderr.String(); text != "" {
		t.Errorf("it says %q", text)
	}
}

func TestASecondSignalEndsItAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.tmux.Start()
	cmd := m.command(m.program, "send", "first", "-", "--all")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	var out buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	mustStart(t, cmd)
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	enginetest.Eventually(t, testTimeout, func() bool {
		cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			return true
		default:
			return false
		}
	}, func() string { return "it reads on; " + out.String() })
}

// mustStart starts a program that is killed with the test at the latest.
func mustStart(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
}

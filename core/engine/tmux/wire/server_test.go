package wire

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine"
	"cupola/core/engine/enginetest"
)

// program returns the tmux to test against: $CUPOLA_TEST_TMUX or the one in PATH.
func program(t testing.TB) string {
	t.Helper()
	if path := os.Getenv("CUPOLA_TEST_TMUX"); path != "" {
		return path
	}
	path, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed")
	}
	return path
}

// host is a private tmux server.
type host struct {
	tmux, socket, home string
}

// launch starts a private server with one session, "main", that runs cat.
func launch(t testing.TB) *host {
	t.Helper()
	dir := enginetest.ShortDir(t)
	h := &host{tmux: program(t), socket: filepath.Join(dir, "s"), home: dir}
	h.start(t)
	return h
}

func (h *host) start(t testing.TB) {
	t.Helper()
	result := h.exec(t, "-f/dev/null", "new-session", "-d", "-s", "main", "-x", "80", "-y", "24", "cat")
	if result.Exit != 0 {
		t.Fatalf("start tmux: %s", result.Stderr)
	}
	t.Cleanup(func() { h.command(context.Background(), "kill-server").Run() })
}

// command is the tmux program with arguments, in a scrubbed environment.
func (h *host) command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, h.tmux, append([]string{"-S", h.socket}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + h.home, "SHELL=/bin/sh", "TERM=screen", "LANG=C.UTF-8"}
	return cmd
}

// exec runs the tmux program to its end.
func (h *host) exec(t testing.TB, args ...string) Result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := h.command(within(t), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var status *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &status) {
		t.Fatalf("tmux %q: %v", args, err)
	}
	return Result{Stdout: stdout.Bytes(), Stderr: stderr.Bytes(), Exit: cmd.ProcessState.ExitCode()}
}

// pid returns the server's process id.
func (h *host) pid(t testing.TB) int {
	t.Helper()
	out := h.exec(t, "display-message", "-p", "#{pid}").Stdout
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		t.Fatalf("pid of the server: %v", err)
	}
	return pid
}

// kill ends the server and waits until no server listens.
func (h *host) kill(t testing.TB) {
	t.Helper()
	pid := h.pid(t)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	h.awaitSilence(t)
}

// awaitSilence waits until no server listens.
func (h *host) awaitSilence(t testing.TB) {
	t.Helper()
	for ctx := within(t); ctx.Err() == nil; {
		conn, err := open(h.socket).dial(ctx)
		if errors.Is(err, engine.ErrNoServer) {
			return
		}
		if err == nil {
			conn.Close()
		}
	}
	t.Fatal("the server did not end")
}

// open is a client that waits five seconds for a server.
func open(path string) *Client { return New(path, 5*time.Second) }

// within is a context that ends with the test, or with its timeout.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), enginetest.Timeout)
	t.Cleanup(cancel)
	return ctx
}

// same fails the test unless both results are equal.
func same(t testing.TB, argv []string, got, want Result) {
	t.Helper()
	if got.Exit != want.Exit || !bytes.Equal(got.Stdout, want.Stdout) || !bytes.Equal(got.Stderr, want.Stderr) {
		t.Errorf("%q:\n got %s\nwant %s", argv, brief(got), brief(want))
	}
}

func brief(r Result) string {
	cut := func(b []byte) string {
		if len(b) > 300 {
			return strconv.Quote(string(b[:300])) + "... of " + strconv.Itoa(len(b))
		}
		return strconv.Quote(string(b))
	}
	return "exit " + strconv.Itoa(r.Exit) + " stdout " + cut(r.Stdout) + " stderr " + cut(r.Stderr)
}

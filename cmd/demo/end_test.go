package demo_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"cupola/core/engine/enginetest"
)

func TestQuittingLeavesNothing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	r := m.foreground()
	if out := r.output(); !strings.Contains(out, "3 sessions · 9 agents") {
		t.Errorf("it shows %q", out)
	}
	r.enter()
	if status := r.status(); status != 0 {
		t.Errorf("status %d: %s", status, r.output())
	}
}

func TestSignalsEndTheDemoWithEverythingInIt(t *testing.T) {
	t.Parallel()
	for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		m := newMachine(t)
		r := m.foreground()
		// A terminal that closes sends more than one, and the second must not
		// come between.
		for range 3 {
			if err := r.Process.Signal(signal); err != nil {
				break
			}
		}
		if status := r.status(); status != 130 {
			t.Errorf("%v: status %d: %s", signal, status, r.output())
		}
		m.mustBeClean()
	}
}

func TestAClosedPipeEndsTheDemoWithEverythingInIt(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	reader.Close()
	cmd := m.command("demo", "--human")
	cmd.Stdout, cmd.Stderr = writer, writer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	writer.Close()
	cmd.Wait() // only its leftovers count
}

func TestNextDemoRemovesRestOfKilledOne(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"demo", "--human"}, {"demo", "--stop"}} {
		m := newMachine(t)
		r := m.foreground()
		if err := r.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		r.status()
		if left := m.processes(); runtime.GOOS == "linux" && len(left) < 9 {
			t.Fatalf("a killed demo left only %v", left)
		}
		killed := m.folders()
		out, complaints, status := m.cupola(args...)
		if status != 0 || len(killed) != 1 {
			t.Errorf("%q: status %d, %s%s; the killed one left %q", args, status, out, complaints, killed)
		}
		m.mustBeClean()
	}
}

func TestDemoSparesRunningDemos(t *testing.T) {
	enginetest.NeedsTmux(t)
	t.Parallel()
	m := newMachine(t)
	r := m.foreground()
	socket := m.socket()
	for _, args := range [][]string{{"demo", "--human"}, {"demo", "--stop"}} {
		if out, complaints, status := m.cupola(args...); status != 0 {
			t.Errorf("%q: status %d, %s%s", args, status, out, complaints)
		}
		if got := m.socket(); got != socket {
			t.Errorf("%q: the demo is at %s, was at %s", args, got, socket)
		}
	}
	if out, err := exec.Command("tmux", "-S", socket, "list-panes", "-a").Output(); err != nil ||
		strings.Count(string(out), "\n") != 10 {
		t.Errorf("of the demo that runs are left: %s, %v", out, err)
	}
	r.enter()
	r.status()
}

func TestOtherFoldersStay(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	elsewhere := filepath.Join(m.home, "precious")
	files := []string{
		filepath.Join(m.temp, "cupola-demo-notes", "text"), // no lock: not of a demo
		filepath.Join(m.temp, "cupola-demo-open", "demo.lock"),
		filepath.Join(m.temp, "other", "demo.lock"),
		filepath.Join(elsewhere, "demo.lock"),
	}
	for _, file := range files {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(m.temp, "cupola-demo-link")
	plain := filepath.Join(m.temp, "cupola-demo-file")
	for _, err := range []error{
		os.Chmod(filepath.Join(m.temp, "cupola-demo-open"), 0o755), os.Symlink(elsewhere, link),
		os.WriteFile(plain, nil, 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, gone := range []string{"cupola-demo-empty", "cupola-demo-dead"} {
		if err := os.Mkdir(filepath.Join(m.temp, gone), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(m.temp, "cupola-demo-dead", "demo.lock"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, _, status := m.cupola("demo", "--stop", "--human"); status != 0 || out != "There is no demo to end.\n" {
		t.Errorf("status %d, %q", status, out)
	}
	for _, path := range append(files, link, plain) {
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	if got := m.folders(); slices.ContainsFunc(got, func(path string) bool {
		return strings.HasSuffix(path, "-empty") || strings.HasSuffix(path, "-dead")
	}) {
		t.Errorf("of %q, the leftovers should be gone", got)
	}
	for _, path := range m.folders() {
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

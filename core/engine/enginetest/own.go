package enginetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"cupola/core/engine"
	"cupola/core/engine/own"
	"cupola/core/engine/own/server"
)

// init lets every test program with this package be a terminal server of Cupola's own, and its holder.
func init() {
	const words = 3
	if len(os.Args) != words {
		return
	}
	var err error
	ctx, socket := context.Background(), os.Args[2]
	opts := server.Options{Socket: socket, Version: "test", Holder: []string{os.Args[0], server.HolderWord}}
	switch os.Args[1] {
	case server.ServerWord:
		err = server.Main(ctx, opts, os.Stdout, func() {
			_ = os.Stdout.Close()
			_ = os.Stderr.Close()
		})
	case server.HolderWord:
		err = server.Hold(ctx, opts, StartsOwn())
	default:
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// OnOwn reports whether tests run on Cupola's own terminal server: $CUPOLA_TEST_ENGINE says so, or tmux is not
// installed. Tests about tmux itself are skipped then.
func OnOwn() bool {
	if wanted := os.Getenv("CUPOLA_TEST_ENGINE"); wanted != "" {
		return wanted == engine.Own
	}
	_, err := exec.LookPath(tmuxBinary())
	return err != nil
}

// NeedsTmux skips a test that is about tmux itself, where tests run on Cupola's own server.
func NeedsTmux(t testing.TB) {
	t.Helper()
	if OnOwn() {
		t.Skip("it is about tmux, and tests run on Cupola's own terminal server")
	}
}

// StartsOwn is the command line of a server of Cupola's own, which the test program is.
func StartsOwn() []string { return []string{os.Args[0], server.ServerWord} }

// OwnClient returns the client of a private server of Cupola's own, which the test program is.
func OwnClient(t testing.TB, socket string, environ []string) *own.Server {
	t.Helper()
	s := own.Open(own.Options{
		Socket:  socket,
		Version: "test",
		Start:   StartsOwn(),
		Environ: environ,
		Attach:  []string{"attach"},
	})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// StopOwn ends the server of Cupola's own on a socket, if it runs, and waits until it and the processes of its panes
// have ended. It is for servers that programs under test have started.
func StopOwn(t testing.TB, socket string) {
	t.Helper()
	s := own.Open(own.Options{Socket: socket})
	defer func() { _ = s.Close() }()
	ctx := context.WithoutCancel(t.Context())
	hello, err := s.Hello(ctx)
	if err != nil {
		return // it does not run
	}
	pids := []int{hello.PID}
	if l, err := s.List(ctx, engine.Brief); err == nil {
		for i := range l.Panes {
			pids = append(pids, l.Panes[i].Process.PID)
		}
	}
	_ = s.Shutdown(ctx)
	for _, pid := range pids {
		Eventually(t, Timeout, func() bool { return pid <= 0 || ended(pid) },
			func() string { return fmt.Sprintf("process %d is left", pid) })
	}
}

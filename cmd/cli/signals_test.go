package cli

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core/engine/enginetest"
)

func TestSignalEndsContextWithOrWithoutGrace(t *testing.T) {
	// Unhandled signals would end the tests.
	heard := make(chan os.Signal, 1000)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	for _, after := range []time.Duration{0, time.Millisecond} {
		ctx, cancel := interruptible(t.Context(), after)
		enginetest.Eventually(t, enginetest.Timeout, func() bool {
			if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
				t.Fatal(err)
			}
			<-heard
			return ctx.Err() != nil
		}, nil)
		cancel()
	}
	ctx, cancel := interruptible(t.Context(), time.Hour)
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	<-heard
	if ctx.Err() != nil {
		t.Error("a signal was listened to before its time")
	}
	cancel()
	if ctx.Err() == nil {
		t.Error("the context outlives its end")
	}
}

func TestGraceIsForQuickReads(t *testing.T) {
	for line, want := range map[string]time.Duration{
		"status": quick, "tail api": quick, "--robot-status": quick, "--robot": quick,
		"": 0, "watch": 0, "send api hi": 0, "kill api": 0, "demo": 0, "statsu": 0,
	} {
		p := testProgram(t, nil, split(line)...)
		p.line.robotic = strings.Contains(line, "--robot")
		if got := p.line.grace(); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
}

func TestIgnoredSignalsLeaveContext(t *testing.T) {
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGWINCH)
	defer signal.Stop(heard)
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	defer signal.Reset(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGABRT)
	ctx, cancel := interruptible(t.Context(), 0)
	defer cancel()
	for range 100 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
			t.Fatal(err)
		}
		<-heard
		if ctx.Err() != nil {
			t.Fatal("the size of the terminal ended it")
		}
	}
}

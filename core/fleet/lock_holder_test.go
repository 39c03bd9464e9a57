package fleet_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/engine/enginetest"
	"cupola/core/fleet"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
	"cupola/core/system/process"
)

// holderEnv names the runtime folder of a process that is to hold locks.
const holderEnv = "CUPOLA_TEST_HOLDER"

// TestHolderProcess is not a test: started by the tests below with a folder, it
// holds the lock of the actor's pane and the one under which panes are made, says
// so, and ends with its standard input.
func TestHolderProcess(t *testing.T) {
	dir := os.Getenv(holderEnv)
	if dir == "" {
		t.Skip("only for processes that other tests start")
	}
	f := actorFleet(t, fleettest.NewScriptedEngine(), dir)
	held, err := f.Dir.LockPane(t.Context(), &core.Pane{ID: "%1", Session: "api", Ordinal: 1}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer held.Release()
	release, err := f.Dir.LockLaunch(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	if _, err := os.Stdout.WriteString("held\n"); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// actorFleet is a fleet over an actor, with a runtime folder that others share.
func actorFleet(t *testing.T, a *fleettest.ScriptedEngine, dir string) *fleet.Fleet {
	t.Helper()
	return fleet.Open(fleet.Options{
		Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind), Self: os.Args[0],
		Runtime: dir, Environ: os.Environ(),
	})
}

// startHolder starts a process that holds the locks, and stops it.
func startHolder(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHolderProcess$")
	cmd.Env = append(os.Environ(), holderEnv+"="+dir)
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = input.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder says %q: %v", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	enginetest.Eventually(t, testTimeout, func() bool {
		p, err := process.Find(cmd.Process.Pid)
		return err == nil && p.Stopped
	}, nil)
	return cmd
}

func TestAStoppedHolderOfALockIsNamedOnceTheTimeIsUp(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := fleettest.NewScriptedEngine()
	f := actorFleet(t, a, dir)
	stopped := startHolder(t, dir)
	const limit = 150 * time.Millisecond
	at := resolve.Target{Session: "api.1"}
	acts := map[string]func() error{
		"send": func() error {
			_, err := f.Sender.Send(t.Context(), deliver.Request{Target: at, Text: "say x", Timeout: limit})
			return err
		},
		"interrupt": func() error {
			_, err := f.Sender.Interrupt(t.Context(), deliver.InterruptRequest{Target: at, Force: true, Timeout: limit})
			return err
		},
		"interrupt with a prompt": func() error {
			_, err := f.Sender.Interrupt(t.Context(),
				deliver.InterruptRequest{Target: at, Force: true, Timeout: limit, Text: "say x"})
			return err
		},
		"answer": func() error {
			_, err := f.Sender.Answer(t.Context(), deliver.AnswerRequest{Target: at, Act: core.ActDeny, Timeout: limit})
			return err
		},
		"restart": func() error {
			_, err := f.Launcher.Restart(t.Context(), lifecycle.RestartRequest{Target: at, Timeout: limit})
			return err
		},
		"add": func() error {
			_, err := f.Launcher.Add(t.Context(),
				lifecycle.AddRequest{
					Session: "api",
					Launch: lifecycle.LaunchRequest{
						Agents:  []lifecycle.AgentCount{{Kind: "stub", Count: 1}},
						Timeout: limit,
					},
				})
			return err
		},
	}
	for name, act := range acts {
		failed := make(chan error, 1)
		go func() { failed <- act() }()
		select {
		case err := <-failed:
			failed := core.AsError(err)
			if failed == nil || !failed.HasCode(core.Timeout) && !failed.HasCode(core.DeliveryFailed) {
				t.Errorf("%s: %v", name, err)
				continue
			}
			pid := "process " + strconv.Itoa(stopped.Process.Pid)
			for _, want := range []string{pid, "TestHolderProcess", "since 20", "is stopped"} {
				if !strings.Contains(failed.Error(), want) {
					t.Errorf("%s: %q lacks %q", name, failed.Error(), want)
				}
			}
			if hint := failed.Hint + failed.Error(); !strings.Contains(hint,
				"kill -CONT "+strconv.Itoa(stopped.Process.Pid)) {
				t.Errorf("%s: does not say what to do: %q", name, hint)
			}
			if name == "send" && !strings.Contains(failed.Error(), "api.1") {
				t.Errorf("%s: does not name the pane: %q", name, failed.Error())
			}
		case <-time.After(testTimeout):
			t.Fatalf("%s waits for ever", name)
		}
	}
	if len(a.Pasted)+len(a.Pressed) > 0 {
		t.Errorf("something was typed: %q %q", a.Pasted, a.Pressed)
	}
}

func TestTheLockOfAKilledHolderIsTakenAndKnownToBeOrphaned(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := actorFleet(t, fleettest.NewScriptedEngine(), dir)
	holder := startHolder(t, dir)
	pane := &core.Pane{ID: "%1", Session: "api", Ordinal: 1}
	if _, err := f.Dir.LockPane(t.Context(), pane, time.Millisecond); !errors.Is(err, rundir.ErrHeld) {
		t.Fatal(err)
	}
	if err := holder.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	held, err := f.Dir.LockPane(t.Context(), pane, 0)
	if err != nil || !held.Orphaned {
		t.Fatalf("%+v, %v", held, err)
	}
	held.Release()
	if held, err = f.Dir.LockPane(t.Context(), pane, 0); err != nil || held.Orphaned {
		t.Fatalf("%+v, %v", held, err)
	}
	held.Release()
}

package process

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs a shell script that prints a line once it is set up, and returns
// its process and the line.
func start(t *testing.T, script string) (Proc, string) {
	t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waited := make(chan struct{})
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-waited
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the script printed nothing: %v", err)
	}
	go func() {
		defer close(waited)
		_, _ = cmd.Process.Wait()
	}()
	p, err := Find(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return p, strings.TrimSpace(line)
}

func TestFindSeesTheCallerAsItIs(t *testing.T) {
	p, err := Find(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if p.Parent != os.Getppid() || p.Start == 0 || p.Zombie || !p.Alive() {
		t.Errorf("Find(self) = %+v", p)
	}
	if argv := Argv(os.Getpid()); !slices.Equal(argv, os.Args) {
		t.Errorf("Argv(self) = %q, want %q", argv, os.Args)
	}
}

func TestFindSaysWhenAProcessIsGone(t *testing.T) {
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(cmd.Process.Pid); !errors.Is(err, ErrGone) {
		t.Errorf("Find of an ended process: %v", err)
	}
	if argv := Argv(cmd.Process.Pid); argv != nil {
		t.Errorf("Argv of an ended process = %q", argv)
	}
}

func TestAPidWithAnotherStartIsNotAlive(t *testing.T) {
	p, err := Find(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	p.Start++
	if p.Alive() {
		t.Error("a process with another start passed for the same")
	}
}

func TestTreeFindsDescendantsParentsFirst(t *testing.T) {
	parent, line := start(t, "sh -c 'sleep 60 & echo $! $$; wait' & wait")
	sleep, shell, _ := strings.Cut(line, " ")
	table, err := All()
	if err != nil {
		t.Fatal(err)
	}
	want := []int{parent.PID, number(t, shell), number(t, sleep)}
	for name, tree := range map[string][]Proc{"Tree": Tree(parent.PID), "Table.Tree": table.Tree(parent.PID)} {
		if got := pids(tree); !slices.Equal(got, want) {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if !slices.ContainsFunc(table.Session(parent.Session), func(p Proc) bool { return p.PID == parent.PID }) {
		t.Error("the process is no member of its session")
	}
	for _, p := range Tree(parent.PID) {
		_ = killNow(p)
	}
}

func TestEndKillsWhatIgnoresTheRequest(t *testing.T) {
	stubborn, _ := start(t, `trap "" TERM HUP; echo ready; while :; do sleep 0.05; done`)
	obedient, _ := start(t, `echo ready; while :; do sleep 0.05; done`)
	// On a busy machine the first calls may come back before all are gone.
	for last := time.Now().Add(time.Minute); ; {
		_, err := End(t.Context(), []Proc{stubborn, obedient}, 200*time.Millisecond)
		if gone := !stubborn.Alive() && !obedient.Alive(); gone {
			return
		} else if err == nil || time.Now().After(last) {
			t.Fatalf("a process outlived End: %v", err)
		}
	}
}

func TestEndSparesTheCallerAndStrangers(t *testing.T) {
	self, err := Find(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	stranger, _ := start(t, "echo ready; while :; do sleep 0.05; done")
	stranger.Start++
	if ended, err := End(t.Context(), []Proc{self, stranger, {PID: 1}}, time.Millisecond); ended != 0 || err != nil {
		t.Errorf("End = %d, %v; want nothing ended", ended, err)
	}
	stranger.Start--
	if !stranger.Alive() {
		t.Error("a process with another start was ended")
	}
}

func TestAZombieSaysHowItEnded(t *testing.T) {
	for script, want := range map[string]syscall.WaitStatus{"exit 3": 3 << 8, "kill -9 $$": 9, "exit 0": 0} {
		cmd := exec.Command("/bin/sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		deadline := time.After(time.Minute)
		var p Proc
		for !p.Zombie {
			select {
			case <-deadline:
				t.Fatalf("%q never ended: %+v", script, p)
			default:
				p, _ = Find(cmd.Process.Pid)
			}
		}
		if p.End != want || p.Alive() {
			t.Errorf("%q ended with %#x, want %#x", script, p.End, want)
		}
		_ = cmd.Wait()
	}
}

func TestWaitEndsWithItsContext(t *testing.T) {
	p, _ := start(t, "echo ready; while :; do sleep 0.05; done")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if left := Wait(ctx, []Proc{p}, time.Hour); len(left) != 1 {
		t.Errorf("Wait = %v, want the process that lives", left)
	}
	if ended, err := End(ctx, nil, time.Hour); ended != 0 || err != nil {
		t.Errorf("End of nothing = %d, %v", ended, err)
	}
}

func TestParseArgumentsReadsMacOSAnswers(t *testing.T) {
	raw := []byte("\x02\x00\x00\x00/usr/bin/node\x00\x00\x00\x00node\x00/opt/codex\x00HOME=/x\x00")
	argv, environ := parseArguments(append(raw, "A=b\x00\x00ptr_munge=\x00"...))
	if !slices.Equal(argv, []string{"node", "/opt/codex"}) || !slices.Equal(environ, []string{"HOME=/x", "A=b"}) {
		t.Errorf("parseArguments = %q, %q", argv, environ)
	}
	if argv, environ := parseArguments(raw[:20]); argv != nil || environ != nil {
		t.Errorf("parseArguments of a cut answer = %q, %q", argv, environ)
	}
}

func FuzzParseArguments(f *testing.F) {
	f.Add([]byte("\x01\x00\x00\x00/a\x00\x00a\x00"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if argv, environ := parseArguments(raw); len(argv)+len(environ) > len(raw) {
			t.Errorf("%d arguments and %d variables from %d bytes", len(argv), len(environ), len(raw))
		}
	})
}

func pids(procs []Proc) []int {
	var pids []int
	for _, p := range procs {
		pids = append(pids, p.PID)
	}
	return pids
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func killNow(p Proc) error {
	found, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	return found.Kill()
}

func BenchmarkAll(b *testing.B) {
	for b.Loop() {
		if _, err := All(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTree(b *testing.B) {
	for b.Loop() {
		Tree(os.Getpid())
	}
}

func BenchmarkArgv(b *testing.B) {
	for b.Loop() {
		Argv(os.Getpid())
	}
}

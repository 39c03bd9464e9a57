package child

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"cupola/core/system/process"
	"cupola/core/system/process/job"
	"cupola/core/system/process/job/jobtest"
)

func TestNothingOutlivesARun(t *testing.T) {
	for _, ends := range []string{"by itself", "at its time limit", "cancelled"} {
		t.Run(ends, func(t *testing.T) {
			t.Parallel()
			scene := jobtest.New(t)
			script := scene.Script + "echo ready; cat"
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if ends == "at its time limit" {
				ctx, cancel = context.WithTimeout(ctx, 10*time.Second)
				defer cancel()
			}
			input, hold, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer input.Close()
			defer hold.Close()
			command := Command{Program: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ(), Stdin: input}
			began := time.Now()
			go func() {
				scene.Started(t)
				switch ends {
				case "by itself":
					_ = hold.Close()
				case "cancelled":
					cancel()
				}
			}()
			end, err := command.Run(ctx, func([]byte) {})
			if err != nil || len(end.Left) != 0 {
				t.Errorf("it ended as %+v, %v", end, err)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("it took %s", took)
			}
			scene.Gone(t, jobtest.Unmarked)
		})
	}
}

func TestNothingOutlivesAKilledCaller(t *testing.T) {
	if _, err := exec.LookPath("grep"); err != nil {
		t.Skip(err)
	}
	scene := jobtest.New(t)
	id := job.NewID()
	guard := startGuard(id)
	defer guard.end()
	cmd := exec.Command("/bin/sh", "-c", scene.Script+"sleep 300")
	cmd.Env = job.Within(os.Environ(), id)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = cmd.Wait() }()
	scene.Started(t)
	shell, err := process.Find(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	_ = guard.input.Close() // as when the caller is killed
	<-guard.ended
	scene.Gone(t, jobtest.Unmarked, "env -i")
	if shell.Alive() {
		t.Error("the program goes on")
	}
}

func TestWhatIsNotEndedIsReported(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip(err)
	}
	socket := t.TempDir() + "/s"
	defer exec.Command(tmux, "-S", socket, "kill-server").Run() // it may have ended
	var said bytes.Buffer
	command := Command{
		Program: "/bin/sh", Env: os.Environ(),
		// The pane says when it runs: its process has the server's name until then.
		Args: []string{"-c", "t='tmux -f /dev/null -S " + socket + "'; " +
			"$t new-session -d \"$t wait-for -S up; sleep 300\" && $t wait-for up && echo up"},
	}
	end, err := command.Run(t.Context(), func(text []byte) { said.Write(text) })
	if err != nil || said.String() != "up\n" {
		t.Fatalf("%q, %+v, %v", said.String(), end, err)
	}
	if len(end.Left) != 1 || end.Left[0].Name != "tmux: server" {
		t.Errorf("left are %v", end.Left)
	}
	if err := exec.Command(tmux, "-S", socket, "has-session").Run(); err != nil {
		t.Errorf("the terminal server has ended: %v", err)
	}
}

// A caller that gives up, as after SIGTERM, is not kept waiting: by a program that ignores the signal, takes its time,
// or left a process that has its output.
func TestACancelledRunEndsAtOnce(t *testing.T) {
	for name, script := range map[string]string{
		"ignores": "trap '' TERM; echo ready; while :; do sleep 0.1; done",
		"slow":    "trap 'sleep 5; exit 0' TERM; echo ready; while :; do sleep 0.1; done",
		"leaves":  "(trap '' TERM; exec sleep 100) & trap '' TERM; echo ready; sleep 100",
		"prints":  "echo ready; exec yes",
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			command := Command{Program: "/bin/sh", Args: []string{"-c", script}, Env: os.Environ()}
			var cancelled time.Time
			var once sync.Once // output and errors come at the same time
			end, err := command.Run(ctx, func([]byte) {
				once.Do(func() {
					cancelled = time.Now()
					cancel()
				})
			})
			if err != nil || len(end.Left) != 0 {
				t.Errorf("it ended as %+v, %v", end, err)
			}
			if took := time.Since(cancelled); took > usual.term {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// Package child runs a program to its end, as a job that ends with it: when its time is over, when it leaves processes
// behind, and when this process is killed. It knows nothing of what the program prints.
package child

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"cupola/core"
	"cupola/core/system/process"
	"cupola/core/system/process/job"
)

// grace holds two time limits: term for a program to end after SIGTERM, before it is killed; left for the processes
// that it left behind, which may keep its output open.
type grace struct{ term, left time.Duration }

var (
	usual = grace{2 * time.Second, 500 * time.Millisecond}
	// hurried is for a caller that gave up, as after a signal: all has ended in half a second.
	hurried = grace{250 * time.Millisecond, 50 * time.Millisecond}
)

// graceOf returns the time limits for a context. One that was cancelled without a cause belongs to a caller that gave
// up.
func graceOf(ctx context.Context) grace {
	if errors.Is(context.Cause(ctx), context.Canceled) {
		return hurried
	}
	return usual
}

// leftEvery is how often it is looked whether what is left has ended, at first.
const leftEvery = 5 * time.Millisecond

// stderrKept is how much of the end of standard error is kept, in bytes.
const stderrKept = 8 << 10

// Command is a program to run.
type Command struct {
	// Program is its path, and Args are its arguments without its name.
	Program string
	Args    []string
	// Dir is its working directory, Env its whole environment.
	Dir string
	Env []string
	// Stdin is the program's standard input; nil is empty.
	Stdin io.Reader
}

// End is how a program ended.
type End struct {
	// Exit is its exit status; -1 if a signal ended it, whose name is Signal.
	Exit   int
	Signal string
	// Stderr is the end of what it printed on standard error.
	Stderr string
	// Left are processes that the program left behind and that could not be ended, or were not to be.
	Left []job.Left
}

// Run runs a program, and passes what it prints on standard output to feed, and nil for each piece that it prints on
// standard error. When ctx ends, the program's job gets SIGTERM and then SIGKILL, also if this process is killed,
// within half a second where ctx was cancelled; what the program leaves of its job when it has ended is ended too.
// What it printed and feed did not get until ctx ended is dropped. The error says that the program could not be
// run: ToolNotFound, PermissionDenied, BackendFailed or IOError.
func (c *Command) Run(ctx context.Context, feed func([]byte)) (End, error) {
	cmd := exec.Command(c.Program, c.Args...) //nolint:noctx // it gets SIGTERM first: see below
	id := job.NewID()
	cmd.Dir, cmd.Env, cmd.Stdin = c.Dir, job.Within(c.Env, id), c.Stdin
	cmd.WaitDelay = usual.left
	said := &tail{heard: func() { feed(nil) }}
	cmd.Stderr = said
	output, input, err := os.Pipe()
	if err != nil {
		return End{}, core.Errorf(core.IOError, "make a pipe: %w", err)
	}
	defer output.Close()
	cmd.Stdout = input
	guarded := startGuard(id)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: guarded.group}
	err = cmd.Start()
	_ = input.Close()
	if err != nil {
		guarded.end()
		return End{}, startError(c.Program, err)
	}
	group := cmp.Or(guarded.group, cmd.Process.Pid)
	ended := make(chan struct{})
	running := &running{job: jobOf(id, cmd.Process.Pid, output), group: group}
	stop := context.AfterFunc(ctx, func() { running.end(ended, graceOf(ctx).term) })
	defer stop()
	read := make(chan struct{})
	go func() {
		defer close(read)
		within := func() time.Duration { return graceOf(ctx).left }
		readAll(ctx, &lastWords{pipe: output, ended: ended, within: within}, feed)
	}()
	err = cmd.Wait()
	close(ended)
	// The guard ignores the signal, and must be gone before it is seen whether others are left.
	_ = syscall.Kill(-group, syscall.SIGTERM)
	guarded.end()
	endRest(group, graceOf(ctx).left)
	left := running.endLeft(context.WithoutCancel(ctx), graceOf(ctx).left)
	// Something outside the group may hold the pipe.
	_ = output.SetReadDeadline(time.Now().Add(graceOf(ctx).left))
	<-read
	end := End{Exit: -1, Stderr: said.String(), Left: left}
	if cmd.ProcessState != nil {
		end.Exit = cmd.ProcessState.ExitCode()
		if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			end.Signal = status.Signal().String()
		}
	}
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) && !errors.Is(err, exec.ErrWaitDelay) {
		return end, core.Errorf(core.IOError, "run %s: %w", c.Program, err)
	}
	return end, nil
}

// lastWords reads what a program printed. Once the program has ended it reads what is left in the
// pipe, and waits for others that hold the pipe only for a while: the time that the caller takes
// with what was read does not count.
type lastWords struct {
	pipe  *os.File
	ended <-chan struct{}
	// within is how long others are waited for.
	within func() time.Duration
	// left is how many bytes were read since the end.
	left int
}

// Read reads from the pipe.
func (l *lastWords) Read(chunk []byte) (int, error) {
	select {
	case <-l.ended:
		if l.left > pipeHolds {
			return 0, io.EOF
		}
		_ = l.pipe.SetReadDeadline(time.Now().Add(l.within()))
	default:
	}
	n, err := l.pipe.Read(chunk)
	select {
	case <-l.ended:
		l.left += n
	default:
	}
	return n, err
}

// pipeHolds is the most that a pipe holds, in bytes.
const pipeHolds = 1 << 20

// readAll passes the bytes of a reader to feed until it ends. Once the context has ended they are dropped.
func readAll(ctx context.Context, from io.Reader, feed func([]byte)) {
	chunk := make([]byte, 64<<10)
	for {
		n, err := from.Read(chunk)
		if n > 0 && ctx.Err() == nil {
			feed(chunk[:n])
		}
		if err != nil {
			return
		}
	}
}

// startError is the error of a program that could not be started.
func startError(path string, err error) error {
	code := core.BackendFailed
	switch {
	case errors.Is(err, fs.ErrNotExist):
		code = core.ToolNotFound
	case errors.Is(err, fs.ErrPermission):
		code = core.PermissionDenied
	}
	return core.Errorf(code, "start %s: %w", path, err)
}

// endRest waits until the processes of a group that got SIGTERM have ended, and kills the rest after within.
func endRest(group int, within time.Duration) {
	rest := leftEvery
	for began := time.Now(); time.Since(began) < within; rest *= 2 {
		if syscall.Kill(-group, 0) != nil || rest > leftEvery && !lives(group) {
			return
		}
		time.Sleep(min(rest, within-time.Since(began)))
	}
	_ = syscall.Kill(-group, syscall.SIGKILL)
}

// lives reports whether a process of a group runs. A zombie does not.
func lives(group int) bool {
	table, err := process.All()
	if err != nil {
		return true
	}
	for _, p := range table {
		if p.Group == group && !p.Zombie {
			return true
		}
	}
	return false
}

// tail keeps the end of what is written to it.
type tail struct {
	// heard is called for each piece that is written.
	heard func()

	mu   sync.Mutex
	kept []byte
}

// Write never fails.
func (t *tail) Write(text []byte) (int, error) {
	t.heard()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, text...)
	if over := len(t.kept) - stderrKept; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(text), nil
}

// String returns what was kept, as valid text without blanks around it.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(strings.ToValidUTF8(string(t.kept), "\uFFFD"))
}

package bridge

import (
	"context"
	"errors"
	"fmt"
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

// The limits of a run for which a file says nothing.
const (
	usualTimeout = 30 * time.Second
	usualOutput  = 8 << 20
	stderrLimit  = 64 << 10
)

// grace is how long the output of a program is waited for when it has ended but
// something that it started still holds its end of the pipe.
const grace = 500 * time.Millisecond

// printed is the result of a program that has ended.
type printed struct {
	stdout, stderr []byte
	status         int
	took           time.Duration
}

// limits bound a run.
type limits struct {
	timeout time.Duration
	output  int
}

// run runs a program with nothing on its standard input, in a process group of
// its own that is killed when its time is over or ctx ends, with all else that it
// started. What it prints is bounded: a program that prints more is killed too. A
// service that it starts and that it ends without stays.
func run(ctx context.Context, tool *Tool, path string, args []string, bound limits) (printed, error) {
	ctx, stop := context.WithTimeoutCause(ctx, bound.timeout, errLate)
	defer stop()
	ctx, kill := context.WithCancelCause(ctx)
	defer kill(nil)
	cmd := exec.CommandContext(ctx, path, args...)
	id := job.NewID()
	cmd.Env = job.Within(append(os.Environ(), "NO_COLOR=1"), id)
	stdout := &limited{most: bound.output, full: func() { kill(errLoud) }}
	stderr := &limited{most: stderrLimit}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = grace
	began := time.Now()
	err := cmd.Run()
	out := printed{stdout: stdout.bytes(), stderr: stderr.bytes(), took: time.Since(began)}
	if cmd.ProcessState != nil {
		out.status = cmd.ProcessState.ExitCode()
	}
	cause := context.Cause(ctx)
	if cause != nil {
		endJob(context.WithoutCancel(ctx), id)
	}
	exited := (*exec.ExitError)(nil)
	switch {
	case errors.Is(cause, errLate):
		return out, tool.late(args, bound.timeout, out)
	case errors.Is(cause, errLoud):
		return out, tool.failed(args, out, fmt.Sprintf("%s printed more than %d bytes", tool.ID, bound.output))
	case cause != nil:
		return out, cause
	case err == nil, errors.As(err, &exited), errors.Is(err, exec.ErrWaitDelay):
		return out, nil
	case errors.Is(err, fs.ErrNotExist):
		return out, tool.missing()
	case errors.Is(err, fs.ErrPermission):
		return out, core.Errorf(core.PermissionDenied, "run %s: %w", path, err)
	}
	return out, core.Errorf(core.BackendFailed, "run %s: %w", tool.ID, err)
}

// endJob ends the rest of a job that this process started. A failure is ignored: the caller could do nothing about it.
func endJob(ctx context.Context, id string) {
	self, err := process.Find(os.Getpid())
	if err != nil {
		return
	}
	if found, err := job.Find(&job.Job{ID: id, Since: self.Start}); err == nil {
		_, _, _ = found.End(ctx, 0, grace)
	}
}

var (
	errLate = errors.New("its time is over")
	errLoud = errors.New("it printed too much")
)

// limited keeps the beginning of what is written, and reports once that there was
// more.
type limited struct {
	mu   sync.Mutex
	kept []byte
	most int
	full func()
}

func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	room := l.most - len(l.kept)
	l.kept = append(l.kept, p[:min(room, len(p))]...)
	if len(p) > room && l.full != nil {
		l.full()
		l.full = nil
	}
	return len(p), nil
}

func (l *limited) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]byte{}, l.kept...)
}

// missing is the error of a tool that is not installed.
func (t *Tool) missing() *core.Error {
	e := &core.Error{
		Code: core.ToolNotFound, Message: t.ID + " is not installed", Remedies: []core.Remedy{core.RemedyListTools},
		Details: map[string]any{
			"reason": "DEPENDENCY_MISSING", "tool": t.ID, "programs": t.Programs,
			"install": t.Install, "home": t.Home, "gives": t.Gives,
		},
	}
	switch {
	case t.Install != "":
		e.Hint = "Install it with: " + t.Install
	case t.Home != "":
		e.Hint = "See " + t.Home
	}
	return e
}

func (t *Tool) late(args []string, timeout time.Duration, out printed) *core.Error {
	return &core.Error{
		Code: core.Timeout, Message: fmt.Sprintf("%s gave no answer within %s", t.ID, timeout),
		Remedies: []core.Remedy{core.RemedyAllowTime, core.RemedyListTools}, Details: t.details(args, out),
	}
}

// failed is the error of a tool that ended badly, with the code of its cause
// where the tool's words name one.
func (t *Tool) failed(args []string, out printed, says string) *core.Error {
	e := &core.Error{
		Code: core.BackendFailed, Message: says, Hint: "See what the tool says in details.stderr, or run it yourself.",
		Remedies: []core.Remedy{core.RemedyListTools}, Details: t.details(args, out),
	}
	if cause, ok := causeOf(out); ok {
		e.Code, e.Hint = cause.code, cause.hint
	}
	return e
}

// details returns the details of an error about a run.
func (t *Tool) details(args []string, out printed) map[string]any {
	return map[string]any{
		"tool": t.ID, "argv": append([]string{t.Programs[0]}, args...), "exit": out.status,
		"elapsed_ms": out.took.Milliseconds(), "stdout": tail(out.stdout), "stderr": tail(out.stderr),
	}
}

// tailBytes is how much of what a tool printed goes into an error.
const tailBytes = 2000

// tail is the end of what was printed, in whole lines where it is cut.
func tail(text []byte) string {
	whole := strings.ToValidUTF8(string(text), "\uFFFD")
	if len(whole) <= tailBytes {
		return strings.TrimSpace(whole)
	}
	cut := whole[len(whole)-tailBytes:]
	if _, rest, found := strings.Cut(cut, "\n"); found {
		cut = rest
	}
	return strings.TrimSpace(strings.ToValidUTF8(cut, ""))
}

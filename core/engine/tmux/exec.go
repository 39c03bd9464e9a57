package tmux

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"sync/atomic"
	"time"

	"cupola/core/engine"
)

// processes runs one tmux process for each invocation.
type processes struct {
	binary  string
	socket  string
	config  string // empty leaves tmux its own files
	environ []string
	// over makes the command line that runs one on another machine; nil is this one.
	over func(argv ...string) []string
	// version is the program's version, cached after the first query.
	version atomic.Pointer[string]
}

// run passes commands as arguments or, where there are too many, as a script on standard input, which tmux continues
// after a command that fails.
func (p *processes) run(ctx context.Context, commands []command, stdin []byte) (reply, error) {
	if stdin == nil && size(commands) > maxArgv {
		commands, stdin = []command{{"source-file", "-"}}, script(commands)
	}
	args := []string{"-u"}
	if p.socket != "" {
		args = append(args, "-S", p.socket)
	}
	if p.config != "" {
		args = append(args, "-f", p.config)
	}
	return p.start(ctx, p.environ, append(args, flatten(commands)...), stdin)
}

// start runs the tmux program to its end, or kills it with ctx.
func (p *processes) start(ctx context.Context, environ, args []string, stdin []byte) (reply, error) {
	argv := append([]string{p.binary}, args...)
	if p.over != nil {
		argv = p.over(argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = environ
	// tmux hands its output over to the server, which may close it much later.
	cmd.WaitDelay = 2 * time.Second
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r := reply{stdout: stdout.Bytes(), stderr: stderr.Bytes()}
	var status *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay) && ctx.Err() == nil:
		return r, nil
	case ctx.Err() != nil:
		return reply{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return reply{}, fmt.Errorf("%w: %w", engine.ErrUnavailable, err)
	case errors.As(err, &status) && status.Exited():
		r.exit = status.ExitCode()
		return r, nil
	}
	return reply{}, err
}

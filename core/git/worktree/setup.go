package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/system/plainfile"
	"cupola/core/system/process"
	"cupola/core/system/process/child"
)

// setupFile is the file in the git directory of a worktree that holds the state of its set-up.
const setupFile = "cupola-setup"

// The states of a set-up. A worktree without a state needs none.
const (
	setupPending = "pending"
	setupDone    = "done"
)

// errSlow ends a command that takes too long.
var errSlow = errors.New("its time is over")

// NeedsSetUp reports whether a folder is in a worktree of an agent whose set-up has not succeeded yet.
func NeedsSetUp(ctx context.Context, dir string, environ []string) bool {
	if !Within(dir) {
		return false
	}
	_, file, err := setupOf(ctx, dir, environ)
	if err != nil {
		return false
	}
	state, err := plainfile.Read(file, plainfile.Text)
	return err == nil && strings.TrimSpace(string(state)) == setupPending
}

// setupOf returns the top of the worktree that a folder is in, and the file with the state of its set-up.
func setupOf(ctx context.Context, dir string, environ []string) (top, file string, err error) {
	out, err := (&git.Command{Dir: dir, Environ: environ, Within: askWithin}).Line(ctx, "rev-parse",
		"--path-format=absolute", "--show-toplevel", "--git-dir")
	top, own, two := strings.Cut(out, "\n")
	if err == nil && !two {
		err = git.ErrNoTree
	}
	return top, filepath.Join(own, setupFile), err
}

// SetUp runs the set-up commands of the worktree that a folder is in, if it needs that, and passes their output to
// print. It returns HealthFailed if one of them fails or takes too long; the worktree then still needs its set-up.
func (o *Options) SetUp(ctx context.Context, dir string, show func([]byte)) error {
	if !NeedsSetUp(ctx, dir, o.environ()) {
		return nil
	}
	top, file, err := setupOf(ctx, dir, o.environ())
	if err != nil {
		return err
	}
	if err := o.commands(ctx, top, o.Setup, o.SetupTimeout, show); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(setupDone), 0o600)
}

// SetupWords are the words with which this program sets the worktree of its folder up: the program to become then
// follows. They hold all that is needed, since the settings may be out of reach in a sandbox.
func (o *Options) SetupWords() []string {
	return slices.Concat([]string{core.SetupWord, o.SetupTimeout.String(), strconv.Itoa(len(o.Setup))}, o.Setup)
}

// ReadSetupWords returns options with the set-up of such words without the first, and the words that follow. It returns
// InvalidInput for other words.
func ReadSetupWords(words []string) (o Options, argv []string, err error) {
	wrong := core.Errorf(core.InvalidInput, "a time limit, a number of commands, these and a program were expected")
	if len(words) < 3 {
		return o, nil, wrong
	}
	count, err := strconv.Atoi(words[1])
	if err != nil || count < 0 || count > len(words)-3 {
		return o, nil, wrong
	}
	if o.SetupTimeout, err = time.ParseDuration(words[0]); err != nil {
		return o, nil, wrong
	}
	o.Setup = words[2 : 2+count]
	return o, words[2+count:], nil
}

// TearDown runs the commands that end what the set-up of a worktree began. It returns HealthFailed as SetUp does.
func (o *Options) TearDown(ctx context.Context, top string) error {
	return o.commands(ctx, top, o.Teardown, o.TeardownTimeout, func([]byte) {})
}

// commands runs command lines, each in a shell, at the top of a worktree. All together may take as long as the limit; 0
// is no limit.
func (o *Options) commands(ctx context.Context, top string, lines []string, limit time.Duration, show func([]byte),
) error {
	if len(lines) == 0 {
		return nil
	}
	variables, err := o.Variables(ctx, top)
	if err != nil {
		return err
	}
	limited, stop := ctx, context.CancelFunc(func() {})
	if limit > 0 {
		limited, stop = context.WithTimeoutCause(ctx, limit, errSlow)
	}
	defer stop()
	for _, line := range lines {
		show([]byte("$ " + line + "\r\n"))
		var last []byte
		command := child.Command{
			Program: "/bin/sh", Args: []string{"-c", "exec 2>&1\n" + line}, Dir: top,
			Env: slices.Concat(o.environ(), variables, []string{"PWD=" + top}),
		}
		end, err := command.Run(limited, func(text []byte) {
			last = append(last, text...)
			last = last[max(0, len(last)-keptOutput):]
			show(text)
		})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case limited.Err() != nil:
			err = fmt.Errorf("it was ended after %s", core.ShortDuration(limit))
		case err == nil && end.Exit != 0:
			err = fmt.Errorf("it ended with status %d", end.Exit)
		}
		if err != nil {
			return &core.Error{
				Code:    core.HealthFailed,
				Message: fmt.Sprintf("%s failed in %s: %v", line, top, err),
				Hint:    core.Excerpt(string(last)),
				Details: map[string]any{"command": line, "output": string(last)},
			}
		}
	}
	return nil
}

// keptOutput is how much of the end of a command's output an error holds, in bytes.
const keptOutput = 4 << 10

// topVariable is the variable that names the top of a worktree.
const topVariable = "CUPOLA_WORKTREE"

// Variables returns the variables that programs in a worktree get: where it and its repository are and, where ports are
// kept, the first of its ports.
func (o *Options) Variables(ctx context.Context, top string) ([]string, error) {
	if process.Variable(o.environ(), topVariable) == top {
		return nil, nil // the environment belongs to a pane there
	}
	repo, err := Open(ctx, top, Options{Environ: o.environ()})
	if err != nil {
		return nil, err
	}
	variables := []string{topVariable + "=" + top, "CUPOLA_REPOSITORY=" + repo.Top}
	if o.Ports != "" {
		base, err := portsOf(o.Ports).base(ctx, top)
		if err != nil {
			return nil, err
		}
		variables = append(variables, fmt.Sprintf("CUPOLA_PORT_BASE=%d", base))
	}
	return variables, nil
}

// VariablesIn returns the Variables of the worktree of an agent that a folder is in; none in another folder.
func (o *Options) VariablesIn(ctx context.Context, dir string) ([]string, error) {
	if !Within(dir) {
		return nil, nil
	}
	top, _, err := setupOf(ctx, dir, o.environ())
	if err != nil {
		return nil, nil //nolint:nilerr // the folder only looks like one
	}
	return o.Variables(ctx, top)
}

// environ is the environment of git.
func (o *Options) environ() []string {
	if o.Environ == nil {
		return os.Environ()
	}
	return o.Environ
}

// begin notes that a new worktree needs its set-up.
func (o *Options) begin(ctx context.Context, top string) error {
	if len(o.Setup) == 0 {
		return nil
	}
	_, file, err := setupOf(ctx, top, o.environ())
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, []byte(setupPending), 0o600); err != nil {
		return core.FileError("note that the worktree needs its set-up", err)
	}
	return nil
}

package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

var (
	// ErrMissing means that git is not installed.
	ErrMissing = errors.New("git is not installed")
	// ErrNoTree means that a folder is in no working tree.
	ErrNoTree = errors.New("no git working tree")
	// ErrOtherTree means that a repository's settings name another folder as its working tree.
	errOtherTree = errors.New("the repository's core.worktree is not the folder that it is in")
	// ErrTooMuch means that git's output exceeds the size limit.
	errTooMuch = errors.New("git's answer is too long")
	// ErrLate means that git exceeded the time limit.
	ErrLate = errors.New("git took too long")
)

// most is how much of an answer is read, in bytes.
const most = 64 << 20

// Command runs git in a folder. Git prompts for nothing, speaks English, and works on
// the repository of that folder. It ignores GIT variables of the environment, which a
// hook that runs this program sets for another repository.
type Command struct {
	Dir string
	// Environ is the environment of git, in the form of os.Environ; Env is added to it.
	Environ, Env []string
	// Stdin is git's standard input; nil is empty.
	Stdin io.Reader
	// Within is the time limit; zero is no limit.
	Within time.Duration
	// Programs allows git to run programs that the repository names: hooks, filters, and
	// programs that fetch missing objects. Without it, a file under a filter is read
	// unfiltered, and a missing object is an error.
	Programs bool

	// once keeps the filters that were looked up, for questions that follow at once.
	once    bool
	defined *[]string
}

// Output returns what git printed. Its error is ErrMissing, ErrNoTree, ErrTooMuch or
// ErrLate, or contains git's message.
func (c *Command) Output(ctx context.Context, args ...string) (string, error) {
	out := &bounded{limit: most}
	if err := c.Run(ctx, out, args...); err != nil {
		return "", err
	}
	if out.over {
		return "", fmt.Errorf("git %s in %s: %w", args[0], c.Dir, errTooMuch)
	}
	return out.String(), nil
}

// Line is Output without the last end of a line.
func (c *Command) Line(ctx context.Context, args ...string) (string, error) {
	out, err := c.Output(ctx, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// Run runs git with its output going to stdout, and returns the errors of Output except
// ErrTooMuch. The first argument is git's command. If ctx ends first, git and all processes
// that it started are killed.
func (c *Command) Run(ctx context.Context, stdout io.Writer, args ...string) error {
	if c.Within > 0 {
		limited, stop := context.WithTimeoutCause(ctx, c.Within, fmt.Errorf("%w: more than %s", ErrLate, c.Within))
		defer stop()
		ctx = limited
	}
	settings := c.settings()
	if !c.Programs && slices.Contains(showing, args[0]) {
		args = slices.Insert(slices.Clone(args), 1, "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
	}
	if !c.Programs && !slices.Contains(blind, args[0]) {
		filters, err := c.filters(ctx)
		if err != nil {
			return err
		}
		settings = append(settings, withoutFilters(filters)...)
	}
	return c.run(ctx, stdout, settings, args)
}

// run is Run with settings, and without the limit of time.
func (c *Command) run(ctx context.Context, stdout io.Writer, settings, args []string) error {
	cmd := exec.CommandContext(ctx, "git", slices.Concat([]string{"--no-pager", "-C", c.Dir}, settings, args)...)
	cmd.Env = append(environment(c.Environ), c.Env...)
	if !c.Programs {
		cmd.Env = append(cmd.Env, closed...)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	complaint := &bounded{limit: 4 << 10}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = c.Stdin, stdout, complaint
	err := cmd.Run()
	switch said := strings.TrimSpace(complaint.String()); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		// What a hook left running may hold git's output open; git itself has ended well.
		return nil
	case errors.Is(err, exec.ErrNotFound):
		return ErrMissing
	case ctx.Err() != nil:
		return fmt.Errorf("git %s in %s: %w", args[0], c.Dir, context.Cause(ctx))
	case slices.ContainsFunc(strangers, func(phrase string) bool { return strings.Contains(said, phrase) }):
		return fmt.Errorf("%s: %w", c.Dir, ErrNoTree)
	case said == "":
		return fmt.Errorf("git %s in %s: %w", args[0], c.Dir, err)
	default:
		return fmt.Errorf("git %s in %s: %s", args[0], c.Dir, said)
	}
}

// strangers are parts of git's messages about a folder that is in no working tree.
var strangers = []string{
	"not a git repository", "must be run in a work tree", "cannot change to",
	"cannot use bare repository",
}

// foreign are the variables that name a repository or a part of it ('git rev-parse
// --local-env-vars' without those that only carry settings), that change how names
// of files are taken, or that have git print in another way.
var foreign = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
	"GIT_INDEX_FILE", "GIT_NAMESPACE", "GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
	"GIT_REPLACE_REF_BASE", "GIT_SHALLOW_FILE", "GIT_WORK_TREE", "GIT_GLOB_PATHSPECS", "GIT_ICASE_PATHSPECS",
	"GIT_LITERAL_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_DIFF_OPTS", "GIT_EXTERNAL_DIFF", "LANGUAGE",
}

// environment is environ without foreign variables, and with what keeps git quiet.
func environment(environ []string) []string {
	env := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(foreign, name)
	})
	return append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0")
}

// bounded keeps the beginning of what is written to it, and takes the rest too.
type bounded struct {
	bytes.Buffer
	limit int
	over  bool
}

// Write never fails, so that output beyond the bound does not stop git.
func (b *bounded) Write(text []byte) (int, error) {
	if room := b.limit - b.Len(); len(text) > room {
		b.over = true
		b.Buffer.Write(text[:room])
		return len(text), nil
	}
	return b.Buffer.Write(text)
}

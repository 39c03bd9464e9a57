// Package git asks git what changed in a working tree. It only reads: no lock is
// taken, no hook and no command of a repository's configuration is run, and
// nothing is asked of anybody. Every question has a time limit, and its answer a
// limit of size. Names of files come in the form that git gives them without
// quoting, byte for byte. The package keeps nothing between calls.
package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

var (
	// ErrMissing means that git is not installed.
	ErrMissing = errors.New("git is not installed")
	// ErrNoTree means that a folder is in no working tree.
	ErrNoTree = errors.New("no git working tree")
	// ErrTooMuch means that git had more to say than is read.
	ErrTooMuch = errors.New("git's answer is too long")
)

const (
	// within is how long one question may take.
	within = 5 * time.Second
	// most is how much of an answer is read, in bytes.
	most = 16 << 20
)

// Tree is a working tree.
type Tree struct {
	// Root is its folder, and Common the folder of its repository, which the
	// worktrees of one repository share.
	Root, Common string

	environ []string
}

// Open returns the working tree that a folder is in. Environ is what git runs
// with, but for what would name another repository. It returns ErrMissing and
// ErrNoTree.
func Open(ctx context.Context, dir string, environ []string) (*Tree, error) {
	t := &Tree{Root: dir, environ: environment(environ)}
	out, err := t.ask(ctx, "rev-parse", "--path-format=absolute", "--show-toplevel", "--git-common-dir")
	if err != nil {
		return nil, err
	}
	root, common, found := strings.Cut(strings.TrimSuffix(out, "\n"), "\n")
	if !found {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoTree)
	}
	t.Root, t.Common = root, common
	return t, nil
}

// environment leaves out what a hook that runs us has set, and what would make
// git speak another language or ask somebody.
func environment(environ []string) []string {
	env := []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat"}
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(name, "GIT_") && name != "LC_ALL" && name != "LANGUAGE" {
			env = append(env, entry)
		}
	}
	return env
}

// ask runs git in the tree and returns what it printed.
func (t *Tree) ask(ctx context.Context, args ...string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, within)
	defer stop()
	// A repository's own configuration may name a program for each of these.
	safe := []string{"-C", t.Root, "--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "log.showSignature=false"}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	cmd.Env = t.environ
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, complaint := &bounded{limit: most}, &bounded{limit: 4 << 10}
	cmd.Stdout, cmd.Stderr = out, complaint
	err := cmd.Run()
	switch {
	case err == nil && out.over:
		return "", fmt.Errorf("git %s: %w", args[0], ErrTooMuch)
	case err == nil:
		return out.String(), nil
	case errors.Is(err, exec.ErrNotFound):
		return "", ErrMissing
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s in %s: %w", args[0], t.Root, context.Cause(ctx))
	}
	said := strings.TrimSpace(complaint.String())
	if strings.Contains(said, "not a git repository") || strings.Contains(said, "must be run in a work tree") || strings.Contains(said, "cannot change to") {
		return "", fmt.Errorf("%s: %w", t.Root, ErrNoTree)
	}
	return "", fmt.Errorf("git %s in %s: %s", args[0], t.Root, said)
}

// bounded keeps the beginning of what is written to it, and takes the rest too.
type bounded struct {
	bytes.Buffer
	limit int
	over  bool
}

// Write never fails, so that git is not stopped by what nobody reads.
func (b *bounded) Write(text []byte) (int, error) {
	if room := b.limit - b.Len(); len(text) > room {
		b.over = true
		b.Buffer.Write(text[:room])
		return len(text), nil
	}
	return b.Buffer.Write(text)
}

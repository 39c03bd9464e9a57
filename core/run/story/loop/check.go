package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/process/child"
	"cupola/core/text/secret"
)

// keptOutput is how much of the end of what a command printed, or an agent said, is kept, in bytes.
const keptOutput = 16 << 10

// errSlow is the cause of a command that took too long.
var errSlow = errors.New("it took too long")

// check runs a command in a shell in a folder. It fails only if the command could not be run or ctx ended.
func check(ctx context.Context, dir, command string, environ []string, within time.Duration) (story.Check, error) {
	limited, stop := context.WithTimeoutCause(ctx, within, errSlow)
	defer stop()
	began := time.Now()
	printed := &ending{}
	shell := child.Command{
		Program: "/bin/sh", Args: []string{"-c", "exec 2>&1\n" + command}, Dir: dir,
		Env: slices.Concat(environ, []string{"PWD=" + dir}),
	}
	end, err := shell.Run(limited, printed.take)
	if ctx.Err() != nil {
		return story.Check{}, ctx.Err()
	}
	if err != nil {
		return story.Check{}, err
	}
	c := story.Check{
		Command: command, Exit: end.Exit, Passed: end.Exit == 0, ElapsedMS: time.Since(began).Milliseconds(),
		Output: secret.Mask(printed.String()),
	}
	for _, left := range end.Left {
		c.Output = strings.TrimSpace(c.Output + "\n(It left a process behind that keeps running: " +
			"" + left.String() + ".)")
	}
	if limited.Err() != nil {
		c.Passed, c.Exit = false, -1
		c.Output = strings.TrimSpace(c.Output + "\n(It was ended after " + core.ShortDuration(within) + ".)")
	}
	return c, nil
}

// ending keeps the end of what a command printed.
type ending struct {
	kept []byte
	cut  bool
}

func (e *ending) take(text []byte) {
	e.kept = append(e.kept, text...)
	if over := len(e.kept) - keptOutput; over > 0 {
		e.kept, e.cut = append(e.kept[:0], e.kept[over:]...), true
	}
}

// String returns the text that was kept, from the start of a line.
func (e *ending) String() string {
	text := strings.ToValidUTF8(string(e.kept), "\uFFFD")
	if _, rest, more := strings.Cut(text, "\n"); e.cut && more {
		text = rest
	}
	return strings.TrimSpace(text)
}

// verify runs the verification commands of a run until one fails, which it returns. Their changes are undone, so that
// the commit has the content that they verified; files that git ignores stay.
func (s *workspace) verify(ctx context.Context, t *tree, p *story.Progress, dir string) (failed string, err error) {
	before, err := t.content(ctx)
	if err != nil {
		return "", err
	}
	for _, command := range s.rec.Verify {
		done, err := check(ctx, dir, command, s.environ, s.rec.Limits.VerifyTimeout)
		if err != nil {
			return "", errors.Join(err, t.restore(ctx, before))
		}
		took := core.ShortDuration(time.Duration(done.ElapsedMS) * time.Millisecond)
		err = s.rec.change(p, func(try *story.Try) []story.Event {
			if try != nil {
				try.Checks = append(try.Checks, done)
			}
			return []story.Event{{
				Type: story.Verified, Command: command, Passed: &done.Passed, Output: done.Output,
				Text: fmt.Sprintf("exit status %d after %s", done.Exit, took),
			}}
		})
		if err != nil {
			return "", err
		}
		if !done.Passed {
			failed = fmt.Sprintf("%s failed with exit status %d", core.OneLine(command), done.Exit)
			break
		}
	}
	return failed, t.restore(ctx, before)
}

// setUp runs the commands that a new worktree needs.
func (s *workspace) setUp(ctx context.Context, dir string) error {
	if err := s.trees.SetUp(ctx, dir, func([]byte) {}); err != nil {
		return err
	}
	for _, command := range s.rec.Setup {
		done, err := check(ctx, dir, command, s.environ, s.rec.Limits.VerifyTimeout)
		if err != nil {
			return err
		}
		if !done.Passed {
			return &core.Error{
				Code: core.HealthFailed,
				Message: fmt.Sprintf("the worktree %s could not be set up: %s failed with exit status %d: %s", dir,
					command, done.Exit, core.Excerpt(done.Output)),
				Details: map[string]any{"command": command, "output": done.Output},
			}
		}
	}
	return nil
}

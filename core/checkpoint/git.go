package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// git runs git in a folder. It runs no hook and asks nobody.
type git struct {
	dir string
	// env is added to the environment.
	env []string
}

// quietly are settings under which git does nothing beside what it is told.
var quietly = []string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "core.safecrlf=false", "-c", "advice.addEmbeddedRepo=false"}

// run runs git. Its error is what git complained of.
func (g *git) run(ctx context.Context, stdin io.Reader, stdout io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, "git", append(append([]string{"-C", g.dir}, quietly...), args...)...)
	cmd.Env = append(cleanEnvironment(os.Environ()), g.env...)
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, &stderr
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if said := strings.TrimSpace(stderr.String()); said != "" {
			return fmt.Errorf("git: %s", said)
		}
		return fmt.Errorf("git: %w", err)
	}
	return nil
}

func (g *git) output(ctx context.Context, stdin io.Reader, args ...string) (string, error) {
	var out bytes.Buffer
	err := g.run(ctx, stdin, &out, args...)
	return out.String(), err
}

// line is the output without its last newline.
func (g *git) line(ctx context.Context, args ...string) (string, error) {
	out, err := g.output(ctx, nil, args...)
	return strings.TrimSuffix(out, "\n"), err
}

// cleanEnvironment leaves out what a git hook that runs us would have set: it
// names the hook's repository.
func cleanEnvironment(environ []string) []string {
	env := []string{"GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "LC_ALL=C"}
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); name {
		case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
			"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_EXTERNAL_DIFF", "LC_ALL":
		default:
			env = append(env, entry)
		}
	}
	return env
}

package relay

import (
	"context"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/git"
)

// gitWithin is how long one question to git may take.
const gitWithin = 20 * time.Second

// ReviewPrompt is asked where a review comes without a prompt.
const ReviewPrompt = "Review the changes below. Report what is wrong or risky, the most important first, each with " +
	"the file and the line. Say so if nothing is."

// baseOf returns what a review compares with: the named base, or main, master or the commit
// before the last, whichever there is first.
func baseOf(ctx context.Context, named, dir string, environ []string) string {
	if named != "" {
		return named
	}
	command := &git.Command{Dir: dir, Environ: environ, Within: gitWithin}
	for _, branch := range []string{"main", "master"} {
		if _, err := command.Output(ctx, "rev-parse", "--verify", "--quiet", branch+"^{commit}"); err == nil {
			return branch
		}
	}
	return "HEAD~1"
}

// reviewed returns the changes since the working tree left base, those that are not committed
// included, checked for size. What git refuses is an error with its words, and so is a tree
// without changes.
func reviewed(ctx context.Context, base, dir string, environ []string) (string, error) {
	command := &git.Command{Dir: dir, Environ: environ, Within: gitWithin}
	_, err := command.Output(ctx, "rev-parse", "--verify", base+"^{commit}")
	changes := ""
	if err == nil {
		changes, err = command.Output(ctx, "diff", "--merge-base", base, "--")
	}
	if err != nil {
		e := core.Errorf(core.InvalidInput, "Failed to collect git diff against %s: %w", base, err)
		e.Hint = "Name a branch or a commit of the repository to compare with."
		return "", e
	}
	changes = strings.ToValidUTF8(strings.TrimSpace(changes), "\uFFFD")
	if changes == "" {
		e := core.Errorf(core.InvalidInput, "There is nothing to review: nothing changed since %s", base)
		e.Hint = "New files that git does not know count only if they are asked for."
		return "", e
	}
	return changes, fits("Git diff", changes, MaxDiff)
}

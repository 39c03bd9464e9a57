package loop_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cupola/core"
	"cupola/core/git/gittest"
	"cupola/core/run/story"
)

func TestAWorktreeThatCannotBeSetUpIsReportedAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, honest)
	r := w.run(
		t.Context(),
		w.begin(func(r *story.Run) { r.Setup = []string{"echo no such thing; exit 3"} }).ID,
		story.Limits{},
	)
	if r.Reason != story.Error || !strings.Contains(r.Error, "exit status 3: no such thing") || r.Iterations != 0 {
		t.Errorf("it ended by %s: %s", r.Reason, r.Error)
	}
}

func TestNothingOfAnotherRepositoryIsChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1, func(ctx context.Context, a *asked) (string, error) {
		if err := os.Remove(filepath.Join(a.dir, ".git")); err != nil {
			a.Error(err)
		}
		return honest(ctx, a)
	})
	above := filepath.Dir(w.repo)
	gittest.Run(t, above, nil, "init", "-q", "-b", "main")
	gittest.Run(t, above, nil, "commit", "-q", "--allow-empty", "-m", "begin")
	state := func() string {
		return gittest.Run(t, above, nil, "log", "--oneline", "--all") +
			gittest.Run(t, above, nil, "ls-files", "--stage")
	}
	before := state()
	r := w.run(t.Context(), w.begin(nil).ID, story.Limits{})
	if r.Reason != story.Error || r.State != story.Failed {
		t.Errorf("it ended by %s: %s", r.Reason, r.Error)
	}
	if again := w.run(t.Context(), r.ID, story.Limits{}); again.ErrorCode != core.ProjectNotFound {
		t.Errorf("it went on: %s, %s", again.ErrorCode, again.Error)
	}
	if after := state(); after != before {
		t.Errorf("the repository above was %q and is %q", before, after)
	}
}

package loop

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
)

// merge brings the commit of a story that was worked on in a worktree of its own into that of the run. Where it
// cannot, the story's worktree becomes one in which the conflict can be resolved, and done is false.
func (w *work) merge(ctx context.Context, commit string) (done bool, err error) {
	err = w.rec.change(w.p, func(*story.Try) []story.Event {
		w.p.State = story.Merging
		return nil
	})
	if err == nil {
		err = w.run.turn(ctx, w.p)
	}
	if err != nil {
		return false, err
	}
	w.space.merging.Lock()
	defer w.space.merging.Unlock()
	main := w.space.main
	head, err := main.head(ctx)
	if err != nil {
		return false, err
	}
	failed, err := w.apply(ctx, commit)
	if err == nil && failed == "" && head != w.p.Base {
		if failed, err = w.space.verify(ctx, main, w.p, w.rec.Worktree); failed != "" {
			failed = "together with the stories that were merged before, " + failed
		}
	}
	if err == nil && failed == "" {
		return true, w.mergeApplied(ctx, head)
	}
	if reset := main.reset(ctx, w.rec.ID, head); err != nil || reset != nil {
		return false, errors.Join(err, reset)
	}
	return false, w.conflicts(ctx, commit, head, failed)
}

// mergeApplied commits what was applied to the worktree of the run.
func (w *work) mergeApplied(ctx context.Context, head string) error {
	if err := w.space.flush(ctx); err != nil {
		return err
	}
	commit, err := w.commitTo(ctx, w.space.main, head)
	if err != nil {
		return err
	}
	err = w.rec.change(w.p, func(*story.Try) []story.Event {
		return []story.Event{{Type: story.Merged, Commit: commit, Text: "merged into " + w.rec.Branch}}
	})
	if err != nil {
		return err
	}
	return w.merged(ctx, commit)
}

// merged records that a story is done, and removes its own worktree.
func (w *work) merged(ctx context.Context, commit string) error {
	if err := w.done(ctx, commit); err != nil {
		return err
	}
	if w.session != "" && w.tree != w.space.main {
		_, err := w.run.loop.Sessions.Close(ctx, w.session, nil)
		if err != nil && !core.AsError(err).HasCode(core.NotFound) {
			return err
		}
	}
	return w.space.leave(ctx, w.p)
}

// apply applies the commit of a story to the worktree of the run. Of the list of tasks it takes the ticks alone: all
// stories change that file. It returns the conflict, if there is one.
func (w *work) apply(ctx context.Context, commit string) (conflict string, err error) {
	main := w.space.main
	_, picked := main.line(ctx, "cherry-pick", "--no-commit", commit)
	if err := w.tick(ctx, main, picked != nil); err != nil {
		return "", err
	}
	open, err := main.unmerged(ctx)
	switch {
	case err != nil:
		return "", err
	case len(open) > 0:
		return "it conflicts with stories that were merged before, in " + strings.Join(open, ", "), nil
	case picked != nil && !strings.Contains(picked.Error(), "after resolving the conflicts"):
		return "", picked
	}
	return "", nil
}

// tick makes the list of tasks in a worktree that of its last commit, with the ticks of the story. A list that git
// ignores is in no commit.
func (w *work) tick(ctx context.Context, t *tree, conflict bool) error {
	if !w.rec.Source.InRepository() {
		return nil
	}
	if _, err := t.line(ctx, "checkout", "HEAD", "--", ":(top)"+w.rec.Path); err != nil && conflict {
		return err
	}
	change, err := w.space.list(w.tree, w.p)
	if err != nil {
		return err
	}
	one, err := storyOf(change, w.p.ID)
	if err != nil {
		return err
	}
	for i := range one.Tasks {
		if _, err := w.space.files.Tick(ctx, w.space.tasks(t), one.Tasks[i].ID, true); err != nil {
			return err
		}
	}
	return nil
}

// conflicts makes the worktree of a story one in which its conflict with other stories can be resolved.
func (w *work) conflicts(ctx context.Context, commit, head, failed string) error {
	err := w.rec.change(w.p, func(try *story.Try) []story.Event {
		w.p.Base, w.p.Failure, w.p.TasksDone, w.p.Unmerged = head, failed, 0, commit
		if try != nil {
			try.Outcome, try.Failure = story.NotProven, failed
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.checkOutConflict(ctx)
}

// checkOutConflict resets the worktree of a story to what is merged, and puts into it what the story changes, with
// conflict markers. A run that was killed meanwhile does it again.
func (w *work) checkOutConflict(ctx context.Context) error {
	commit := w.p.Unmerged
	if err := w.tree.keep(ctx, w.rec.ID, commit); err != nil {
		return err
	}
	if err := w.tree.reset(ctx, w.rec.ID, w.p.Base); err != nil {
		return err
	}
	// That it conflicts is known; what it could not apply is seen by the markers.
	_, _ = w.tree.line(ctx, "cherry-pick", "--no-commit", commit)
	if w.rec.Source.InRepository() {
		if _, err := w.tree.line(ctx, "checkout", "HEAD", "--", ":(top)"+w.rec.Path); err != nil {
			return err
		}
	}
	open, err := w.tree.unmerged(ctx)
	if err != nil {
		return err
	}
	w.conflict = open
	return w.rec.change(w.p, func(*story.Try) []story.Event {
		w.p.Unmerged = ""
		return []story.Event{{Type: story.Conflict, Text: w.p.Failure, Files: open}}
	})
}

// unmerged are the files with conflicts, relative to the root.
func (t *tree) unmerged(ctx context.Context) ([]string, error) {
	out, err := t.line(ctx, "diff", "--name-only", "--diff-filter=U", "-z")
	if err != nil {
		return nil, err
	}
	return strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), nil
}

// marked are the files of the worktree that differ from its commit and have conflict markers.
func (t *tree) marked(ctx context.Context) ([]string, error) {
	out, err := t.line(ctx, "diff", "--name-only", "-z", "HEAD")
	if err != nil {
		return nil, err
	}
	return t.markers(strings.FieldsFunc(out, func(r rune) bool { return r == 0 })), nil
}

// mostMarked is how large a file may be that is searched for conflict markers, in bytes.
const mostMarked = 16 << 20

// markers returns the names of files that have conflict markers.
func (t *tree) markers(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		text, err := plainfile.Read(filepath.Join(t.root, name), mostMarked)
		return err != nil || !hasMarkers(text)
	})
}

func hasMarkers(text []byte) bool {
	begin, end := false, false
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, mostMarked)
	for lines.Scan() {
		begin = begin || bytes.HasPrefix(lines.Bytes(), []byte("<<<<<<< "))
		end = end || bytes.HasPrefix(lines.Bytes(), []byte(">>>>>>> "))
	}
	return begin && end
}

// storyOf returns a story of a change; StoryNotFound if it is gone.
func storyOf(change *story.Change, id string) (*story.Story, error) {
	if one := change.Story(id); one != nil {
		return one, nil
	}
	return nil, core.Errorf(core.StoryNotFound, "story %s is gone from %s", id, change.Path)
}

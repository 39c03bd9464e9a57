package loop

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/plainfile"
	"cupola/core/story"
	"cupola/core/worktree"
)

// merge brings the commit of a story that was worked on in a worktree of its own into that of the run. Where it
// cannot, the story's worktree becomes one in which the conflict can be resolved, and done is false.
func (w *work) merge(ctx context.Context, commit string) (done bool, err error) {
	if err := w.run.step(w.p, story.Merging); err != nil {
		return false, err
	}
	if err := w.run.turn(ctx, w.p); err != nil {
		return false, err
	}
	w.run.merging.Lock()
	defer w.run.merging.Unlock()
	head, err := w.run.main.head(ctx)
	if err != nil {
		return false, err
	}
	// Whatever a killed process left there is no one's work.
	if err := w.run.main.reset(ctx, w.run.ID, head); err != nil {
		return false, err
	}
	failed, err := w.apply(ctx, commit)
	if err == nil && failed == "" && head != w.p.Base {
		failed, err = w.run.verify(ctx, w.run.main, w.p, w.run.Worktree)
		if failed != "" {
			failed = "together with the stories that were merged before, " + failed
		}
	}
	if err != nil {
		return false, err
	}
	if failed != "" {
		if err := w.run.main.reset(ctx, w.run.ID, head); err != nil {
			return false, err
		}
		return false, w.conflicts(ctx, commit, head, failed)
	}
	if err := w.run.flush(ctx); err != nil {
		return false, err
	}
	content, err := w.run.main.content(ctx)
	if err != nil {
		return false, err
	}
	merged, err := w.run.main.commit(ctx, content, head, w.message())
	if err != nil {
		return false, err
	}
	err = w.run.change(w.p, func(*story.Try) []story.Event {
		return []story.Event{{Type: story.Merged, Commit: merged, Text: "merged into " + w.run.Branch}}
	})
	if err != nil {
		return false, err
	}
	return true, w.merged(ctx, merged)
}

// merged records that a story is done, and removes its own worktree.
func (w *work) merged(ctx context.Context, commit string) error {
	if err := w.done(ctx, commit); err != nil {
		return err
	}
	if w.session != "" && w.tree != w.run.main {
		if _, err := w.run.loop.Sessions.Close(ctx, w.session, nil); err != nil {
			return err
		}
	}
	return w.run.leave(ctx, w.p)
}

// apply applies the commit of a story to the worktree of the run. Of the list of tasks it takes the ticks alone: all
// stories change that file. It returns the conflict, if there is one.
func (w *work) apply(ctx context.Context, commit string) (conflict string, err error) {
	_, picked := w.run.main.line(ctx, "cherry-pick", "--no-commit", commit)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if tasks := w.run.tasks(w.run.main); w.run.Path != "" {
		if _, err := os.Lstat(tasks); err == nil || picked != nil {
			if _, err := w.run.main.line(ctx, "checkout", "HEAD", "--", ":(top)"+w.run.Path); err != nil {
				return "", err
			}
		}
		if err := w.tick(ctx, tasks); err != nil {
			return "", err
		}
	}
	open, err := w.run.main.unmerged(ctx)
	if err != nil {
		return "", err
	}
	switch {
	case len(open) > 0:
		return "it conflicts with stories that were merged before, in " + strings.Join(open, ", "), nil
	case picked != nil && !strings.Contains(picked.Error(), "after resolving the conflicts"):
		return "", picked
	}
	return "", nil
}

// tick ticks all tasks of the story in a file.
func (w *work) tick(ctx context.Context, path string) error {
	change, err := w.run.read(w.tree, w.p)
	if err != nil {
		return err
	}
	one, err := storyOf(change, w.p.ID)
	if err != nil {
		return err
	}
	for i := range one.Tasks {
		if _, err := w.run.loop.Files.Tick(ctx, path, one.Tasks[i].ID, true); err != nil {
			return err
		}
	}
	return nil
}

// conflicts makes the worktree of a story one in which its conflict with other stories can be resolved.
func (w *work) conflicts(ctx context.Context, commit, head, failed string) error {
	err := w.run.change(w.p, func(try *story.Try) []story.Event {
		w.p.Base, w.p.Failure, w.p.TasksDone, w.p.Unmerged = head, failed, 0, commit
		if try != nil {
			try.Outcome, try.Failure = story.NotProven, failed
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.lay(ctx)
}

// lay resets the worktree of a story to what is merged, and puts into it what the story changes, with conflict
// markers. A run that was killed meanwhile does it again.
func (w *work) lay(ctx context.Context) error {
	commit := w.p.Unmerged
	if err := w.tree.keep(ctx, w.run.ID, commit); err != nil {
		return err
	}
	if err := w.tree.reset(ctx, w.run.ID, w.p.Base); err != nil {
		return err
	}
	// That it conflicts is known; what it could not apply is seen by the markers.
	_, _ = w.tree.line(ctx, "cherry-pick", "--no-commit", commit)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if w.run.Path != "" {
		if _, err := w.tree.line(ctx, "checkout", "HEAD", "--", ":(top)"+w.run.Path); err != nil {
			return err
		}
	}
	open, err := w.tree.unmerged(ctx)
	if err != nil {
		return err
	}
	w.conflict = open
	return w.run.change(w.p, func(*story.Try) []story.Event {
		w.p.Unmerged = ""
		return []story.Event{{Type: story.Conflict, Text: w.p.Failure, Files: open}}
	})
}

// leave removes the worktree that a story had for itself, as far as it is there.
func (r *run) leave(ctx context.Context, p *story.Progress) error {
	if p.Branch == "" {
		return nil
	}
	making, err := worktree.Prepare(ctx, r.Worktree, r.loop.Environ)
	if err != nil {
		return err
	}
	path := worktree.Path(making.Top(), story.Group(r.Name), r.label(p))
	if err := r.remove(ctx, p.Branch, path); err != nil {
		return err
	}
	return r.change(p, func(*story.Try) []story.Event {
		p.Worktree, p.Branch, p.Base = "", "", ""
		return nil
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
	return t.markers(strings.FieldsFunc(out, func(r rune) bool { return r == 0 }))
}

// mostMarked is how large a file may be that is searched for conflict markers, in bytes.
const mostMarked = 16 << 20

// markers are those of some files that have conflict markers.
func (t *tree) markers(names []string) ([]string, error) {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		text, err := plainfile.Read(filepath.Join(t.root, name), mostMarked)
		return err != nil || !hasMarkers(text)
	}), nil
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
	return nil, core.Errorf(core.StoryNotFound, "%s", fmt.Sprintf("story %s is gone from %s", id, change.Path))
}

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

// merger brings what was worked on into the worktree of the run.
type merger struct{ work *work }

// merge brings the commit of a story that was worked on in a worktree of its own into that of the run. Where it
// cannot, the story's worktree becomes one in which the conflict can be resolved, and done is false.
func (m merger) merge(ctx context.Context, commit string) (done bool, err error) {
	err = m.work.rec.change(m.work.p, func(*story.Try) []story.Event {
		m.work.p.State = story.Merging
		return nil
	})
	if err == nil {
		err = m.work.run.turn(ctx, m.work.p)
	}
	if err != nil {
		return false, err
	}
	m.work.space.merging.Lock()
	defer m.work.space.merging.Unlock()
	main := m.work.space.main
	head, err := main.head(ctx)
	if err != nil {
		return false, err
	}
	failed, err := m.apply(ctx, commit)
	if err == nil && failed == "" && head != m.work.p.Base {
		if failed, err = m.work.space.verify(ctx, main, m.work.p, m.work.rec.Worktree); failed != "" {
			failed = "together with the stories that were merged before, " + failed
		}
	}
	if err == nil && failed == "" {
		return true, m.mergeApplied(ctx, head)
	}
	if reset := main.reset(ctx, m.work.rec.ID, head); err != nil || reset != nil {
		return false, errors.Join(err, reset)
	}
	return false, m.conflicts(ctx, commit, head, failed)
}

// mergeApplied commits what was applied to the worktree of the run.
func (m merger) mergeApplied(ctx context.Context, head string) error {
	if err := m.work.space.flush(ctx); err != nil {
		return err
	}
	commit, err := m.work.commitTo(ctx, m.work.space.main, head)
	if err != nil {
		return err
	}
	err = m.work.rec.change(m.work.p, func(*story.Try) []story.Event {
		return []story.Event{{Type: story.Merged, Commit: commit, Text: "merged into " + m.work.rec.Branch}}
	})
	if err != nil {
		return err
	}
	return m.merged(ctx, commit)
}

// merged records that a story is done, and removes its own worktree.
func (m merger) merged(ctx context.Context, commit string) error {
	if err := m.work.done(ctx, commit); err != nil {
		return err
	}
	if m.work.session != "" && m.work.tree != m.work.space.main {
		_, err := m.work.run.loop.Sessions.Close(ctx, m.work.session, nil)
		if err != nil && !core.AsError(err).HasCode(core.NotFound) {
			return err
		}
	}
	return m.work.space.leave(ctx, m.work.p)
}

// apply applies the commit of a story to the worktree of the run. Of the list of tasks it takes the ticks alone: all
// stories change that file. It returns the conflict, if there is one.
func (m merger) apply(ctx context.Context, commit string) (conflict string, err error) {
	main := m.work.space.main
	_, picked := main.line(ctx, "cherry-pick", "--no-commit", commit)
	if err := m.tick(ctx, main, picked != nil); err != nil {
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
func (m merger) tick(ctx context.Context, t *tree, conflict bool) error {
	if !m.work.rec.Source.InRepository() {
		return nil
	}
	if _, err := t.line(ctx, "checkout", "HEAD", "--", ":(top)"+m.work.rec.Path); err != nil && conflict {
		return err
	}
	change, err := m.work.space.list(m.work.tree, m.work.p)
	if err != nil {
		return err
	}
	one, err := storyOf(change, m.work.p.ID)
	if err != nil {
		return err
	}
	for i := range one.Tasks {
		if _, err := m.work.space.files.Tick(ctx, m.work.space.tasks(t), one.Tasks[i].ID, true); err != nil {
			return err
		}
	}
	return nil
}

// conflicts makes the worktree of a story one in which its conflict with other stories can be resolved.
func (m merger) conflicts(ctx context.Context, commit, head, failed string) error {
	err := m.work.rec.change(m.work.p, func(try *story.Try) []story.Event {
		m.work.p.Base, m.work.p.Failure, m.work.p.TasksDone, m.work.p.Unmerged = head, failed, 0, commit
		if try != nil {
			try.Outcome, try.Failure = story.NotProven, failed
		}
		return nil
	})
	if err != nil {
		return err
	}
	return m.checkOutConflict(ctx)
}

// checkOutConflict resets the worktree of a story to what is merged, and puts into it what the story changes, with
// conflict markers. A run that was killed meanwhile does it again.
func (m merger) checkOutConflict(ctx context.Context) error {
	commit := m.work.p.Unmerged
	if err := m.work.tree.keep(ctx, m.work.rec.ID, commit); err != nil {
		return err
	}
	if err := m.work.tree.reset(ctx, m.work.rec.ID, m.work.p.Base); err != nil {
		return err
	}
	// That it conflicts is known; what it could not apply is seen by the markers.
	_, _ = m.work.tree.line(ctx, "cherry-pick", "--no-commit", commit)
	if m.work.rec.Source.InRepository() {
		if _, err := m.work.tree.line(ctx, "checkout", "HEAD", "--", ":(top)"+m.work.rec.Path); err != nil {
			return err
		}
	}
	open, err := m.work.tree.unmerged(ctx)
	if err != nil {
		return err
	}
	m.work.conflict = open
	return m.work.rec.change(m.work.p, func(*story.Try) []story.Event {
		m.work.p.Unmerged = ""
		return []story.Event{{Type: story.Conflict, Text: m.work.p.Failure, Files: open}}
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

// markers are those of some files that have conflict markers.
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

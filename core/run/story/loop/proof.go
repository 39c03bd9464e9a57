package loop

import (
	"context"
	"fmt"
	"strings"

	"cupola/core/run/story"
	"cupola/core/text/secret"
)

// state is the content of a worktree: the stories, and the stories in its last commit; nil where no commit has them.
type state struct{ now, committed *story.Change }

// look reads the stories. Why they cannot be read is no error of the run.
func (w *work) look(ctx context.Context) (st state, unreadable error) {
	st.now, unreadable = w.space.list(w.tree, w.p)
	st.committed = w.space.committed(ctx, w.tree, w.p)
	return st, unreadable
}

// scope takes back what an agent ticked beyond its story.
func (w *work) scope(ctx context.Context, st state) error {
	if st.now == nil || st.committed == nil {
		return nil
	}
	for i := range st.now.Stories {
		s := &st.now.Stories[i]
		for j := range s.Tasks {
			task := &s.Tasks[j]
			_, was := st.committed.Task(task.ID)
			if s.ID == w.p.ID || was == nil || was.Done == task.Done {
				continue
			}
			if _, err := w.space.files.Tick(ctx, w.space.tasks(w.tree), task.ID, was.Done); err != nil {
				return err
			}
			task.Done = was.Done
			err := w.rec.change(w.p, func(*story.Try) []story.Event {
				return []story.Event{{
					Type: story.Scope, Text: fmt.Sprintf("the mark of task %s of story %s was put back", task.ID, s.ID),
				}}
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// count records how many tasks of the story are ticked, and returns how many are new.
func (w *work) count(st state) (ticked int, err error) {
	if st.now == nil || st.now.Story(w.p.ID) == nil {
		return 0, nil
	}
	one := st.now.Story(w.p.ID)
	done := one.TasksDone()
	return done - w.p.TasksDone, w.rec.change(w.p, func(*story.Try) []story.Event {
		if done == w.p.TasksDone {
			return nil
		}
		w.p.TasksDone, w.p.TasksTotal = done, len(one.Tasks)
		return []story.Event{{Type: story.Ticked, Text: fmt.Sprintf("%d of %d tasks are ticked", done, len(one.Tasks))}}
	})
}

// gone are the ids of the tasks that the last commit has and the worktree has not, of any story.
func (st state) gone() (ids []string) {
	if st.now == nil || st.committed == nil {
		return nil
	}
	for i := range st.committed.Stories {
		s := &st.committed.Stories[i]
		for j := range s.Tasks {
			if owner, _ := st.now.Task(s.Tasks[j].ID); owner == nil || owner.ID != s.ID {
				ids = append(ids, s.Tasks[j].ID)
			}
		}
	}
	return ids
}

// missing returns the work that is not done according to the list of tasks; empty if all is.
func (w *work) missing(st state) string {
	one := st.now.Story(w.p.ID)
	switch gone := st.gone(); {
	case len(gone) > 0:
		return "tasks are gone from the list, which was put back: " + strings.Join(gone, ", ")
	case one == nil:
		return fmt.Sprintf("story %s is gone from the list of tasks", w.p.ID)
	}
	var open []string
	for i := range one.Tasks {
		if !one.Tasks[i].Done {
			open = append(open, one.Tasks[i].ID)
		}
	}
	if len(open) > 0 {
		return "tasks are not ticked: " + strings.Join(open, ", ")
	}
	return ""
}

// putBack makes the list of tasks that of the last commit, if tasks are gone from it or it cannot be read, so that
// the next agent has them all. What is ticked of the story stays so.
func (w *work) putBack(ctx context.Context, st state) error {
	if st.committed == nil || st.now != nil && len(st.gone()) == 0 {
		return nil
	}
	if err := w.space.putBack(ctx, w.tree, w.p); err != nil {
		return err
	}
	one := st.committed.Story(w.p.ID)
	for i := 0; st.now != nil && one != nil && i < len(one.Tasks); i++ {
		if owner, task := st.now.Task(one.Tasks[i].ID); owner != nil && owner.ID == w.p.ID && task.Done {
			if _, err := w.space.files.Tick(ctx, w.space.tasks(w.tree), task.ID, true); err != nil {
				return err
			}
		}
	}
	return w.rec.change(w.p, func(*story.Try) []story.Event {
		return []story.Event{{Type: story.Scope, Text: "the list of tasks was put back"}}
	})
}

// prove returns why the story is not done; empty if it is: its tasks are there and ticked, no conflict is left, and
// the verification commands pass. Content is the content of the worktree, as a git tree.
func (w *work) prove(ctx context.Context, st state, unreadable error, content string) (failed string, err error) {
	if unreadable != nil {
		return "the tasks cannot be read: " + unreadable.Error(), nil
	}
	if failed := w.missing(st); failed != "" {
		return failed, nil
	}
	if marked := w.tree.markers(w.conflict); len(marked) > 0 {
		return "conflict markers are left in " + strings.Join(marked, ", "), nil
	}
	err = w.rec.change(w.p, func(try *story.Try) []story.Event {
		w.p.State = story.Verifying
		if try != nil {
			try.Content = content
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if failed, err = w.space.verify(ctx, w.tree, w.p, w.dir()); err != nil {
		return "", err
	}
	w.rec.mu.Lock()
	defer w.rec.mu.Unlock()
	if try := w.p.Last(); try != nil {
		try.Content = ""
	}
	return failed, nil
}

// proveAgain proves a story without asking an agent, and commits it if it is done.
func (w *work) proveAgain(ctx context.Context) (done bool, err error) {
	content, err := w.tree.content(ctx)
	if err != nil {
		return false, err
	}
	st, unreadable := w.look(ctx)
	failed, err := w.prove(ctx, st, unreadable, content)
	if err != nil {
		return false, err
	}
	if failed == "" {
		return w.commit(ctx)
	}
	if err := w.putBack(ctx, st); err != nil {
		return false, err
	}
	return false, w.rec.change(w.p, func(try *story.Try) []story.Event {
		w.p.Failure = secret.Mask(failed)
		if try != nil {
			try.Outcome, try.Failure = story.NotProven, w.p.Failure
		}
		return nil
	})
}

// ended records how a try ended.
func (w *work) ended(failed string, ticked int, changed bool) error {
	return w.rec.change(w.p, func(try *story.Try) []story.Event {
		try.Ended, try.Ticked, try.Changed = w.rec.now().UTC(), ticked, changed
		try.Outcome, try.Failure = story.Proven, secret.Mask(failed)
		if failed != "" {
			try.Outcome = story.NotProven
		}
		w.p.Failure = try.Failure
		w.run.unchanged++
		if changed || ticked > 0 || failed == "" {
			w.run.unchanged = 0
		}
		return []story.Event{{Type: story.TryEnd, Step: w.p.State, Text: failed}}
	})
}

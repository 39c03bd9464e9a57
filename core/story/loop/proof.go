package loop

import (
	"context"
	"fmt"
	"strings"

	"cupola/core/secret"
	"cupola/core/story"
)

// scope takes back what an agent ticked beyond its story, and counts the tasks of the story that are new.
func (w *work) scope(ctx context.Context) (ticked int, err error) {
	change, err := w.run.read(w.tree, w.p)
	if err != nil {
		return 0, nil //nolint:nilerr // what cannot be read is told by the proof
	}
	began := w.beganWith(ctx)
	for i := range change.Stories {
		s := &change.Stories[i]
		if s.ID == w.p.ID || began == nil {
			continue
		}
		for j := range s.Tasks {
			task := &s.Tasks[j]
			if _, was := began.Task(task.ID); was == nil || was.Done == task.Done {
				continue
			}
			if _, err := w.run.loop.Files.Tick(ctx, w.run.tasks(w.tree), task.ID, !task.Done); err != nil {
				return 0, err
			}
			err := w.run.change(w.p, func(*story.Try) []story.Event {
				return []story.Event{{
					Type: story.Scope, Text: fmt.Sprintf("the mark of task %s of story %s was put back", task.ID, s.ID),
				}}
			})
			if err != nil {
				return 0, err
			}
		}
	}
	if one := change.Story(w.p.ID); one != nil {
		err = w.run.change(w.p, func(*story.Try) []story.Event {
			var events []story.Event
			if done := one.TasksDone(); done != w.p.TasksDone {
				ticked = done - w.p.TasksDone
				w.p.TasksDone, w.p.TasksTotal = done, len(one.Tasks)
				events = append(events, story.Event{
					Type: story.Ticked, Text: fmt.Sprintf("%d of %d tasks are ticked", done, len(one.Tasks)),
				})
			}
			return events
		})
	}
	return ticked, err
}

// beganWith is the change as it is in the last commit of the worktree; nil where it is in none.
func (w *work) beganWith(ctx context.Context) *story.Change {
	if w.run.Path == "" || w.run.Source == story.Issues {
		return nil
	}
	out, err := w.tree.command().Output(ctx, "show", "refs/heads/"+w.tree.branch+":"+w.run.Path)
	if err != nil {
		return nil
	}
	stories, _ := story.Parse([]byte(out))
	return &story.Change{Stories: stories}
}

// prove returns why the story is not done; empty if it is: its tasks are there and ticked, no conflict is left, and
// the verification commands pass.
func (w *work) prove(ctx context.Context) (failed string, err error) {
	change, err := w.run.read(w.tree, w.p)
	if err != nil {
		return "the tasks cannot be read: " + err.Error(), nil
	}
	one := change.Story(w.p.ID)
	if one == nil {
		return fmt.Sprintf("story %s is gone from the list of tasks", w.p.ID), nil
	}
	var open, gone []string
	for i := range one.Tasks {
		if !one.Tasks[i].Done {
			open = append(open, one.Tasks[i].ID)
		}
	}
	if began := w.beganWith(ctx); began != nil {
		if was := began.Story(w.p.ID); was != nil {
			for i := range was.Tasks {
				if owner, _ := change.Task(was.Tasks[i].ID); owner == nil || owner.ID != w.p.ID {
					gone = append(gone, was.Tasks[i].ID)
				}
			}
		}
	}
	switch {
	case len(gone) > 0:
		return "tasks are gone from the list: " + strings.Join(gone, ", "), nil
	case len(open) > 0:
		return "tasks are not ticked: " + strings.Join(open, ", "), nil
	}
	marked, err := w.tree.markers(w.conflict)
	if err != nil || len(marked) > 0 {
		return "conflict markers are left in " + strings.Join(marked, ", "), err
	}
	content, err := w.tree.content(ctx)
	if err != nil {
		return "", err
	}
	err = w.run.change(w.p, func(try *story.Try) []story.Event {
		w.p.State = story.Verifying
		if try != nil {
			try.Content = content
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	failed, err = w.run.verify(ctx, w.tree, w.p, w.dir())
	w.run.mu.Lock()
	defer w.run.mu.Unlock()
	if try := w.p.Last(); try != nil {
		try.Content = ""
	}
	return failed, err
}

// ended records how a try ended.
func (w *work) ended(failed string, ticked int, changed bool) error {
	return w.run.change(w.p, func(try *story.Try) []story.Event {
		try.Ended, try.Ticked, try.Changed = w.run.loop.Now().UTC(), ticked, changed
		try.Outcome, try.Failure = story.Proven, secret.Mask(failed)
		if failed != "" {
			try.Outcome = story.NotProven
		}
		w.p.Failure = try.Failure
		w.run.idle++
		if changed || ticked > 0 || failed == "" {
			w.run.idle = 0
		}
		return []story.Event{{Type: story.TryEnd, Step: w.p.State, Text: failed}}
	})
}

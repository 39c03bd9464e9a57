package loop

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/system/plainfile"
	"cupola/core/system/textfile"
)

// read reads the change with all that is to be known for it, as it is in a worktree.
func (s *workspace) read(t *tree, p *story.Progress) (*story.Change, error) {
	if s.rec.Source != story.OpenSpec {
		return s.list(t, p)
	}
	// openspec/changes/NAME/tasks.md
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(s.rec.Path))))
	return story.Read(filepath.Join(t.root, root), s.rec.Name)
}

// list reads the stories alone. Of work items and issues it has that which is worked on.
func (s *workspace) list(t *tree, p *story.Progress) (*story.Change, error) {
	path := s.tasks(t)
	if s.rec.Source.InRepository() {
		if err := t.inside(path); err != nil {
			return nil, err
		}
		return story.ReadTasks(path)
	}
	text, err := readSmall(path)
	if err != nil || !strings.HasPrefix(string(text), hiddenHeading(p)) {
		text = []byte(hiddenTasks(p))
		if err := s.hide(t, p); err != nil {
			return nil, err
		}
	}
	return s.hiddenChange(p, text), nil
}

// hiddenChange is a change with the story alone that is worked on.
func (s *workspace) hiddenChange(p *story.Progress, text []byte) *story.Change {
	one := story.Story{ID: p.ID, Title: p.Title, After: p.After, Tasks: []story.Task{}}
	stories, _ := story.Parse(text)
	for i := range stories {
		one.Tasks = append(one.Tasks, stories[i].Tasks...)
	}
	return &story.Change{Name: s.rec.Name, Stories: []story.Story{one}}
}

// hiddenHeading is the first line of the list of tasks of a story whose source has none, hiddenTasks that list while
// nothing is done.
func hiddenHeading(p *story.Progress) string { return "# " + core.OneLine(p.ID) + "\n" }

func hiddenTasks(p *story.Progress) string {
	var b strings.Builder
	b.WriteString(hiddenHeading(p) + "\n")
	for i, task := range p.Tasks() {
		fmt.Fprintf(&b, "- [ ] T%d %s\n", i+1, task)
	}
	return b.String()
}

// committed is the change as it is in the last commit of a worktree; nil where it is in none.
func (s *workspace) committed(ctx context.Context, t *tree, p *story.Progress) *story.Change {
	if !s.rec.Source.InRepository() {
		return s.hiddenChange(p, []byte(hiddenTasks(p)))
	}
	out, err := t.command().Output(ctx, "show", "refs/heads/"+t.branch+":"+s.rec.Path)
	if err != nil {
		return nil
	}
	stories, _ := story.Parse([]byte(out))
	return &story.Change{Stories: stories}
}

// putBack makes the list of tasks in a worktree that of the last commit.
func (s *workspace) putBack(ctx context.Context, t *tree, p *story.Progress) error {
	if s.rec.Source.InRepository() {
		_, err := t.line(ctx, "checkout", "refs/heads/"+t.branch, "--", ":(top)"+s.rec.Path)
		return err
	}
	return s.hide(t, p)
}

// hide writes the list of tasks of a story whose source has none.
func (s *workspace) hide(t *tree, p *story.Progress) error {
	if err := textfile.Put(s.tasks(t), []byte(hiddenTasks(p))); err != nil {
		return core.FileError("write the tasks of the story", err)
	}
	return nil
}

// tasks is the list of tasks in a worktree.
func (s *workspace) tasks(t *tree) string {
	if s.rec.Source.InRepository() {
		return filepath.Join(t.root, s.rec.Path)
	}
	return filepath.Join(t.root, Hidden)
}

// unseen counts the tasks of the user's own list that the list of the run lacks: they were added after the run began.
func (s *workspace) unseen() (n int) {
	if s.main == nil || !s.rec.Source.InRepository() {
		return 0
	}
	known := map[string]bool{}
	for i, path := range []string{s.tasks(s.main), s.rec.Origin} {
		change, err := story.ReadTasks(path)
		if err != nil {
			return 0
		}
		for j := range change.Stories {
			for _, task := range change.Stories[j].Tasks {
				if i == 0 {
					known[task.Text] = true
				} else if !known[task.Text] {
					n++
				}
			}
		}
	}
	return n
}

// flush writes what agents found out into the design of the change.
func (s *workspace) flush(ctx context.Context) error {
	learned := s.rec.learned()
	if s.rec.Source != story.OpenSpec || len(learned) == 0 {
		return nil
	}
	design := filepath.Join(s.main.root, filepath.Dir(s.rec.Path), "design.md")
	if err := s.main.inside(design); err != nil {
		return err
	}
	return s.files.AddLearnings(ctx, design, learned)
}

// readSmall reads a file of a change.
func readSmall(path string) ([]byte, error) { return plainfile.Read(path, mostCopied) }

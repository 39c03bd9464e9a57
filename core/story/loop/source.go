package loop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/plainfile"
	"cupola/core/story"
)

// read reads the stories as they are in a worktree. Of work items and issues it has the story alone that is worked on.
func (r *run) read(t *tree, p *story.Progress) (*story.Change, error) {
	switch r.Source {
	case story.OpenSpec:
		// openspec/changes/NAME/tasks.md
		root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(r.Path))))
		return story.Read(filepath.Join(t.root, root), r.Name)
	case story.Tasks:
		return story.ReadTasks(r.tasks(t))
	}
	if err := r.writeHidden(t, p); err != nil {
		return nil, err
	}
	change, err := story.ReadTasks(r.tasks(t))
	if err != nil {
		return nil, err
	}
	one := story.Story{ID: p.ID, Title: p.Title, After: p.After, Tasks: []story.Task{}}
	for i := range change.Stories {
		one.Tasks = append(one.Tasks, change.Stories[i].Tasks...)
	}
	change.Name, change.Stories = r.Name, []story.Story{one}
	return change, nil
}

// tasks is the file of tasks in a worktree.
func (r *run) tasks(t *tree) string {
	if r.Source == story.OpenSpec || r.Source == story.Tasks {
		return filepath.Join(t.root, r.Path)
	}
	return filepath.Join(t.root, Hidden)
}

// design is the file of the change's design in the worktree of the run.
func (r *run) design() string {
	return filepath.Join(r.main.root, filepath.Dir(r.Path), "design.md")
}

// writeHidden writes the tasks of a story whose source has no file of tasks, unless they are there.
func (r *run) writeHidden(t *tree, p *story.Progress) error {
	path, heading := r.tasks(t), "# "+p.ID+"\n"
	text, err := readSmall(path)
	if err == nil && strings.HasPrefix(string(text), heading) {
		return nil
	}
	var b strings.Builder
	b.WriteString(heading + "\n")
	for i, task := range p.Tasks() {
		fmt.Fprintf(&b, "- [ ] T%d %s\n", i+1, task)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		return core.FileError("write the tasks of the story", err)
	}
	return nil
}

// readSmall reads a file of a change.
func readSmall(path string) ([]byte, error) { return plainfile.Read(path, mostCopied) }

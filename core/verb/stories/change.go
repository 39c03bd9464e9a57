package stories

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/text/near"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// ofChange names the stories to read.
type ofChange struct {
	Change string            `arg:"1" lister:"story-list" help:"The OpenSpec change; not needed if there is one alone"`
	Tasks  registry.ReadPath `help:"A Markdown file with tasks in place of a change"`
	Repo   registry.ReadPath `help:"The directory of the project; the current one without it"`
}

// read reads the change that is named, or the only one that is not complete.
func (o ofChange) read(env *verb.Local) (*story.Change, error) {
	dir := dirOf(env, o.Repo)
	if o.Tasks != "" {
		return story.ReadTasks(verb.Absolute(env.Dir, o.Tasks))
	}
	if o.Change != "" {
		return story.Read(dir, o.Change)
	}
	all, err := story.Changes(dir)
	if err != nil {
		return nil, err
	}
	var open []string
	for i := range all {
		if all[i].TasksDone < all[i].TasksTotal {
			open = append(open, all[i].Name)
		}
	}
	if len(open) == 1 {
		return story.Read(dir, open[0])
	}
	e := &core.Error{
		Code: core.MissingRequired, Message: "say which change: none has tasks that are not done",
		Remedies: []core.Remedy{core.RemedyListStories},
	}
	if len(open) > 0 {
		e.Message = "say which change: " + strings.Join(open, ", ")
		e.Suggestions = near.Words("", open)
	}
	return nil, e
}

// again is how a command names a change.
type again []string

// words returns a command about the change.
func (a again) words(verb string, flags ...string) []string {
	return slices.Concat([]string{verb}, a, flags)
}

// again is how a command names the change that was read; a plain file of tasks has no name.
func (o ofChange) again(change *story.Change) again {
	switch {
	case change.Dir == "":
		return []string{"--tasks=" + change.Path}
	case o.Repo != "":
		return []string{change.Name, "--repo=" + string(o.Repo)}
	}
	return []string{change.Name}
}

// below returns the path of a file below a directory; InvalidInput if it is outside.
func below(top, path string) (string, error) {
	found, err := filepath.EvalSymlinks(path)
	if err != nil {
		found = path
	}
	if resolved, err := filepath.EvalSymlinks(top); err == nil {
		top = resolved
	}
	name, err := filepath.Rel(top, found)
	if err != nil || name == ".." || strings.HasPrefix(name, ".."+string(os.PathSeparator)) {
		return "", core.Errorf(core.InvalidInput, "%s is not in the repository %s", path, top)
	}
	return name, nil
}

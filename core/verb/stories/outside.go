package stories

import (
	"context"
	"slices"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
)

// Todo is a change with stories.
type Todo struct {
	story.Listed
	// Dir is the folder of its project, Run the id of the run that works on it; empty if none does.
	Dir, Run string
}

// AllTodo returns the changes of the project of a folder, and of those in which stories were worked on.
func AllTodo(env *verb.Local, dir string) (all []Todo, err error) {
	runs, _, err := env.Runs.List(run.Filter{Kinds: []run.Kind{run.Story}})
	if err != nil {
		return nil, err
	}
	dirs, open := []string{dir}, map[string]string{}
	for i := range runs {
		if !slices.Contains(dirs, runs[i].Dir) {
			dirs = append(dirs, runs[i].Dir)
		}
		if root, err := story.Project(runs[i].Dir); err == nil && !runs[i].State.Ended() {
			open[root+"\x00"+runs[i].Name] = runs[i].ID
		}
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		root, err := story.Project(dir)
		if err != nil || seen[root] {
			continue
		}
		seen[root] = true
		// A folder that cannot be read has no changes to work on.
		changes, _ := story.Changes(dir)
		for i := range changes {
			all = append(all, Todo{Listed: changes[i], Dir: dir, Run: open[root+"\x00"+changes[i].Name]})
		}
	}
	return all, nil
}

// request is the run of a change that is asked for without flags.
func request(dir, name, backend string) StoryRunIn {
	return StoryRunIn{
		ofChange: ofChange{Change: name, Repo: registry.ReadPath(dir)},
		Agent:    backend, Stage: string(crew.Headless), Background: true,
	}
}

// Plan returns the run of a change as it would be, and the backends that can be asked. It makes nothing.
func Plan(ctx context.Context, env *verb.Env, dir, name, backend string) (*story.Run, []string, error) {
	in := request(dir, name, backend)
	in.DryRun = true
	askable, _, err := relays.Askable(&env.Local)
	if err != nil {
		return nil, nil, err
	}
	r, _, err := in.plan(ctx, env)
	return r, askable, err
}

// Since returns a run with its events from an offset on, and the offset behind them.
func Since(env *verb.Local, id string, offset int64) (*story.Run, []story.Event, int64, error) {
	// The record is read first: what came before its end is on file then.
	r, err := Directory(env).Load(id)
	if err != nil {
		return nil, nil, offset, core.FileError("read the run", err)
	}
	events, offset, err := loop.Events(Directory(env), id, offset)
	return r, events, offset, err
}

// File is a file that a run changed. Added and Removed count lines; both are -1 for a file that has none.
type File struct {
	Path           string
	Added, Removed int
}

// Changes are the files that a run changed, with what is not committed yet, and the difference in git's form.
type Changes struct {
	Files []File
	Diff  string
}

// Changed returns the changes of a run.
func Changed(ctx context.Context, env *verb.Local, id string) (all Changes, err error) {
	r, err := Directory(env).Load(id)
	if err != nil {
		return all, core.FileError("read the run", err)
	}
	if r.Base == "" {
		return all, nil
	}
	ask := &git.Command{Dir: r.Worktree, Environ: env.Environ}
	counts, err := ask.Output(ctx, "diff", "--numstat", "-z", "--no-renames", r.Base)
	if err != nil {
		return all, core.Errorf(core.IOError, "%w", err)
	}
	for path, lines := range git.Numstat(counts) {
		all.Files = append(all.Files, File{Path: path, Added: lines.Added, Removed: lines.Deleted})
	}
	if all.Diff, err = ask.Output(ctx, "diff", "--no-color", "--no-renames", r.Base); err != nil {
		return Changes{}, core.Errorf(core.IOError, "%w", err)
	}
	return all, nil
}

package stories

import (
	"context"

	"cupola/core"
	"cupola/core/git"
	"cupola/core/run/crew"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
	"cupola/core/verb/registry"
	"cupola/core/verb/relays"
)

// Project is a folder with the changes in it.
type Project struct {
	Dir     string
	Changes []story.Listed
}

// All returns the changes of the project of a folder and of those in which stories were worked on, and the runs, the
// newest first. Projects without changes are left out.
func All(index *loop.Cache, dir string) (projects []Project, runs []story.Run, err error) {
	if runs, err = index.All(); err != nil {
		return nil, nil, err
	}
	dirs := []string{dir}
	for i := range runs {
		if runs[i].Source == story.OpenSpec {
			dirs = append(dirs, runs[i].Dir)
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
		if changes, err := story.Changes(dir); err == nil && len(changes) > 0 {
			projects = append(projects, Project{Dir: dir, Changes: changes})
		}
	}
	return projects, runs, nil
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
	r, err := Book(env).Load(id)
	if err != nil {
		return nil, nil, offset, core.FileError("read the run", err)
	}
	events, offset, err := Book(env).Events(id, offset)
	return r, events, offset, err
}

// PauseOrResume returns the input of the verb that is next for a run: one that works is paused; one that is paused, or
// does not work, goes on in the background.
func PauseOrResume(env *verb.Local, id string) any {
	if book := Book(env); book.Running(id) && !book.Paused(id) {
		return StoryPauseIn{OfRun{Run: id}}
	}
	return StoryResumeIn{OfRun: OfRun{Run: id}, Background: true}
}

// File is a file that a run changed. Added and Removed count lines; both are -1 for a file that has none.
type File struct {
	Path           string
	Added, Removed int
}

// Changed returns the files that a run changed, with what is not committed yet, and the difference in git's form.
func Changed(ctx context.Context, env *verb.Local, id string) (files []File, diff string, err error) {
	r, err := Book(env).Load(id)
	if err != nil {
		return nil, "", core.FileError("read the run", err)
	}
	if r.Base == "" {
		return nil, "", nil
	}
	ask := &git.Command{Dir: r.Worktree, Environ: env.Environ}
	counts, err := ask.Output(ctx, "diff", "--numstat", "-z", "--no-renames", r.Base)
	if err != nil {
		return nil, "", core.Errorf(core.IOError, "%w", err)
	}
	for path, lines := range git.Numstat(counts) {
		files = append(files, File{Path: path, Added: lines.Added, Removed: lines.Deleted})
	}
	if diff, err = ask.Output(ctx, "diff", "--no-color", "--no-renames", r.Base); err != nil {
		return nil, "", core.Errorf(core.IOError, "%w", err)
	}
	return files, diff, nil
}

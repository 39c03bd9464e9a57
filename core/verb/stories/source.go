package stories

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/git"
	"cupola/core/run/crew"
	"cupola/core/run/story"
	"cupola/core/run/story/loop"
	"cupola/core/system/shell"
	"cupola/core/verb"
	"cupola/core/verb/crews"
)

// source sets where the stories of a run come from, and which they are.
func (in StoryRunIn) source(ctx context.Context, env *verb.Local, r *story.Run) (err error) {
	switch {
	case in.Beads:
		r.Source, r.Name = story.Beads, "work-items"
		r.Origin, r.Stories, err = beadStories(ctx, env, r.Dir)
		return err
	case in.Issues != "":
		r.Source, r.Origin = story.Issues, verb.Absolute(env.Dir, in.Issues)
		r.Name = strings.TrimSuffix(filepath.Base(r.Origin), filepath.Ext(r.Origin))
		r.Stories, err = story.ReadIssues(r.Origin)
		return err
	}
	change, err := in.read(env)
	if err != nil {
		return err
	}
	r.Source, r.Name, r.Origin = story.OpenSpec, change.Name, change.Path
	if in.Tasks != "" {
		r.Source = story.Tasks
	}
	top, err := topOf(ctx, env, r.Dir)
	if err == nil {
		r.Path, err = below(top, change.Path)
	}
	if err == nil {
		err = in.workable(env, change)
	}
	if err != nil {
		return err
	}
	for i := range change.Stories {
		r.Stories = append(r.Stories, story.ProgressOf(&change.Stories[i]))
	}
	return nil
}

// topOf is the top of the git repository that a folder is in.
func topOf(ctx context.Context, env *verb.Local, dir string) (string, error) {
	top, err := (&git.Command{Dir: dir, Environ: env.Environ}).Line(ctx, "rev-parse", "--show-toplevel")
	switch {
	case errors.Is(err, git.ErrMissing):
		return "", &core.Error{Code: core.ToolNotFound, Message: "git is not installed", Hint: "Install git."}
	case err != nil:
		return "", &core.Error{
			Code: core.InvalidInput, Message: dir + " is in no git repository", Err: err,
			Hint: "Stories are worked on in a worktree: make it one with 'git init', and commit something.",
		}
	}
	return top, nil
}

// workable returns an error for a change that cannot be worked on, and warns of what is probably not meant.
func (in StoryRunIn) workable(env *verb.Local, change *story.Change) error {
	for _, problem := range story.Validate(change) {
		switch problem.Severity {
		case core.SeverityError:
			return &core.Error{
				Code:    core.InvalidInput,
				Message: "the change " + change.Name + " cannot be worked on: " + problem.Message,
				Hint:    "See all that is wrong: cupola story validate " + shell.Line(in.again(change)...),
			}
		case core.SeverityWarning:
			env.Warn(problem.Message)
		}
	}
	if change.Next() == nil {
		return core.Errorf(core.InvalidInput, "all tasks of %s are done", change.Name)
	}
	return nil
}

// beadStories are the work items of a project that can be done, in the order of a plan, and the folder of the project.
func beadStories(ctx context.Context, env *verb.Local, dir string) (root string, stories []story.Progress, err error) {
	place, err := bead.Locate(dir)
	if err != nil {
		return "", nil, err
	}
	tool, err := toolOf(env)
	if err != nil {
		return "", nil, err
	}
	set, warning, err := bead.Load(ctx, place, tool)
	if err != nil {
		return "", nil, err
	}
	if warning != "" {
		env.Warn(warning)
	}
	graph := bead.NewGraph(set.Items, env.Now())
	items, left := graph.Workable()
	for _, item := range items {
		text := strings.TrimSpace(strings.Join(item.Texts()[1:], "\n\n"))
		p := story.NewProgress(item.ID, item.Title, text, graph.Blockers(item.ID))
		p.TasksTotal = len(p.Tasks())
		stories = append(stories, p)
	}
	if len(stories) == 0 {
		return "", nil, core.Errorf(core.InvalidInput, "no work item can be done: %d are claimed, or wait for others",
			left)
	}
	if left > 0 {
		env.Warn(fmt.Sprintf("%d work items are left out: they are claimed, have open parts, or wait for others", left))
	}
	return place.Root, stories, nil
}

// canAsk fails if the agent of a run cannot be asked.
func canAsk(ctx context.Context, env *verb.Env, r *story.Run) error {
	c := &crew.Crew{
		ID: r.ID, Dir: r.Dir, Stage: crew.Stage(r.Stage), Session: r.Session, Sandbox: r.Sandbox,
		Limits:  crew.Limits{TurnTimeout: r.Limits.TryTimeout, Timeout: r.Limits.TryTimeout},
		Members: []crew.Member{{Name: "story", Backend: r.Backend, Model: r.Model, Dir: r.Dir}},
	}
	planned, err := crews.Asked(ctx, env, loop.Relays(Directory(&env.Local), r.ID), c)
	if err != nil {
		return err
	}
	r.Backend = planned[0].Backend
	return nil
}

// warnUncommitted says that what is not committed is not part of a run.
func warnUncommitted(ctx context.Context, env *verb.Local, r *story.Run) {
	tree, err := git.Open(ctx, r.Dir, env.Environ)
	if err != nil {
		return
	}
	status, err := tree.Status(ctx)
	if err != nil {
		return
	}
	n := 0
	for i := range status.Changes {
		path := status.Changes[i].Path
		if r.Path == "" || path != r.Path && !strings.HasPrefix(path, filepath.Dir(r.Path)+"/") {
			n++
		}
	}
	if n > 0 {
		env.Warn(fmt.Sprintf("%d files are not committed, and so not part of the run: it begins with the last commit",
			n))
	}
}

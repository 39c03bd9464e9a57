// Package stories has the verbs that work through the stories of a change.
package stories

import (
	"context"
	"os/exec"
	"path/filepath"

	"cupola/core"
	"cupola/core/bridge/bead"
	"cupola/core/fleet/lifecycle"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
	"cupola/core/run/story/loop"
	"cupola/core/verb"
	"cupola/core/verb/crews"
	"cupola/core/verb/registry"
)

// OfRun names a run.
type OfRun struct {
	Run string `arg:"1" required:"true" lister:"story-runs" names:"record" help:"The run: its id, or the name of a change for its newest run"`
}

// Directory is where runs of stories are on record.
func Directory(env *verb.Local) *loop.Directory {
	return loop.DirectoryIn(env.Paths.Stories(), env.Runs, env.Settings().Store.Age())
}

// Files ticks tasks.
func Files(env *verb.Local) story.Files { return story.Files{Locks: env.Paths.StoryLocks()} }

// loopOf returns what runs the stories of a run.
func loopOf(env *verb.Env, r *story.Run) (*loop.Loop, error) {
	l := &loop.Loop{
		Directory: Directory(&env.Local), Files: Files(&env.Local), Environ: env.Environ, Now: env.Now, Log: env.Log,
		Trees: verb.Trees(&env.Local),
		Open: func(ctx context.Context, c *crew.Crew) (orchestrator.Stage, error) {
			return crews.Stage(ctx, env, loop.Relays(Directory(&env.Local), r.ID), c)
		},
		Sessions: &agentsession.Directory{Dir: env.Paths.StorySessions(), Files: Files(&env.Local), Now: env.Now},
		Hint: "The commands 'cupola agent context', 'cupola agent task done ID' and 'cupola agent learn TEXT' show " +
			"the story, tick a task and share what you learned. You need none of them.",
		ClosePane: func(ctx context.Context, pane string) error { return closePane(ctx, env, pane) },
	}
	if r.Source != story.Beads {
		return l, nil
	}
	place, err := bead.Locate(r.Dir)
	if err != nil {
		return nil, err
	}
	tool, err := toolOf(&env.Local)
	if err != nil {
		return nil, err
	}
	l.Items = &items{place: place, tool: tool}
	return l, nil
}

func toolOf(env *verb.Local) (*bead.Tool, error) {
	if env.BeadTool != nil {
		return env.BeadTool()
	}
	return bead.FindTool(exec.LookPath, env.Environ)
}

// closePane closes the pane of an agent that worked on a story.
func closePane(ctx context.Context, env *verb.Env, pane string) error {
	f, err := env.Fleet()
	if err != nil {
		return err
	}
	request := lifecycle.KillRequest{}
	request.Target.Session = pane
	_, err = f.Launcher.Kill(ctx, request)
	return err
}

// items are the work items of a project.
type items struct {
	place bead.Project
	tool  *bead.Tool
}

// Claim claims an item.
func (i *items) Claim(ctx context.Context, id string) error {
	_, err := i.tool.Claim(ctx, i.place, id, "")
	return err
}

// Close closes an item; one that is closed already is no error.
func (i *items) Close(ctx context.Context, id, reason string) error {
	set, _, err := bead.Load(ctx, i.place, i.tool)
	if err != nil {
		return err
	}
	if item, err := set.Find(id); err == nil && item.Done() {
		return nil
	}
	_, err = i.tool.Close(ctx, i.place, id, reason)
	return err
}

// find returns the run that a word names.
func find(env *verb.Local, word string) (*story.Run, error) { return Directory(env).Find(word) }

// dirOf is the directory that a verb is about.
func dirOf(env *verb.Local, dir registry.ReadPath) string {
	return filepath.Clean(verb.Absolute(env.Dir, dir))
}

// codes are the errors that all verbs of stories can have.
var codes = []core.Code{core.NotFound, core.IOError, core.PermissionDenied, core.DecodeFailed}

// changeCodes are the codes of verbs that read a change.
var changeCodes = append([]core.Code{core.ChangeNotFound, core.ProjectNotFound, core.InvalidInput}, codes...)

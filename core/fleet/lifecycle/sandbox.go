package lifecycle

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/engine"
)

// hold changes a launch so that its program runs in a sandbox, if it has a name. Before that the worktree is set up
// in which it is launched.
func (l *Launcher) hold(ctx context.Context, name string, kind *agent.Kind, launch *engine.Launch) (err error) {
	before := l.opts.setupWords(ctx, launch)
	if name == "" {
		if len(before) > 0 {
			launch.Argv = slices.Concat([]string{l.opts.Self}, before, launch.Argv)
		}
		return nil
	}
	request := sandbox.Request{
		Name: name, Kind: kind, Dir: launch.Dir, Argv: launch.Argv, Environ: launch.Environ, Given: launch.Env,
		Terminal: true, Before: before,
	}
	info, err := l.opts.Engine.Info(ctx)
	for of := &info; err == nil && of != nil; of = of.Beside {
		// A socket that is made anew would not be barred; a folder of tmux's has nothing else.
		if folder := filepath.Dir(of.Socket); strings.HasPrefix(filepath.Base(folder), "tmux-") {
			request.Own = append(request.Own, folder)
		}
	}
	launch.Argv, launch.Environ, err = l.opts.Sandboxes.Hold(&request)
	return err
}

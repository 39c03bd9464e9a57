package lifecycle

import (
	"context"
	"path/filepath"
	"strings"

	"cupola/core/agent"
	"cupola/core/agent/sandbox"
	"cupola/core/engine"
)

// hold changes a launch so that its program runs in a sandbox. No name changes nothing.
func (l *Launcher) hold(ctx context.Context, name string, kind *agent.Kind, launch *engine.Launch) (err error) {
	if name == "" {
		return nil
	}
	request := sandbox.Request{
		Name: name, Kind: kind, Dir: launch.Dir, Argv: launch.Argv, Environ: launch.Environ, Given: launch.Env,
		Terminal: true,
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

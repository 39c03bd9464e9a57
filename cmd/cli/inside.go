package cli

import (
	"context"
	"os"
	"path/filepath"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/engines"
	"cupola/core/engine/own"
)

// ownPane returns the pane of the fleet's server in which this process runs, by its environment or, where an agent has
// scrubbed that, by those of its parents; empty for none.
func (w *wiring) ownPane(ctx context.Context) core.PaneID {
	environ := inherited(os.Environ(), os.Getpid())
	inside := engine.InsideOf(func(name string) string { return valueOf(environ, name) })
	if inside.Pane == "" {
		return ""
	}
	f, err := w.env.Fleet()
	if err != nil {
		return ""
	}
	server, err := f.Dir.Server(ctx)
	if err != nil {
		return ""
	}
	// Beside tmux, Cupola's own server is the one that the environment names, or else the default one.
	sockets := []string{server.Socket}
	if inside.Engine == engine.Own {
		paths := w.env.Paths
		sockets = append(sockets, engine.InsideOf(w.opts.Getenv).Socket,
			own.Usual(engines.SocketIn(paths.Runtime), paths.OwnServer()))
	}
	for _, socket := range sockets {
		if socket != "" && sameFile(socket, inside.Socket) {
			return inside.Pane
		}
	}
	return ""
}

// sameFile reports whether two paths lead to one file.
func sameFile(one, other string) bool {
	a, errOne := filepath.EvalSymlinks(one)
	b, errOther := filepath.EvalSymlinks(other)
	return one == other || errOne == nil && errOther == nil && a == b
}

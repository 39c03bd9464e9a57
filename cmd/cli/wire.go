package cli

import (
	"context"
	"log/slog"
	"os"
	"time"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/config"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/store"
	"cupola/robot/registry"
)

// wire makes what verbs work with. Nothing is opened before a verb asks.
func (p *program) wire() *registry.Deps {
	paths := config.PathsOf(p.Getenv)
	log := slog.New(slog.NewTextHandler(&lateFile{dir: paths.State, name: "cupola.log"}, nil))
	deps := &registry.Deps{Catalog: p.catalog, Version: p.Version, Human: !p.robotic, Stdin: p.readStdin, Log: log}
	deps.OpenFleet = func() (*fleet.Fleet, error) { return p.openFleet(paths, log) }
	deps.OpenStore = func(ctx context.Context) (*store.Store, error) {
		return store.OpenReadOnly(ctx, paths.Store(), store.Options{Busy: storeBusy, Log: log})
	}
	if !p.robotic && terminal(p.Stdin) && terminal(p.Stdout) {
		deps.Confirm = p.confirm
	}
	deps.Progress = p.progress()
	return deps
}

func (p *program) openFleet(paths config.Paths, log *slog.Logger) (*fleet.Fleet, error) {
	settings, err := config.Load(paths, p.Getenv)
	if err != nil {
		return nil, err
	}
	kinds, err := loadKinds(paths)
	if err != nil {
		return nil, err
	}
	server, err := tmux.Open(tmux.Options{Socket: settings.Engine.Socket, Transport: settings.Engine.Transport})
	if err != nil {
		return nil, &core.Error{Code: core.ConfigInvalid, Message: err.Error(), Err: err}
	}
	p.journal = &journal{path: paths.Store(), server: server.SocketPath(), opts: store.Options{
		Busy: storeBusy, Keep: retention(settings.Store), Told: p.deps.Warn, Log: log,
	}}
	return fleet.Open(fleet.Options{
		Engine: server, Kinds: kinds, Runtime: paths.Runtime, Self: self(), Environ: os.Environ(),
		HideForeign: settings.Sessions.HideForeign, Journal: p.journal, Log: log,
	}), nil
}

// retention is how much of the store's records is kept.
func retention(s config.Store) store.Retention {
	return store.Retention{Age: time.Duration(s.Days) * 24 * time.Hour, Prompts: s.Prompts, Events: s.Events}
}

// loadKinds returns the agent kinds that the user has.
func loadKinds(paths config.Paths) (*agent.Kinds, error) {
	kinds, err := agent.Load(os.DirFS(paths.Agents()))
	if err != nil {
		return nil, &core.Error{Code: core.ConfigInvalid, Message: paths.Agents() + ": " + err.Error(), Err: err}
	}
	return kinds, nil
}

// self is the path of this program.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}

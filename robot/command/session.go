package command

import (
	"context"

	"cupola/core"
	"cupola/core/fleet/resolve"
	"cupola/core/store"
	"cupola/robot/registry"
)

// sessionFilter echoes which session was asked for.
type sessionFilter struct {
	Session string `json:"session,omitempty"`
}

// liveSession returns the name of the session that somebody named, which must be there
// now; empty for empty.
func liveSession(ctx context.Context, deps *registry.Deps, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	roll, err := rollOf(ctx, deps)
	if err != nil {
		return "", err
	}
	return roll.Find(name)
}

// onRecord is liveSession for verbs that tell of the past: a session that is gone counts where
// something is on record of it, or where it is among those besides. Without a
// terminal server program it is asked for among these alone.
func onRecord(ctx context.Context, deps *registry.Deps, name string, besides ...string) (string, error) {
	if name == "" {
		return "", nil
	}
	roll, err := rollOf(ctx, deps)
	if err != nil && !core.AsError(err).HasCode(core.EngineUnavailable) {
		return "", err
	}
	if found, err := roll.Find(name, besides...); err == nil {
		return found, nil
	}
	records, err := deps.Store(ctx)
	if err != nil {
		return "", err
	}
	server, err := serverOf(ctx, deps)
	if err != nil {
		return "", err
	}
	gone, err := store.SessionsIn(records).All(ctx, store.SessionQuery{Server: server})
	if err != nil {
		return "", err
	}
	return roll.Find(name, append(gone, besides...)...)
}

// serverOf is the path of the terminal server's socket, under which things are on
// record; empty without a terminal server program.
func serverOf(ctx context.Context, deps *registry.Deps) (string, error) {
	f, err := deps.Fleet()
	if core.AsError(err).HasCode(core.EngineUnavailable) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	server, _, err := f.Dir.Kept(ctx)
	return server, err
}

func rollOf(ctx context.Context, deps *registry.Deps) (resolve.Sessions, error) {
	f, err := deps.Fleet()
	if err != nil {
		return resolve.Sessions{}, err
	}
	return f.Overview.Sessions(ctx)
}

package verb

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/resolve"
	"cupola/core/record/store"
)

// LiveSession returns the name of the session that was named, which must be there
// now; empty for empty.
func LiveSession(ctx context.Context, f *fleet.Fleet, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	sessions, err := f.Overview.Sessions(ctx)
	if err != nil {
		return "", err
	}
	return sessions.Find(name)
}

// SessionOnRecord is LiveSession for verbs that show the past: a session that is gone counts where
// something is on record of it, or where it is among those besides. Without a
// terminal server program it is asked for among these alone.
func SessionOnRecord(ctx context.Context, env *Env, name string, besides ...string) (string, error) {
	found, _, err := SessionSince(ctx, env, name, besides...)
	return found, err
}

// SessionSince is SessionOnRecord, and when that session was made; zero if it is gone. What is on record from before
// belongs to an earlier session with its name.
func SessionSince(
	ctx context.Context, env *Env, name string, besides ...string,
) (found string, created time.Time, err error) {
	if name == "" {
		return "", time.Time{}, nil
	}
	sessions, err := sessionList(ctx, env)
	if err != nil && !core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		return "", time.Time{}, err
	}
	if found, err := sessions.Find(name, besides...); err == nil {
		return found, sessions.Created(found), nil
	}
	records, err := env.Store(ctx)
	if err != nil {
		return "", time.Time{}, err
	}
	server, err := ServerOf(ctx, env)
	if err != nil {
		return "", time.Time{}, err
	}
	gone, err := store.SessionsIn(records).All(ctx, store.SessionQuery{Server: server})
	if err != nil {
		return "", time.Time{}, err
	}
	found, err = sessions.Find(name, append(gone, besides...)...)
	return found, time.Time{}, err
}

// ServerOf is the path of the terminal server's socket, under which things are on
// record; empty without a terminal server program.
func ServerOf(ctx context.Context, env *Env) (string, error) {
	f, err := env.Fleet()
	if core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	server, _, err := f.Dir.Kept(ctx)
	return server, err
}

func sessionList(ctx context.Context, env *Env) (resolve.Sessions, error) {
	f, err := env.Fleet()
	if err != nil {
		return resolve.Sessions{}, err
	}
	return f.Overview.Sessions(ctx)
}

// ErrNoRevision returns the error of a revision that was asked about and has not come yet.
func ErrNoRevision(revision core.Revision) error {
	return &core.Error{
		Code: core.InvalidInput, Message: fmt.Sprintf("--since: no revision from %d on is on record", revision),
		Hint: "See the newest with 'cupola snapshot', or give a time such as 1h to a verb that takes one.",
	}
}

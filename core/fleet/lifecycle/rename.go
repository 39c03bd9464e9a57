package lifecycle

import (
	"context"
	"errors"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Rename gives a session another name and returns it as it is then. Programs that run in it
// keep the old name in their environment.
func (l *Launcher) Rename(ctx context.Context, session, name string) (_ *core.Session, err error) {
	defer func() { err = fault.Wrap("rename", err) }()
	if err := core.CheckSessionName(name); err != nil {
		return nil, err
	}
	seen, err := l.opts.Observer.Outline(ctx, observe.View{})
	if err != nil {
		return nil, err
	}
	snapshot := seen.Snapshot
	found, err := resolve.FindSession(snapshot, session)
	if err != nil {
		return nil, err
	}
	if found.Bare() == name && len(snapshot.Namesakes(name)) == 0 {
		return found, nil
	}
	if named(snapshot, name) {
		return nil, core.Errorf(core.AlreadyExists, "a session named %q exists", name)
	}
	if err := l.opts.Engine.Rename(ctx, found.ID, name); err != nil {
		if errors.Is(err, engine.ErrDuplicate) {
			return nil, core.Errorf(core.AlreadyExists, "a session named %q exists: %w", name, err)
		}
		return nil, err
	}
	if l.opts.Renamed != nil {
		if err := l.opts.Renamed(ctx, found.Name, name); err != nil {
			l.opts.Log.Warn("what is on record of a session keeps its old name", "session", name, "error", err)
		}
	}
	found.Name = name
	for i := range found.Panes {
		found.Panes[i].Session = name
	}
	return found, nil
}

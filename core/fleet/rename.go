package fleet

import (
	"context"
	"errors"

	"cupola/core"
	"cupola/core/engine"
)

// Rename gives a session another name and returns it as it then is. What runs
// in it keeps the old name in its environment.
func (f *Fleet) Rename(ctx context.Context, session, name string) (*core.Session, error) {
	renamed, err := f.rename(ctx, session, name)
	return renamed, translate("rename", err)
}

func (f *Fleet) rename(ctx context.Context, word, name string) (*core.Session, error) {
	if err := core.CheckSessionName(name); err != nil {
		return nil, err
	}
	snapshot, err := f.look(ctx, false)
	if err != nil {
		return nil, err
	}
	session, err := findSession(snapshot, word)
	if err != nil {
		return nil, err
	}
	if session.Name == name {
		return session, nil
	}
	if named(snapshot, name) {
		return nil, core.Errorf(core.AlreadyExists, "a session named %q exists", name)
	}
	if err := f.engine.Rename(ctx, session.ID, name); err != nil {
		if errors.Is(err, engine.ErrDuplicate) {
			return nil, core.Errorf(core.AlreadyExists, "a session named %q exists: %w", name, err)
		}
		return nil, err
	}
	session.Name = name
	for i := range session.Panes {
		session.Panes[i].Session = name
	}
	return session, nil
}

package fleet

import (
	"context"
	"errors"

	"cupola/core"
	"cupola/core/engine"
)

// Rename gives a session another name and returns it as it then is. What runs
// in it keeps the old name in its environment.
func (f *Fleet) Rename(ctx context.Context, session, name string) (_ *core.Session, err error) {
	defer func() { err = translate("rename", err) }()
	if err := core.CheckSessionName(name); err != nil {
		return nil, err
	}
	snapshot, err := f.outline(ctx)
	if err != nil {
		return nil, err
	}
	found, err := findSession(snapshot, session)
	if err != nil {
		return nil, err
	}
	if found.Name == name {
		return found, nil
	}
	if named(snapshot, name) {
		return nil, core.Errorf(core.AlreadyExists, "a session named %q exists", name)
	}
	if err := f.engine.Rename(ctx, found.ID, name); err != nil {
		if errors.Is(err, engine.ErrDuplicate) {
			return nil, core.Errorf(core.AlreadyExists, "a session named %q exists: %w", name, err)
		}
		return nil, err
	}
	if f.renamed != nil {
		if err := f.renamed(ctx, found.Name, name); err != nil {
			f.log.Warn("what is on record of a session keeps its old name", "session", name, "error", err)
		}
	}
	found.Name = name
	for i := range found.Panes {
		found.Panes[i].Session = name
	}
	return found, nil
}

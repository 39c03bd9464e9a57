package verb

import (
	"context"

	"cupola/core/git/changes"
	"cupola/core/record/undo"
)

// UndoLog is the record of acts that can be undone.
func (e *Local) UndoLog() undo.Log {
	if e.Paths.State == "" {
		return undo.Log{}
	}
	return undo.Log{Path: e.Paths.Undo()}
}

// Acted records an act that can be undone. A record that cannot be written does not fail the act.
func (e *Local) Acted(ctx context.Context, act undo.Act) {
	ctx = context.WithoutCancel(ctx)
	act.At, act.Origin = e.Now(), e.Origin
	dropped, err := e.UndoLog().Add(ctx, &act)
	if err != nil {
		e.Log.Warn("an act cannot be undone", "act", act.Did, "error", err)
		return
	}
	for i := range dropped {
		if tree := dropped[i].Tree; tree != nil {
			_ = changes.Forget(ctx, tree, e.Environ) // the tree may be gone
		}
	}
	e.acted = &act
}

// LastActed is the act that the caller recorded last; nil for none.
func (e *Local) LastActed() *undo.Act { return e.acted }

package verb

import (
	"context"
	"path/filepath"

	"cupola/core/git/changes"
	"cupola/core/record/undo"
)

// UndoLog is the record of acts that can be undone.
func UndoLog(env *Local) undo.Log {
	if env.Paths.State == "" {
		return undo.Log{}
	}
	return undo.Log{Path: filepath.Join(env.Paths.State, "undo.json")}
}

// Acted records an act that can be undone. A record that cannot be written does not fail the act.
func Acted(ctx context.Context, env *Local, act undo.Act) {
	ctx = context.WithoutCancel(ctx)
	act.At, act.Origin = env.Now(), env.Origin
	dropped, err := UndoLog(env).Add(ctx, &act)
	if err != nil {
		env.Log.Warn("an act cannot be undone", "act", act.Did, "error", err)
		return
	}
	for i := range dropped {
		if tree := dropped[i].Tree; tree != nil {
			_ = changes.Forget(ctx, tree, env.Environ) // the tree may be gone
		}
	}
	env.acted = &act
}

// ActedOnServer records an act on the fleet's terminal server that can be undone.
func ActedOnServer(ctx context.Context, env *Env, act undo.Act) {
	f, err := env.Fleet()
	if err == nil {
		act.Server, _, err = f.Dir.Kept(ctx)
	}
	if err != nil {
		env.Log.Warn("an act cannot be undone", "act", act.Did, "error", err)
		return
	}
	Acted(ctx, &env.Local, act)
}

// LastActed is the act that a caller recorded last; nil for none.
func LastActed(env *Local) *undo.Act { return env.acted }

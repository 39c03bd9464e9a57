package sessions

import (
	"context"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/config"
	"cupola/core/config/recipe"
	"cupola/core/fleet"
	"cupola/core/fleet/lifecycle"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// Revive starts again what ran until its terminal server ended, as far as the caller may.
func Revive(ctx context.Context, env *verb.Env, f *fleet.Fleet, request lifecycle.ReviveRequest) ([]lifecycle.Revived,
	error,
) {
	request.Progress = env.Progress
	request.Admit = func(session string, panes []recipe.Pane) error {
		return Admit(env, "what ran in "+session, session, panes, request.DryRun)
	}
	return f.Launcher.Revive(ctx, request)
}

// ReviveByItself starts again what ran until its terminal server ended, if the settings say so, and says what became of
// it; empty if there was nothing to start.
func ReviveByItself(ctx context.Context, env *verb.Env, f *fleet.Fleet) string {
	if env.Settings().Restore.Auto != config.RestoreAlways {
		return ""
	}
	revived, err := Revive(ctx, env, f, lifecycle.ReviveRequest{})
	started, left := 0, 0
	for i := range revived {
		if revived[i].Launches != nil {
			started += len(revived[i].Launches.Panes)
		}
		left += len(revived[i].Left)
	}
	const why = "'cupola restore --dry-run' says why"
	switch {
	case err != nil:
		return "what ran was not started again: " + core.AsError(err).Message
	case left > 0:
		return fmt.Sprintf("%s that ran came back, %d did not: %s", verb.Plural(started, "pane"), left, why)
	case started > 0:
		return verb.Plural(started, "pane") + " that ran came back"
	}
	return ""
}

// Admit returns an error if the caller may not start the panes of a record, as if it had asked for them singly: the
// input of the call does not show them. What names the record, as "the preset web".
func Admit(env *verb.Env, what, session string, panes []recipe.Pane, dry bool) error {
	if env.Border == nil {
		return nil
	}
	in := SpawnIn{Session: session}
	in.DryRun = dry
	dirs := []registry.ReadPath{""}
	for i := range panes {
		if panes[i].Command != "" {
			in.Cmd = append(in.Cmd, panes[i].Command)
		}
		if dir := registry.ReadPath(panes[i].Dir); !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	var err error
	for _, in.Dir = range dirs {
		if _, err = env.Border.Admit(env.Catalog.Find("spawn"), in); err != nil {
			break
		}
	}
	if err == nil {
		return nil
	}
	refused := *core.AsError(err)
	refused.Message = "of " + what + ": " + refused.Message
	return &refused
}

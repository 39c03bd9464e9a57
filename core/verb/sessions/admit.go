package sessions

import (
	"slices"

	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

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

package sessions

import (
	"cupola/core"
	"cupola/core/config/recipe"
	"cupola/core/verb"
)

// Admit returns an error if the caller may not start the panes of a record, as if it had asked for them singly: the
// input of the call does not show them. What names the record, as "the preset web".
func Admit(env *verb.Env, what, session string, panes []recipe.Pane, dry bool) error {
	if env.Border == nil {
		return nil
	}
	in := SpawnIn{Session: session}
	in.DryRun = dry
	for i := range panes {
		if panes[i].Command != "" {
			in.Cmd = append(in.Cmd, panes[i].Command)
		}
	}
	_, err := env.Border.Admit(env.Catalog.Find("spawn"), in)
	if err == nil {
		return nil
	}
	refused := *core.AsError(err)
	refused.Message = "of " + what + ": " + refused.Message
	return &refused
}

package dashboard

import (
	"cupola/core/record/undo"
	"cupola/core/verb"
)

// origin is the face of acts of the dashboard.
const origin = "dashboard"

// lastActed is the act that a call put on record; nil for none.
func lastActed(env *verb.Env) *undo.Act { return verb.LastActed(&env.Local) }

package dashboard

import (
	"context"

	"cupola/core/record/undo"
	"cupola/core/verb"
)

// origin is the face of acts of the dashboard.
const origin = "dashboard"

// acted puts an act on record that no verb made.
func (d *Dashboard) acted(ctx context.Context, act undo.Act) *undo.Act {
	env, done := d.OneCall()
	defer done()
	env.Origin = origin
	verb.Acted(ctx, &env.Local, act)
	return verb.LastActed(&env.Local)
}

// lastActed is the act that a call put on record; nil for none.
func lastActed(env *verb.Env) *undo.Act { return verb.LastActed(&env.Local) }

package registry

import (
	"context"

	"cupola/core/text/report"
)

// Elsewhere returns a verb that another program answers: its input is checked and its answer written as those of v.
func Elsewhere(v *Verb, run func(ctx context.Context, in any, emit func(any) error) (*Reply, error)) *Verb {
	other := *v
	other.run = func(ctx context.Context, _ Env, in any, emit func(any) error) (*Reply, error) {
		return run(ctx, in, emit)
	}
	return &other
}

// Shown gives a reply what people see of it.
func (r *Reply) Shown(shown *report.Report) { r.human = func() *report.Report { return shown } }

// TakesOver gives a reply the command that takes over a person's terminal.
func (r *Reply) TakesOver(argv []string) {
	if len(argv) > 0 {
		r.plan = func() []string { return argv }
	}
}

// First is an input whose call on several hosts may end with the first that succeeds.
type First interface {
	// EndsWithFirst reports whether it does; the calls on the others are then cancelled.
	EndsWithFirst() bool
}

// Departing is an input that takes something of the caller's machine along when another host answers its verb.
type Departing interface {
	// Depart returns the input as the other host gets it. Env is the caller's.
	Depart(ctx context.Context, env Env) (any, error)
}

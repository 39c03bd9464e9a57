package crews

import (
	"context"

	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/verb"
)

// Control is how crews are acted on.
func Control(env *verb.Env) *run.Control {
	return &run.Control{
		Kind: run.Crew,
		Load: func(ctx context.Context, id string) (run.Head, error) {
			c, err := Load(ctx, env, id)
			if err != nil {
				return run.Head{}, err
			}
			return c.Head(), nil
		},
		Pause: func(ctx context.Context, id string) error {
			o, err := OrchestratorOf(ctx, env)
			if err != nil {
				return err
			}
			return o.Crews.Ask(ctx, id, store.PauseCrew)
		},
		Resume: func(ctx context.Context, id string) error {
			_, err := CrewResumeIn{OfCrew: OfCrew{Crew: id}, Background: true}.resume(ctx, env, nil)
			return err
		},
		Cancel: func(ctx context.Context, id string) error {
			o, err := OrchestratorOf(ctx, env)
			if err != nil {
				return err
			}
			_, err = o.Stop(ctx, id)
			return err
		},
		Remove: func(ctx context.Context, id string) error {
			o, err := OrchestratorOf(ctx, env)
			if err != nil {
				return err
			}
			return o.Remove(ctx, id)
		},
	}
}

// Show returns a crew with what it told the user.
func Show(ctx context.Context, env *verb.Env, id string) (*CrewOut, error) {
	c, err := Load(ctx, env, id)
	if err != nil {
		return nil, err
	}
	out, err := outOf(ctx, env, c)
	return &out, err
}

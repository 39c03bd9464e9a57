package crews

import (
	"cmp"
	"context"

	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew/orchestrator"
	"cupola/core/verb"
)

// Control is how crews are acted on.
func Control(env *verb.Env) *run.Control {
	type act = func(o *orchestrator.Orchestrator, ctx context.Context, id string) error
	by := func(do act) func(context.Context, string) error {
		return func(ctx context.Context, id string) error {
			o, err := orchestratorOf(ctx, env)
			if err != nil {
				return err
			}
			return do(o, ctx, id)
		}
	}
	return &run.Control{
		Kind: run.Crew, Held: Directory(&env.Local).Running,
		Load: func(ctx context.Context, id string) (run.Head, error) {
			c, err := load(ctx, env, id)
			if err != nil {
				return run.Head{}, err
			}
			return c.Head(), nil
		},
		Pause: by(func(o *orchestrator.Orchestrator, ctx context.Context, id string) error {
			return o.Crews.Ask(ctx, id, store.PauseCrew)
		}),
		Unpause: by(func(o *orchestrator.Orchestrator, ctx context.Context, id string) error {
			return o.Crews.Ask(ctx, id, store.Resume)
		}),
		Resume: func(ctx context.Context, id string) error {
			_, err := resumeCrew(ctx, env, CrewResumeIn{OfCrew: OfCrew{Crew: id}, Background: true}, nil)
			return err
		},
		Cancel: by(func(o *orchestrator.Orchestrator, ctx context.Context, id string) error {
			_, err := o.Stop(ctx, id)
			return err
		}),
		Events: func(ctx context.Context, id string, cursor int64) ([]run.Event, int64, error) {
			crews, err := read(ctx, env)
			if err != nil {
				return nil, cursor, err
			}
			events, err := crews.Events(ctx, id, cursor)
			all := make([]run.Event, len(events))
			for i := range events {
				e := &events[i]
				all[i] = run.Event{
					At: e.At, Type: string(e.Type), About: e.From,
					Text: cmp.Or(e.Text, string(e.Status), string(e.Reason)),
				}
				if e.To != "" {
					all[i].About += " to " + e.To
				}
				cursor = e.Seq
			}
			return all, cursor, err
		},
		Remove: by((*orchestrator.Orchestrator).Remove),
	}
}

// Show returns a crew with its messages to the user.
func Show(ctx context.Context, env *verb.Env, id string) (*CrewOut, error) {
	out, err := showOf(ctx, env, id)
	return &out, err
}

// stateAfter returns a crew as it is after an act, or the error of the act.
func stateAfter(ctx context.Context, env *verb.Env, id string, err error) (CrewStateOut, error) {
	if err != nil {
		return CrewStateOut{}, err
	}
	c, err := load(ctx, env, id)
	if err != nil {
		return CrewStateOut{}, err
	}
	return CrewStateOut{ID: c.ID, State: c.State, Turn: max(0, c.Turn), Reason: c.Reason}, nil
}

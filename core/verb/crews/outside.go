package crews

import (
	"context"
	"os"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run/crew"
	"cupola/core/verb"
)

// All returns the crews on record, the newest first. A machine without crews pays for a look at one
// directory.
func All(ctx context.Context, env *verb.Env) ([]crew.Crew, error) {
	book := Book(&env.Local)
	if _, err := os.Stat(book.Dir); err != nil {
		return nil, nil //nolint:nilerr // there was none
	}
	crews, err := read(ctx, env)
	if err != nil {
		return nil, err
	}
	all, err := crews.All(ctx, 0)
	for i := range all {
		book.MarkInterrupted(&all[i])
	}
	return all, err
}

// Since returns a crew with its events behind a number, and the relays that ask its agents now, by
// agent.
func Since(ctx context.Context, env *verb.Env, id string, after int64) (
	c *crew.Crew, events []crew.Event, asked map[string]string, err error,
) {
	if c, err = Load(ctx, env, id); err != nil {
		return nil, nil, nil, err
	}
	crews, err := read(ctx, env)
	if err != nil {
		return nil, nil, nil, err
	}
	if events, err = crews.Events(ctx, id, after); err != nil || c.State.Ended() || c.Stage != crew.Headless {
		return c, events, nil, err
	}
	asks, err := crews.OpenAsks(ctx, id)
	asked = map[string]string{}
	for i := range asks {
		if asks[i].Relay != "" {
			asked[asks[i].Member] = asks[i].Relay
		}
	}
	return c, events, asked, err
}

// PauseOrResume returns the input of the verb that is next for a crew: one that works is paused; one that is paused, or
// does not work, goes on in the background.
func PauseOrResume(ctx context.Context, env *verb.Env, id string) (any, error) {
	o, err := OrchestratorOf(ctx, env)
	if err != nil {
		return nil, err
	}
	resume := CrewResumeIn{OfCrew: OfCrew{Crew: id}, Background: true}
	if !o.Book.Running(id) {
		return resume, nil
	}
	switch asked, err := o.Crews.Control(ctx, id); {
	case err != nil:
		return nil, err
	case asked == store.PauseCrew:
		return resume, nil
	case asked == store.StopCrew:
		return nil, core.Errorf(core.Conflict, "the crew %s is being stopped", id)
	}
	return CrewPauseIn{OfCrew{Crew: id}}, nil
}

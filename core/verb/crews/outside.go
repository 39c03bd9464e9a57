package crews

import (
	"context"

	"cupola/core/run/crew"
	"cupola/core/verb"
)

// Since returns a crew with its events behind a number, and the relays that ask its agents now, by
// agent.
func Since(ctx context.Context, env *verb.Env, id string, after int64) (
	c *crew.Crew, events []crew.Event, asked map[string]string, err error,
) {
	if c, err = load(ctx, env, id); err != nil {
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

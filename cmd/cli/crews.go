package cli

import (
	"context"
	"maps"
	"slices"

	"cupola/core/crew"
	"cupola/core/relay"
	"cupola/robot/command/crews"
	"cupola/tui/effect"
)

// crews is how the dashboard reaches crews.
func (p *program) crews() effect.Crews {
	return effect.Crews{
		List: func(ctx context.Context) ([]crew.Crew, error) { return crews.All(ctx, p.deps) },
		Read: func(ctx context.Context, id string, after int64) (*crew.Crew, []crew.Event, []effect.Saying, error) {
			c, events, asked, err := crews.Since(ctx, p.deps, id, after)
			return c, events, p.saying(id, asked), err
		},
		Start: func(ctx context.Context, who, prompt string) (*crew.Crew, error) {
			return crews.Start(ctx, p.deps, who, prompt)
		},
		Say:   func(ctx context.Context, id, text string) error { return crews.Say(ctx, p.deps, id, text) },
		Stop:  func(ctx context.Context, id string) error { return crews.Stop(ctx, p.deps, id) },
		Pause: func(ctx context.Context, id string) (string, error) { return crews.PauseOrGoOn(ctx, p.deps, id) },
	}
}

// saying are the answers that come from the relays that ask agents of a crew.
func (p *program) saying(id string, asked map[string]string) []effect.Saying {
	book := relay.Book{Dir: crews.Book(p.deps).Relays(id)}
	var all []effect.Saying
	for _, agent := range slices.Sorted(maps.Keys(asked)) {
		reader := &relay.Reader{Book: book, ID: asked[agent]}
		if reader.Read() == nil {
			all = append(all, effect.Saying{Agent: agent, Text: reader.Text(), Doing: reader.Doing()})
		}
	}
	return all
}

package dashboard

import (
	"context"
	"maps"
	"slices"

	"cupola/core/run/crew"
	"cupola/core/run/relay"
	"cupola/core/verb/crews"
	"cupola/tui/effect"
	"cupola/tui/screen"
)

// crews is how the dashboard reaches crews.
func (d *Dashboard) crews() effect.Crews {
	answers := &answers{}
	return effect.Crews{
		Read: func(ctx context.Context, id string, after int64) (*crew.Crew, []crew.Event, []screen.Saying, error) {
			c, events, asked, err := crews.Since(ctx, d.Env, id, after)
			return c, events, answers.coming(crews.Directory(&d.Env.Local).Relays(id), asked), err
		},
	}
}

// answers reads the answers that come to a crew, each part of them once. It is not safe for concurrent use.
type answers struct{ readers map[string]*relay.Reader }

// coming returns what has come from the relays, in a directory, that ask agents now.
func (a *answers) coming(dir string, asked map[string]string) []screen.Saying {
	readers := make(map[string]*relay.Reader, len(asked))
	var all []screen.Saying
	for _, agent := range slices.Sorted(maps.Keys(asked)) {
		id := asked[agent]
		reader := a.readers[id]
		if reader == nil {
			reader = &relay.Reader{Directory: relay.Directory{Dir: dir}, ID: id}
		}
		readers[id] = reader
		if reader.Read() == nil {
			all = append(all, screen.Saying{Agent: agent, Text: reader.Text(), Doing: reader.Doing()})
		}
	}
	a.readers = readers
	return all
}

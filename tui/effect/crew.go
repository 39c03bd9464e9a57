package effect

import (
	"context"
	"sync"

	"cupola/core/run/crew"
	"cupola/tui/screen"
	shown "cupola/tui/screen/crews"
)

// Crews is how crews are reached.
type Crews struct {
	// Read returns a crew with the events behind a number, and what its agents are answering now. It is
	// called once at a time, and is nil where there are none to reach.
	Read func(ctx context.Context, id string, after int64) (*crew.Crew, []crew.Event, []screen.Saying, error)
}

// crews acts on crews.
type crews struct {
	Crews

	mu sync.Mutex
	// reader reads the crew that is on the display.
	reader reader[crew.Event]
}

func newCrews(c Crews) *crews { return &crews{Crews: c} }

// readers answer what is asked about crews; none where there are none to reach.
func (c *crews) readers() []Reader {
	if c.Read == nil {
		return nil
	}
	return []Reader{
		Follow(func(ctx context.Context, w shown.Question) (shown.Talk, bool, error) { return c.look(ctx, w.ID) }),
	}
}

// look reads what is new of a crew; news is true if there is something.
func (c *crews) look(ctx context.Context, id string) (read shown.Talk, news bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reader.begin(id)
	found, events, saying, err := c.Read(ctx, id, c.reader.after(func(e *crew.Event) int64 { return e.Seq }))
	if err != nil {
		return read, true, err
	}
	news = c.reader.add(events, saying, string(found.State))
	return shown.Talk{Crew: *found, Events: c.reader.events, Saying: saying}, news, nil
}

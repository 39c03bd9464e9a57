package effect

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"cupola/core/run/crew"
	"cupola/tui/screen"
	shown "cupola/tui/screen/crews"
)

// Crews is how crews are reached.
type Crews struct {
	// List returns the crews, the newest first.
	List func(ctx context.Context) ([]crew.Crew, error)
	// Read returns a crew with the events behind a number, and what its agents are answering now. It is
	// called once at a time.
	Read func(ctx context.Context, id string, after int64) (*crew.Crew, []crew.Event, []screen.Saying, error)
	// Next returns the input of the verb that pauses a crew, or lets it go on.
	Next func(ctx context.Context, id string) (input any, err error)
}

// crews acts on crews.
type crews struct {
	Crews

	mu sync.Mutex
	// reader reads the crew that is on the display.
	reader reader[crew.Event]
}

func newCrews(c Crews) *crews { return &crews{Crews: c} }

// readers answer what the screen of the crews asks; none where there are none to reach.
func (c *crews) readers() []Reader {
	if c.List == nil {
		return nil
	}
	return []Reader{
		Watch(func(ctx context.Context, _ shown.ListQuestion) ([]crew.Crew, error) {
			return c.List(ctx)
		}, identifyCrews),
		Follow(func(ctx context.Context, w shown.Question) (shown.Talk, bool, error) { return c.look(ctx, w.ID) }),
	}
}

func identifyCrews(all []crew.Crew, err error) (listed string, live bool) {
	var b strings.Builder
	b.WriteString("list")
	if err != nil {
		b.WriteString(err.Error())
	}
	for i := range all {
		one := &all[i]
		fmt.Fprintf(&b, " %s %s %d %d", one.ID, one.State, one.Turn, one.Ended.UnixMilli())
		live = live || !one.State.Ended()
	}
	return b.String(), live
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

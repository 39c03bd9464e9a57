package effect

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/run/crew"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// Crews is how crews are reached.
type Crews struct {
	// List returns the crews, the newest first.
	List func(ctx context.Context) ([]crew.Crew, error)
	// Read returns a crew with the events behind a number, and what its agents are answering now. It is
	// called once at a time.
	Read func(ctx context.Context, id string, after int64) (*crew.Crew, []crew.Event, []Saying, error)
	// Start starts a crew in the background; who is a recipe, or agents as role:backend.
	Start func(ctx context.Context, who, prompt string) (*crew.Crew, error)
	// Say says something to a crew, Stop stops it.
	Say  func(ctx context.Context, id, text string) error
	Stop func(ctx context.Context, id string) error
	// Pause pauses a crew, or lets it go on, and says what it did.
	Pause func(ctx context.Context, id string) (string, error)
}

// Saying is an answer while it comes.
type Saying = screen.Saying

// CrewsListed has the crews, the newest first.
type CrewsListed struct {
	Crews []crew.Crew
	Err   error
	Now   time.Time
}

// CrewRead is a crew with all that happened in it; Err says why that is unknown.
type CrewRead struct {
	Intent intent.ReadCrew
	Crew   crew.Crew
	// Events must not be changed.
	Events []crew.Event
	Saying []Saying
	Err    error
	Now    time.Time
}

// crews acts on crews.
type crews struct {
	Crews
	watcher *watcher

	mu sync.Mutex
	// reader reads the crew that is on the display.
	reader reader[crew.Event]
}

func newCrews(c Crews) *crews { return &crews{Crews: c, watcher: newWatcher()} }

// watch waits for another list of crews.
func (c *crews) watch(ctx context.Context) tea.Msg {
	if c.List == nil { // there are none to reach
		<-ctx.Done()
		return nil
	}
	listed := CrewsListed{}
	if !c.watcher.next(ctx, func() (string, bool) {
		listed.Crews, listed.Err = c.List(ctx)
		return identifyCrews(listed.Crews, listed.Err)
	}) {
		return nil
	}
	listed.Now = time.Now()
	return listed
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

// read reads a crew. It waits for news if the crew is known, but no longer than readWithin.
func (c *crews) read(ctx context.Context, w intent.ReadCrew) tea.Msg {
	read, ok := newsOf(ctx, w.Known, func() (CrewRead, bool) { return c.look(ctx, w) })
	if !ok {
		return nil
	}
	return read
}

// look reads what is new of a crew; news is true if there is something.
func (c *crews) look(ctx context.Context, w intent.ReadCrew) (read CrewRead, news bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reader.begin(w.ID)
	read = CrewRead{Intent: w, Now: time.Now()}
	found, events, saying, err := c.Read(ctx, w.ID, c.reader.after(func(e *crew.Event) int64 { return e.Seq }))
	if err != nil {
		read.Err = err
		return read, true
	}
	news = c.reader.add(events, saying, string(found.State))
	read.Crew, read.Events, read.Saying = *found, c.reader.events, saying
	return read, news
}

// start starts a crew.
func (c *crews) start(ctx context.Context, w intent.StartCrew) Done {
	made, err := c.Start(ctx, w.Who, w.Prompt)
	c.watcher.hurry()
	if err != nil {
		return Done{Err: err}
	}
	return Done{Said: "the crew " + made.ID + " works", Crew: made.ID}
}

// say says something to a crew.
func (c *crews) say(ctx context.Context, w intent.Say) (string, error) {
	if err := c.Say(ctx, w.ID, w.Text); err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reader.id == w.ID && crew.State(c.reader.state).Ended() {
		return "it is heard once the crew goes on; p lets it", nil
	}
	return "it is heard in the next turn", nil
}

// pause pauses a crew, or lets it go on.
func (c *crews) pause(ctx context.Context, w intent.PauseCrew) (string, error) {
	did, err := c.Pause(ctx, w.ID)
	c.watcher.hurry()
	return did, err
}

// stop stops a crew, and waits for that.
func (c *crews) stop(ctx context.Context, w intent.StopCrew) (string, error) {
	err := within(ctx, "the crew "+w.ID, func(ctx context.Context) error { return c.Stop(ctx, w.ID) })
	c.watcher.hurry()
	return "stopped " + w.ID, err
}

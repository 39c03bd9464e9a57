package effect

import (
	"context"
	"sync"
	"time"

	verbs "cupola/core/verb/stories"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/run/story"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	shown "cupola/tui/screen/stories"
)

// Stories is how changes and the runs over their stories are reached.
type Stories struct {
	// Todo returns the changes, in the order in which they are to be shown. It is nil where there are none to reach.
	Todo func(ctx context.Context) ([]verbs.Todo, error)
	// Change reads a change, by the folder and the name that the list has of it.
	Change func(ctx context.Context, dir, name string) (*story.Change, error)
	// Plan says how the stories of a change would be worked on; an empty backend is left to the settings.
	Plan func(ctx context.Context, dir, name, backend string) (form.Plan, error)
	// Read returns a run with the events behind a number, and what its agents do now: the agent of a Saying is the
	// id of its story. It is called once at a time.
	Read func(ctx context.Context, id string, after int64) (*story.Run, []story.Event, []screen.Saying, error)
	// Changed returns what a run changed.
	Changed func(ctx context.Context, id string) (verbs.Changes, error)
}

// RunPlanned says how the stories of a change would be worked on; Err why that is unknown.
type RunPlanned struct {
	Intent intent.PlanRun
	Plan   form.Plan
	Err    error
}

// stories acts on changes and on runs over their stories.
type stories struct {
	Stories

	mu sync.Mutex
	// reader reads the run that is on the display.
	reader reader[story.Event]
}

func newStories(s Stories) *stories { return &stories{Stories: s} }

// readers answer what is asked about changes and runs over their stories; none where there are none to reach.
func (s *stories) readers() []Reader {
	if s.Todo == nil {
		return nil
	}
	return []Reader{
		Paced(func(shown.TodoQuestion) time.Duration { return leastPace },
			func(ctx context.Context, _ shown.TodoQuestion) ([]verbs.Todo, error) { return s.Todo(ctx) }),
		Follow(func(ctx context.Context, w shown.RunQuestion) (shown.RunText, bool, error) {
			return s.look(ctx, w.ID)
		}),
		Read(func(ctx context.Context, w shown.ChangeQuestion) (story.Change, error) {
			found, err := s.Change(ctx, w.Dir, w.Name)
			if err != nil {
				return story.Change{}, err
			}
			return *found, nil
		}),
		Read(func(ctx context.Context, w shown.ChangedQuestion) (verbs.Changes, error) { return s.Changed(ctx, w.ID) }),
	}
}

// look reads what is new of a run; news is true if there is something.
func (s *stories) look(ctx context.Context, id string) (read shown.RunText, news bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader.begin(id)
	found, events, saying, err := s.Read(ctx, id, s.reader.after(func(e *story.Event) int64 { return e.Seq }))
	if err != nil {
		return read, true, err
	}
	news = s.reader.add(events, saying, string(found.State))
	return shown.RunText{Run: *found, Events: s.reader.events, Saying: saying}, news, nil
}

// plan says how the stories of a change would be worked on.
func (s *stories) plan(ctx context.Context, w intent.PlanRun) tea.Msg {
	plan, err := s.Plan(ctx, w.Dir, w.Name, w.Backend)
	return RunPlanned{Intent: w, Plan: plan, Err: err}
}

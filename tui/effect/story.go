package effect

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"cupola/core/run/story"
	"cupola/tui/intent"
	"cupola/tui/screen"
)

// What is said of changes and of runs over their stories; the screens show these.
type (
	// StoryChange is what a list says of a change.
	StoryChange = screen.StoryChange
	// StoryPlan is how the stories of a change would be worked on.
	StoryPlan = screen.StoryPlan
	// ChangedFile is a file that differs from what it was before a run.
	ChangedFile = screen.ChangedFile
)

// Stories is how changes and the runs over their stories are reached.
type Stories struct {
	// List returns the changes, in the order in which they are to be shown, and the runs, the newest first. It is
	// called every two seconds, also while they are not shown, and is nil where there are none to reach.
	List func(ctx context.Context) (changes []StoryChange, runs []story.Run, err error)
	// Change reads a change, by the folder and the name that the list has of it.
	Change func(ctx context.Context, dir, name string) (*story.Change, error)
	// Plan says how the stories of a change would be worked on; an empty backend is left to the settings.
	Plan func(ctx context.Context, dir, name, backend string) (StoryPlan, error)
	// Read returns a run with the events behind a number, and what its agents do now: the agent of a Saying is the
	// id of its story. It is called once at a time.
	Read func(ctx context.Context, id string, after int64) (*story.Run, []story.Event, []Saying, error)
	// Start starts a run in the background.
	Start func(ctx context.Context, dir, name, backend string) (*story.Run, error)
	// Pause pauses a run, or lets it go on, also one that ended, and says what it did.
	Pause func(ctx context.Context, id string) (string, error)
	// Stop stops a run, and returns once it has ended.
	Stop func(ctx context.Context, id string) error
	// Changed returns the files that a run changed, and the difference in git's form.
	Changed func(ctx context.Context, id string) ([]ChangedFile, string, error)
	// Finish keeps the commits of a run that ended, or makes one of them, and says what it did.
	Finish func(ctx context.Context, id string, squash bool) (string, error)
}

// StoriesListed has the changes and the runs.
type StoriesListed struct {
	Changes []StoryChange
	Runs    []story.Run
	Err     error
	Now     time.Time
}

// ChangeRead is a change; Err says why it cannot be read.
type ChangeRead struct {
	Intent intent.ReadChange
	Change story.Change
	Err    error
}

// RunRead is a run with all that happened in it; Err says why that is unknown.
type RunRead struct {
	Intent intent.ReadRun
	Run    story.Run
	// Events must not be changed.
	Events []story.Event
	Saying []Saying
	Err    error
	Now    time.Time
}

// ChangedRead is what a run changed; Err says why that is unknown.
type ChangedRead struct {
	Intent intent.ReadChanged
	Files  []ChangedFile
	Diff   string
	Err    error
}

// RunPlanned says how the stories of a change would be worked on; Err why that is unknown.
type RunPlanned struct {
	Intent intent.PlanRun
	Plan   StoryPlan
	Err    error
}

// stories acts on changes and on runs over their stories.
type stories struct {
	Stories
	watcher *watcher

	mu sync.Mutex
	// reader reads the run that is on the display.
	reader reader[story.Event]
}

func newStories(s Stories) *stories { return &stories{Stories: s, watcher: newWatcher()} }

// watch waits for another list of changes and runs.
func (s *stories) watch(ctx context.Context) tea.Msg {
	if s.List == nil { // there are none to reach
		<-ctx.Done()
		return nil
	}
	listed := StoriesListed{}
	if !s.watcher.next(ctx, func() (string, bool) {
		listed.Changes, listed.Runs, listed.Err = s.List(ctx)
		return identifyStories(&listed)
	}) {
		return nil
	}
	listed.Now = time.Now()
	return listed
}

func identifyStories(all *StoriesListed) (listed string, live bool) {
	var b strings.Builder
	b.WriteString("list")
	if all.Err != nil {
		b.WriteString(all.Err.Error())
	}
	for i := range all.Changes {
		fmt.Fprintf(&b, " %v", all.Changes[i])
	}
	for i := range all.Runs {
		one := &all.Runs[i]
		done, _ := one.Counts()
		fmt.Fprintf(&b, " %s %s %d %d %d", one.ID, one.State, done, one.Iterations, one.Ended.UnixMilli())
		live = live || !one.State.Ended()
	}
	return b.String(), live
}

// read reads a run. It waits for news if the run is known, but no longer than readWithin.
func (s *stories) read(ctx context.Context, w intent.ReadRun) tea.Msg {
	read, ok := newsOf(ctx, w.Known, func() (RunRead, bool) { return s.look(ctx, w) })
	if !ok {
		return nil
	}
	return read
}

// look reads what is new of a run; news is true if there is something.
func (s *stories) look(ctx context.Context, w intent.ReadRun) (read RunRead, news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reader.begin(w.ID)
	read = RunRead{Intent: w, Now: time.Now()}
	found, events, saying, err := s.Read(ctx, w.ID, s.reader.after(func(e *story.Event) int64 { return e.Seq }))
	if err != nil {
		read.Err = err
		return read, true
	}
	news = s.reader.add(events, saying, string(found.State))
	read.Run, read.Events, read.Saying = *found, s.reader.events, saying
	return read, news
}

// change reads a change.
func (s *stories) change(ctx context.Context, w intent.ReadChange) tea.Msg {
	found, err := s.Change(ctx, w.Dir, w.Name)
	if err != nil {
		return ChangeRead{Intent: w, Err: err}
	}
	return ChangeRead{Intent: w, Change: *found}
}

// changed reads what a run changed.
func (s *stories) changed(ctx context.Context, w intent.ReadChanged) tea.Msg {
	files, diff, err := s.Changed(ctx, w.ID)
	return ChangedRead{Intent: w, Files: files, Diff: diff, Err: err}
}

// plan says how the stories of a change would be worked on.
func (s *stories) plan(ctx context.Context, w intent.PlanRun) tea.Msg {
	plan, err := s.Plan(ctx, w.Dir, w.Name, w.Backend)
	return RunPlanned{Intent: w, Plan: plan, Err: err}
}

// start starts a run.
func (s *stories) start(ctx context.Context, w intent.StartRun) Done {
	made, err := s.Start(ctx, w.Dir, w.Name, w.Backend)
	s.watcher.hurry()
	if err != nil {
		return Done{Err: err}
	}
	return Done{Said: "the run " + made.ID + " works on " + made.Name, Run: made.ID}
}

// pause pauses a run, or lets it go on.
func (s *stories) pause(ctx context.Context, w intent.PauseRun) (string, error) {
	did, err := s.Pause(ctx, w.ID)
	s.watcher.hurry()
	return did, err
}

// stop stops a run, and waits for that.
func (s *stories) stop(ctx context.Context, w intent.StopRun) (string, error) {
	err := within(ctx, "the run "+w.ID, func(ctx context.Context) error { return s.Stop(ctx, w.ID) })
	s.watcher.hurry()
	return "stopped " + w.ID, err
}

// finish keeps the commits of a run, or makes one of them.
func (s *stories) finish(ctx context.Context, w intent.FinishRun) (string, error) {
	did, err := s.Finish(ctx, w.ID, w.Squash)
	s.watcher.hurry()
	return did, err
}

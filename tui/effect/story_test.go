package effect

import (
	"context"
	"errors"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/tui/intent"
)

// storyRecord is one change and one run on record.
type storyRecord struct {
	run    story.Run
	events []story.Event
	saying []Saying
	err    error
	// after are the numbers behind which events were asked for.
	after []int64
}

func (r *storyRecord) effects(ctx context.Context) *Effects {
	return &Effects{ctx: ctx, stories: newStories(Stories{
		List: func(context.Context) ([]StoryChange, []story.Run, error) {
			return []StoryChange{{Name: "c"}}, []story.Run{r.run}, r.err
		},
		Change: func(_ context.Context, dir, name string) (*story.Change, error) {
			return &story.Change{Name: name, Dir: dir}, r.err
		},
		Plan: func(_ context.Context, _, _, backend string) (StoryPlan, error) {
			return StoryPlan{Backend: backend, Verify: []string{"make test"}}, r.err
		},
		Read: func(_ context.Context, _ string, after int64) (*story.Run, []story.Event, []Saying, error) {
			r.after = append(r.after, after)
			one, events := r.run, []story.Event(nil)
			for _, e := range r.events {
				if e.Seq > after {
					events = append(events, e)
				}
			}
			return &one, events, r.saying, r.err
		},
		Start: func(_ context.Context, _, name, _ string) (*story.Run, error) {
			return &story.Run{ID: "r2", Name: name}, r.err
		},
		Pause: func(context.Context, string) (string, error) { return "paused", r.err },
		Stop:  func(context.Context, string) error { return r.err },
		Changed: func(context.Context, string) ([]ChangedFile, string, error) {
			return []ChangedFile{{Path: "a.go", Added: 1}}, "diff", r.err
		},
		Finish: func(_ context.Context, _ string, squash bool) (string, error) {
			if squash {
				return "one commit", r.err
			}
			return "kept", r.err
		},
	})}
}

func TestARunIsReadWhileThereIsNews(t *testing.T) {
	r := &storyRecord{
		run:    story.Run{ID: "r1", State: story.Running},
		events: []story.Event{{Seq: 1, Type: story.RunStart}, {Seq: 2, Type: story.StoryStart}},
	}
	e := r.effects(t.Context())
	read := func(known bool) RunRead {
		t.Helper()
		got, _ := e.Do(intent.ReadRun{ID: "r1", Known: known})().(RunRead)
		return got
	}
	first := read(false)
	if len(first.Events) != 2 || first.Run.ID != "r1" || first.Err != nil {
		t.Fatalf("got %+v", first)
	}
	r.saying = []Saying{{Agent: "1", Pane: "api.1"}}
	if got := read(true); len(got.Saying) != 1 || len(got.Events) != 2 {
		t.Errorf("got %+v", got)
	}
	r.events = append(r.events, story.Event{Seq: 3, Type: story.Note})
	if got := read(true); len(got.Events) != 3 || len(first.Events) != 2 {
		t.Errorf("got %+v", got)
	}
	looked := len(r.after)
	if got := read(true); len(got.Events) != 3 || len(r.after) < looked+2 {
		t.Errorf("without news it looked %d times", len(r.after)-looked)
	}
	r.run.State = story.Completed
	if got := read(true); got.Run.State != story.Completed {
		t.Errorf("got %+v", got)
	}
	r.err = errors.New("the disk is gone")
	if got := read(true); got.Err == nil {
		t.Error("the failure is lost")
	}
}

func TestTheListOfStoriesIsNewsOnceSomethingChanged(t *testing.T) {
	list := func(change func(*StoriesListed)) (string, bool) {
		all := StoriesListed{
			Changes: []StoryChange{{Name: "c"}},
			Runs:    []story.Run{{ID: "r1", State: story.Completed, Stories: []story.Progress{{ID: "1"}}}},
		}
		change(&all)
		return identifyStories(&all)
	}
	before, live := list(func(*StoriesListed) {})
	if live {
		t.Error("one that ended is live")
	}
	for name, change := range map[string]func(*StoriesListed){
		"task":  func(l *StoriesListed) { l.Changes[0].TasksDone++ },
		"state": func(l *StoriesListed) { l.Runs[0].State = story.Failed },
		"story": func(l *StoriesListed) { l.Runs[0].Stories[0].State = story.Done },
		"try":   func(l *StoriesListed) { l.Runs[0].Iterations++ },
		"end":   func(l *StoriesListed) { l.Runs[0].Ended = l.Runs[0].Ended.AddDate(2026, 0, 0) },
		"error": func(l *StoriesListed) { l.Err = errors.New("no") },
	} {
		if after, _ := list(change); after == before {
			t.Errorf("another %s is no news", name)
		}
	}
	r := &storyRecord{run: story.Run{ID: "r1", State: story.Running}}
	e := r.effects(t.Context())
	listed, _ := e.Do(intent.WatchStories{})().(StoriesListed)
	if len(listed.Runs) != 1 || len(listed.Changes) != 1 {
		t.Errorf("got %+v", listed)
	}
}

func TestWithoutStoriesNothingIsListed(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	e := &Effects{ctx: ctx, stories: newStories(Stories{})}
	ended := make(chan any)
	go func() { ended <- e.Do(intent.WatchStories{})() }()
	stop()
	select {
	case msg := <-ended:
		if msg != nil {
			t.Errorf("got %v", msg)
		}
	case <-time.After(testTimeout):
		t.Error("it does not end with its context")
	}
}

func TestQuestionsAboutChangesAreAnswered(t *testing.T) {
	r := &storyRecord{}
	e := r.effects(t.Context())
	ask := intent.ReadChange{Dir: "/d", Name: "c", N: 4}
	if got, _ := e.Do(ask)().(ChangeRead); got.Intent != ask || got.Change.Dir != "/d" || got.Err != nil {
		t.Errorf("got %+v", got)
	}
	if got, _ := e.Do(intent.ReadChanged{ID: "r1"})().(ChangedRead); len(got.Files) != 1 || got.Diff != "diff" {
		t.Errorf("got %+v", got)
	}
	if got, _ := e.Do(intent.PlanRun{Name: "c", Backend: "codex"})().(RunPlanned); got.Plan.Backend != "codex" {
		t.Errorf("got %+v", got)
	}
	r.err = core.Errorf(core.NotFound, "gone")
	if got, _ := e.Do(ask)().(ChangeRead); got.Err == nil {
		t.Error("the failure is lost")
	}
}

func TestActsOnRunsSayWhatTheyDid(t *testing.T) {
	for _, test := range []struct {
		wanted intent.Intent
		said   string
	}{
		{intent.StartRun{Name: "add-login"}, "the run r2 works on add-login"},
		{intent.PauseRun{ID: "r1"}, "paused"},
		{intent.StopRun{ID: "r1"}, "stopped r1"},
		{intent.FinishRun{ID: "r1"}, "kept"},
		{intent.FinishRun{ID: "r1", Squash: true}, "one commit"},
	} {
		r := &storyRecord{}
		e := r.effects(t.Context())
		if done, _ := e.Do(test.wanted)().(Done); done.Said != test.said || done.Err != nil {
			t.Errorf("%T: %+v", test.wanted, done)
		}
		r.err = errors.New("no")
		if done, _ := e.Do(test.wanted)().(Done); done.Err == nil {
			t.Errorf("%T: the failure is lost", test.wanted)
		}
	}
}

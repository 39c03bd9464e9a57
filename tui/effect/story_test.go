package effect

import (
	"context"
	"errors"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/tui/intent"
	"cupola/tui/screen"
	"cupola/tui/screen/form"
	shown "cupola/tui/screen/stories"
)

// storyRecord is one change and one run on record.
type storyRecord struct {
	run    story.Run
	events []story.Event
	saying []screen.Saying
	err    error
	// after are the numbers behind which events were asked for.
	after []int64
}

func (r *storyRecord) effects(ctx context.Context) *Effects {
	s := newStories(Stories{
		List: func(context.Context) (shown.List, error) {
			return shown.List{Changes: []shown.Change{{Name: "c"}}, Runs: []story.Run{r.run}}, r.err
		},
		Change: func(_ context.Context, dir, name string) (*story.Change, error) {
			return &story.Change{Name: name, Dir: dir}, r.err
		},
		Plan: func(_ context.Context, _, _, backend string) (form.Plan, error) {
			return form.Plan{Backend: backend, Verify: []string{"make test"}}, r.err
		},
		Read: func(_ context.Context, _ string, after int64) (*story.Run, []story.Event, []screen.Saying, error) {
			r.after = append(r.after, after)
			one, events := r.run, []story.Event(nil)
			for _, e := range r.events {
				if e.Seq > after {
					events = append(events, e)
				}
			}
			return &one, events, r.saying, r.err
		},
		Changed: func(context.Context, string) (shown.Changed, error) {
			return shown.Changed{Files: []shown.ChangedFile{{Path: "a.go", Added: 1}}, Diff: "diff"}, r.err
		},
	})
	return &Effects{ctx: ctx, stories: s, readers: s.readers()}
}

func TestARunIsReadWhileThereIsNews(t *testing.T) {
	r := &storyRecord{
		run:    story.Run{ID: "r1", State: story.Running},
		events: []story.Event{{Seq: 1, Type: story.RunStart}, {Seq: 2, Type: story.StoryStart}},
	}
	e := r.effects(t.Context())
	read := func(known bool) shown.RunText {
		t.Helper()
		text, _ := answerTo[shown.RunText](e, shown.RunQuestion{ID: "r1"}, known)
		return text
	}
	first := read(false)
	if len(first.Events) != 2 || first.Run.ID != "r1" {
		t.Fatalf("got %+v", first)
	}
	r.saying = []screen.Saying{{Agent: "1", Pane: "api.1"}}
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
	if _, err := answerTo[shown.RunText](e, shown.RunQuestion{ID: "r1"}, true); err == nil {
		t.Error("the failure is lost")
	}
}

func TestTheListOfStoriesIsNewsOnceSomethingChanged(t *testing.T) {
	list := func(change func(*shown.List)) (string, bool) {
		all := shown.List{
			Changes: []shown.Change{{Name: "c"}},
			Runs:    []story.Run{{ID: "r1", State: story.Completed, Stories: []story.Progress{{ID: "1"}}}},
		}
		change(&all)
		return identifyStories(all, nil)
	}
	before, live := list(func(*shown.List) {})
	if live {
		t.Error("one that ended is live")
	}
	for name, change := range map[string]func(*shown.List){
		"task":  func(l *shown.List) { l.Changes[0].TasksDone++ },
		"state": func(l *shown.List) { l.Runs[0].State = story.Failed },
		"story": func(l *shown.List) { l.Runs[0].Stories[0].State = story.Done },
		"try":   func(l *shown.List) { l.Runs[0].Iterations++ },
		"end":   func(l *shown.List) { l.Runs[0].Ended = l.Runs[0].Ended.AddDate(2026, 0, 0) },
	} {
		if after, _ := list(change); after == before {
			t.Errorf("another %s is no news", name)
		}
	}
	if failed, _ := identifyStories(shown.List{}, errors.New("no")); failed == before {
		t.Error("a failure is no news")
	}
	r := &storyRecord{run: story.Run{ID: "r1", State: story.Running}}
	e := r.effects(t.Context())
	listed, _ := answerTo[shown.List](e, shown.ListQuestion{}, false)
	if len(listed.Runs) != 1 || len(listed.Changes) != 1 {
		t.Errorf("got %+v", listed)
	}
}

func TestAListIsWatchedUntilTheDashboardEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	s := newStories(Stories{List: func(context.Context) (shown.List, error) { return shown.List{}, nil }})
	e := &Effects{ctx: ctx, stories: s, readers: s.readers()}
	ask := e.Do(intent.Read{Question: shown.ListQuestion{}})
	if _, is := ask().(Answered); !is {
		t.Fatal("the first list does not come at once")
	}
	ended := make(chan any)
	go func() { ended <- ask() }()
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
	ask := intent.Read{Question: shown.ChangeQuestion{Dir: "/d", Name: "c"}, N: 4}
	got, _ := e.Do(ask)().(Answered)
	if got.Read != ask || got.Answer.(story.Change).Dir != "/d" || got.Err != nil {
		t.Errorf("got %+v", got)
	}
	changed, _ := answerTo[shown.Changed](e, shown.ChangedQuestion{ID: "r1"}, false)
	if len(changed.Files) != 1 || changed.Diff != "diff" {
		t.Errorf("got %+v", changed)
	}
	if got, _ := e.Do(intent.PlanRun{Name: "c", Backend: "codex"})().(RunPlanned); got.Plan.Backend != "codex" {
		t.Errorf("got %+v", got)
	}
	r.err = core.Errorf(core.NotFound, "gone")
	if got, _ := e.Do(ask)().(Answered); got.Err == nil {
		t.Error("the failure is lost")
	}
}

package effect

import (
	"context"
	"errors"
	"testing"

	verbs "cupola/core/verb/stories"

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
		Todo: func(context.Context) ([]verbs.Todo, error) { return []verbs.Todo{{Dir: "c"}}, r.err },
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
		Changed: func(context.Context, string) (verbs.Changes, error) {
			return verbs.Changes{Files: []verbs.File{{Path: "a.go", Added: 1}}, Diff: "diff"}, r.err
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

func TestQuestionsAboutChangesAreAnswered(t *testing.T) {
	r := &storyRecord{}
	e := r.effects(t.Context())
	ask := intent.Read{Question: shown.ChangeQuestion{Dir: "/d", Name: "c"}, N: 4}
	got, _ := e.Do(ask)().(Answered)
	if got.Read != ask || got.Answer.(story.Change).Dir != "/d" || got.Err != nil {
		t.Errorf("got %+v", got)
	}
	if todo, err := answerTo[[]verbs.Todo](e, shown.TodoQuestion{}, false); len(todo) != 1 || err != nil {
		t.Errorf("got %+v, %v", todo, err)
	}
	changed, _ := answerTo[verbs.Changes](e, shown.ChangedQuestion{ID: "r1"}, false)
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

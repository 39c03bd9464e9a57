package effect

import (
	"context"
	"errors"
	"testing"

	"cupola/core/run/crew"
	"cupola/tui/screen"
	shown "cupola/tui/screen/crews"
)

// crewRecord is one crew on record.
type crewRecord struct {
	crew   crew.Crew
	events []crew.Event
	saying []screen.Saying
	err    error
	// after are the numbers behind which events were asked for.
	after []int64
}

func (r *crewRecord) effects(ctx context.Context) *Effects {
	c := newCrews(Crews{
		Read: func(_ context.Context, _ string, after int64) (*crew.Crew, []crew.Event, []screen.Saying, error) {
			r.after = append(r.after, after)
			one, events := r.crew, []crew.Event(nil)
			for _, e := range r.events {
				if e.Seq > after {
					events = append(events, e)
				}
			}
			return &one, events, r.saying, r.err
		},
	})
	return &Effects{ctx: ctx, crews: c, readers: c.readers()}
}

func TestACrewIsReadWhileThereIsNews(t *testing.T) {
	r := &crewRecord{
		crew:   crew.Crew{ID: "c1", State: crew.Running},
		events: []crew.Event{{Seq: 1, Type: crew.Task}, {Seq: 2, Type: crew.Start}},
	}
	e := r.effects(t.Context())
	read := func(known bool) shown.Talk {
		t.Helper()
		talk, _ := answerTo[shown.Talk](e, shown.Question{ID: "c1"}, known)
		return talk
	}
	first := read(false)
	if len(first.Events) != 2 || first.Crew.ID != "c1" {
		t.Fatalf("got %+v", first)
	}
	r.saying = []screen.Saying{{Agent: "a.x", Text: "I"}}
	if got := read(true); len(got.Saying) != 1 || len(got.Events) != 2 {
		t.Errorf("got %+v", got)
	}
	r.events = append(r.events, crew.Event{Seq: 3, Type: crew.Note})
	if got := read(true); len(got.Events) != 3 || len(first.Events) != 2 {
		t.Errorf("got %+v", got)
	}
	looked := len(r.after)
	if got := read(true); len(got.Events) != 3 || len(r.after) < looked+2 {
		t.Errorf("without news it looked %d times", len(r.after)-looked)
	}
	if last := r.after[len(r.after)-1]; last != 3 {
		t.Errorf("events are read behind %d", last)
	}
	r.err = errors.New("the disk is gone")
	if _, err := answerTo[shown.Talk](e, shown.Question{ID: "c1"}, true); err == nil {
		t.Error("the failure is lost")
	}
}

package effect

import (
	"context"
	"errors"
	"testing"
	"time"

	"cupola/core/run"
	"cupola/tui/intent"
	shown "cupola/tui/screen/runs"
)

func TestTheListOfRunsIsNewsOnceSomethingChanged(t *testing.T) {
	list := func(change func(*shown.List)) (string, bool) {
		all := shown.List{Total: 1, Runs: []run.Head{{ID: "r1", Kind: run.Crew, State: run.Done, Done: 2}}}
		change(&all)
		return identifyRuns(all, nil)
	}
	before, live := list(func(*shown.List) {})
	if live {
		t.Error("one that ended is live")
	}
	for name, change := range map[string]func(*shown.List){
		"state": func(l *shown.List) { l.Runs[0].State = run.Failed },
		"part":  func(l *shown.List) { l.Runs[0].Done++ },
		"end":   func(l *shown.List) { l.Runs[0].Ended = l.Runs[0].Ended.AddDate(2026, 0, 0) },
		"name":  func(l *shown.List) { l.Runs[0].Name = "review" },
		"total": func(l *shown.List) { l.Total++ },
	} {
		if after, _ := list(change); after == before {
			t.Errorf("another %s is no news", name)
		}
	}
	if failed, _ := identifyRuns(shown.List{}, errors.New("no")); failed == before {
		t.Error("a failure is no news")
	}
	if _, live := list(func(l *shown.List) { l.Runs[0].State = run.Paused }); !live {
		t.Error("one that is paused is not live")
	}
}

func TestAListIsWatchedUntilTheDashboardEnds(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	runs := Runs(func(_ context.Context, asked shown.SomeQuestion) (shown.List, error) {
		return shown.List{Total: len(asked.Kind)}, nil
	})
	e := &Effects{ctx: ctx, readers: runs.readers()}
	if some, err := answerTo[shown.List](e, shown.SomeQuestion{Kind: run.Crew}, false); some.Total != 4 || err != nil {
		t.Errorf("got %+v, %v", some, err)
	}
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

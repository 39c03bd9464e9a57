package effect

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core/fleet/keeper"
	"cupola/core/run"
	"cupola/tui/intent"
	shown "cupola/tui/screen/runs"
)

func TestTheListOfRunsIsNewsOnceSomethingChanged(t *testing.T) {
	list := func(change func(*shown.List)) string {
		all := shown.List{Total: 1, Runs: []run.Head{{ID: "r1", Kind: run.Crew, State: run.Done, Done: 2}}}
		change(&all)
		return identifyRuns(all, nil)
	}
	before := list(func(*shown.List) {})
	for name, change := range map[string]func(*shown.List){
		"state": func(l *shown.List) { l.Runs[0].State = run.Failed },
		"part":  func(l *shown.List) { l.Runs[0].Done++ },
		"end":   func(l *shown.List) { l.Runs[0].Ended = l.Runs[0].Ended.AddDate(2026, 0, 0) },
		"name":  func(l *shown.List) { l.Runs[0].Name = "review" },
		"cost":  func(l *shown.List) { l.Runs[0].CostUSD++ },
		"limit": func(l *shown.List) { l.Runs[0].Until = time.Now() },
		"total": func(l *shown.List) { l.Total++ },
	} {
		if after := list(change); after == before {
			t.Errorf("another %s is no news", name)
		}
	}
	if failed := identifyRuns(shown.List{}, errors.New("no")); failed == before {
		t.Error("a failure is no news")
	}
}

// Nothing is read while the keeper reports no change of a run, and what it reports is read soon.
func TestRunsAreReadWhenTheyChangeAndNeverElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		count, more, reads := 0, make(chan struct{}), 0
		runs := func() (int, <-chan struct{}) {
			mu.Lock()
			defer mu.Unlock()
			return count, more
		}
		change := func() {
			mu.Lock()
			defer mu.Unlock()
			count++
			close(more)
			more = make(chan struct{})
		}
		list := Runs(func(context.Context, shown.SomeQuestion) (shown.List, error) {
			reads++
			return shown.List{Total: reads}, nil
		})
		e := &Effects{ctx: t.Context(), readers: list.readers(), live: keeper.Stream{Runs: runs}}
		ask := e.Do(intent.Read{Question: shown.ListQuestion{}})
		ask()
		heard := make(chan any, 1)
		go func() { heard <- ask() }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if reads != 1 {
			t.Errorf("the list was read %d times without a change", reads)
		}
		began := time.Now()
		change()
		<-heard
		if took := time.Since(began); reads != 2 || took > listEvery {
			t.Errorf("%d reads; a change was shown after %s", reads, took)
		}
		looks, news := 0, false
		f := follower[int]{}
		look := func() (int, bool, error) { looks++; return looks, news, nil }
		for _, known := range []bool{false, true, true, true} {
			if _, err := f.next(t.Context(), known, runs, look); err != nil {
				t.Fatal(err)
			}
		}
		if looks != 1 {
			t.Errorf("a run was read %d times without a change", looks)
		}
		news, began = true, time.Now()
		change()
		if got, err := f.next(t.Context(), true, runs, look); err != nil || got != 2 || time.Since(began) > readEvery {
			t.Errorf("read %d, %v after %s", got, err, time.Since(began))
		}
	})
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

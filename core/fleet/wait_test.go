package fleet_test

import (
	"context"
	"cupola/core"
	"cupola/core/engine/tmux"
	"cupola/core/fleet"
	"cupola/core/fleet/await"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/fleettest"
	"cupola/core/fleet/keeper"
	"cupola/core/fleet/lifecycle"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/output"
	"cupola/core/fleet/resolve"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// api1 is the first agent that play starts.
var api1 = resolve.Target{Session: "api.1"}

// waited calls Wait with a limit that a failing test would reach.
func (s *troupe) waited(t *testing.T, request await.Request) (*await.Result, error) {
	t.Helper()
	if request.Target.Session == "" {
		request.Target = resolve.Target{Session: "api"}
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*patience)
	defer stop()
	return s.Waiter.Wait(ctx, request)
}

func TestAWaitForIdleEndsWithTheTurnAndNotBetweenItsTools(t *testing.T) {
	for name, poll := range map[string]time.Duration{"following": 0, "polling": 50 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			s := play(t, 1, "--speed", "0.25")
			s.must(t, core.Delivered, deliver.Request{Text: "slow 2 tool ls; tool pwd; slow 2"})
			result, err := s.waited(t, await.Request{Poll: poll})
			if err != nil || len(result.Reached) != 1 || len(result.Pending) != 0 || result.Reached[0].Status.State != core.Idle {
				t.Fatalf("%+v, %v", result, err)
			}
			tails, err := s.Output.Tail(t.Context(), output.Request{Target: api1})
			if err != nil || !strings.Contains(strings.Join(tails[0].Lines, "\n"), "done in") {
				t.Errorf("the turn runs on: %+v, %v", tails, err)
			}
		})
	}
}

func TestAWaitThatEndsAtItsFirstLookLeavesSinceWhen(t *testing.T) {
	s := play(t, 1, "--speed", "0.1")
	s.must(t, core.Delivered, deliver.Request{Text: "approve tool ls"})
	s.until(t, func(picture *core.Snapshot) bool { return picture.Session("api").Panes[1].Status.State == core.Waiting })
	began := time.Now().Truncate(time.Millisecond)
	if result, err := s.waited(t, await.Request{For: []core.State{core.Waiting}}); err != nil || len(result.Reached) != 1 {
		t.Fatalf("%+v, %v", result, err)
	}
	since := time.Time{}
	for range 2 {
		snapshot, err := s.Overview.Snapshot(t.Context(), observe.View{})
		if err != nil {
			t.Fatal(err)
		}
		status := snapshot.Session("api").Panes[1].Status
		if status.Since.Before(began) || len(snapshot.Alerts) != 1 || !snapshot.Alerts[0].FirstSeen.Equal(status.Since) || !since.IsZero() && !since.Equal(status.Since) {
			t.Errorf("%+v since %v, %+v", status, since, snapshot.Alerts)
		}
		since = status.Since
	}
}

func TestAWaitEndsEarlyWhereAnAgentNeedsSomebody(t *testing.T) {
	s := play(t, 2, "--speed", "0.1")
	if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "slow 5 approve tool ls"}); err != nil {
		t.Fatal(err)
	}
	result, err := s.waited(t, await.Request{})
	known := fleettest.WantError(t, err, core.NotReady, "")
	details, _ := known.Details.(await.waitDetails)
	if len(details.Needs) != 1 || details.Needs[0].Reason != core.ReasonApproval || details.Needs[0].Ordinal != 1 {
		t.Errorf("details: %+v", known.Details)
	}
	if len(result.Pending) == 0 || result.Pending[0].Ordinal != 1 {
		t.Errorf("result: %+v", result)
	}
	_, err = s.waited(t, await.Request{Target: api1, KeepWaiting: true, Timeout: 300 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message, "api.1 is waiting") {
		t.Errorf("%s", known.Message)
	}
	if result, err := s.waited(t, await.Request{Any: true}); err != nil || len(result.Reached) != 1 || result.Reached[0].Ordinal != 2 {
		t.Errorf("any: %+v, %v", result, err)
	}
	if result, err := s.waited(t, await.Request{Target: api1, For: []core.State{core.Waiting}}); err != nil || len(result.Reached) != 1 {
		t.Errorf("for waiting: %+v, %v", result, err)
	}
}

func TestAWaitForAStateAnewWaitsUntilItWasLeft(t *testing.T) {
	s := play(t, 1, "--speed", "0.2")
	_, err := s.waited(t, await.Request{Transition: true, Timeout: 900 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message, "api.1 is still idle") {
		t.Errorf("%s", known.Message)
	}
	seen, turns := make(chan struct{}), make(chan error, 1)
	go func() { turns <- s.turnsUntil(t, seen) }()
	result, err := s.waited(t, await.Request{Transition: true})
	if err != nil || len(result.Reached) != 1 {
		t.Errorf("%+v, %v", result, err)
	}
	close(seen)
	if err := <-turns; err != nil {
		t.Error(err)
	}
}

// turnsUntil has the agent do one turn after another until somebody has seen one.
func (s *troupe) turnsUntil(t *testing.T, seen <-chan struct{}) error {
	for {
		if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "slow 5"}); err != nil {
			return err
		}
		if _, err := s.Waiter.Wait(t.Context(), await.Request{Target: api1}); err != nil {
			return err
		}
		select {
		case <-seen:
			return nil
		default:
		}
	}
}

func TestAWaitForATextEndsWithTheLineThatShowsIt(t *testing.T) {
	s := play(t, 1, "--speed", "0.2")
	if _, err := s.Sender.Send(t.Context(), deliver.Request{Target: api1, Text: "slow 3 say the answer is 42 sheep"}); err != nil {
		t.Fatal(err)
	}
	result, err := s.waited(t, await.Request{Match: regexp.MustCompile(`(?m)^the answer is \d+`)})
	if err != nil || len(result.Reached) != 1 || !strings.Contains(result.Reached[0].Line, "42 sheep") {
		t.Errorf("%+v, %v", result, err)
	}
	_, err = s.waited(t, await.Request{Match: regexp.MustCompile("no such line"), Timeout: 100 * time.Millisecond})
	if known := fleettest.WantError(t, err, core.Timeout, ""); !strings.HasSuffix(known.Message, " and shows no match") {
		t.Errorf("%s", known.Message)
	}
}

func TestAWaitTellsOfAPaneThatGoesAway(t *testing.T) {
	s := play(t, 1)
	s.must(t, core.Delivered, deliver.Request{Text: "slow 600"})
	killed := make(chan error, 1)
	kill := sync.OnceFunc(func() {
		go func() {
			_, err := s.Launcher.Kill(t.Context(), lifecycle.KillRequest{Target: api1})
			killed <- err
		}()
	})
	result, err := s.waited(t, await.Request{Target: api1, Progress: func(core.Progress) { kill() }})
	if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message, "gone") && !strings.Contains(known.Message, "ended") {
		t.Errorf("%s", known.Message)
	}
	if result == nil || len(result.Pending) != 1 {
		t.Errorf("%+v", result)
	}
	if err := <-killed; err != nil {
		t.Error(err)
	}
}

func TestAWaitCanEndWithTheFirstError(t *testing.T) {
	th := open(t, tmux.Auto)
	m := mimes(t, th, "claude")
	m.shows(t, "error_auth")
	s := &troupe{theatre: th}
	_, err := s.waited(t, await.Request{Target: resolve.Target{Session: "mime"}, For: []core.State{core.Exited}, ExitOnError: true, Timeout: patience})
	if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message, "error") {
		t.Errorf("%s", known.Message)
	}
}

func TestAWaitLearnsFromWhoFollowsAProgramWithoutRules(t *testing.T) {
	looked := fleettest.Noon
	picture := func(state core.State, taken time.Time) *core.Snapshot {
		s := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(state))))
		s.Taken = taken
		return s
	}
	for name, c := range map[string]struct {
		first core.State
		kept  core.State
		For   []core.State
		want  bool
	}{
		"it works":                      {core.Unknown, core.Working, []core.State{core.Working}, true},
		"that is no change":             {core.Unknown, core.Working, []core.State{await.AnyChange}, false},
		"what one look tells is better": {core.Idle, core.Working, []core.State{core.Working}, false},
		"nobody knows":                  {core.Unknown, core.Unknown, []core.State{core.Working}, false},
	} {
		f := staged(t, &fleettest.Engine{})
		w := &await.waiter{Request: await.Request{Target: resolve.Target{Session: "api"}, For: c.For}, fleet: &f, now: func() time.Time { return fleettest.Noon }, looked: looked}
		if err := w.begin(picture(c.first, looked)); err != nil {
			t.Fatal(err)
		}
		w.see(picture(c.first, looked))
		w.take(&keeper.Frame{Snapshot: picture(c.kept, looked.Add(-time.Minute))})
		if done, err := w.settle(fleettest.Noon); done != c.want || err != nil {
			t.Errorf("%s: %v, %v", name, done, err)
		}
	}
}

func TestAWaitTrustsNoPictureThatLacksWhatItSaw(t *testing.T) {
	const works = 300 * time.Millisecond
	for name, c := range map[string]struct {
		taken time.Duration
		panes []core.Pane
	}{
		"it is older":                                   {-time.Minute, []core.Pane{fleettest.Pane(1, "%1", fleettest.Claude(core.Idle))}},
		"it was made anew of what was known":            {time.Millisecond, []core.Pane{fleettest.Pane(1, "%1", fleettest.Claude(core.Idle))}},
		"it was made anew before the pane was heard of": {time.Millisecond, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := fleettest.NewScriptedEngine()
			a.Working = true
			synctest.Test(t, func(t *testing.T) {
				f := fleet.Open(fleet.Options{Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
				w := &await.waiter{Request: await.Request{Target: api1, For: []core.State{core.Idle}}, fleet: &f, now: time.Now, began: time.Now(), pictured: func() {}}
				if done, err := w.lookFirst(t.Context()); done || err != nil {
					t.Fatal(done, err)
				}
				kept := fleettest.Snapshot(fleettest.Session("$1", "api", c.panes...))
				kept.Taken = time.Now().Add(c.taken)
				for i := range c.panes {
					kept.Sessions[0].Panes[i].Status.Since = time.Now().Add(-time.Hour)
				}
				frames := make(chan keeper.Frame, 1)
				frames <- keeper.Frame{Snapshot: kept}
				a.Later(works, func() { a.Working = false })
				ctx, stop := context.WithTimeout(t.Context(), time.Minute)
				defer stop()
				if err := w.follow(ctx, &keeper.Live{Frames: frames}); err != nil || w.panes[0].Reached.Sub(w.began) < works {
					t.Errorf("%v; reached after %v", err, w.panes[0].Reached.Sub(w.began))
				}
			})
		})
	}
}

func TestAMomentBetweenTwoToolsIsNoCalm(t *testing.T) {
	const pause, works = 100 * time.Millisecond, 2 * time.Second
	a := fleettest.NewScriptedEngine()
	synctest.Test(t, func(t *testing.T) {
		f := fleet.Open(fleet.Options{Engine: a, Kinds: fleettest.Kinds(t, fleettest.StubKind)})
		w := &await.waiter{Request: await.Request{Target: api1, For: []core.State{core.Idle}}, fleet: &f, now: time.Now, began: time.Now(), pictured: func() {}}
		if done, err := w.lookFirst(t.Context()); done || err != nil || w.panes[0].Status.State != core.Idle {
			t.Fatal(done, err, w.panes)
		}
		frames := make(chan keeper.Frame, 2)
		tell := func(state core.State, since time.Time) {
			kept := fleettest.Snapshot(fleettest.Session("$1", "api", fleettest.Pane(1, "%1", fleettest.Claude(state))))
			kept.Taken, kept.Sessions[0].Panes[0].Status.Since = time.Now(), since
			frames <- keeper.Frame{Snapshot: kept}
		}
		tell(core.Working, time.Now().Add(-time.Hour))
		a.Later(pause, func() { a.Working = true })
		a.Later(works, func() {
			a.Working = false
			tell(core.Idle, time.Now())
		})
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		if err := w.follow(ctx, &keeper.Live{Frames: frames}); err != nil || w.panes[0].Reached.Sub(w.began) < works {
			t.Errorf("%v; reached after %v", err, w.panes[0].Reached.Sub(w.began))
		}
	})
}

func TestAWaitLooksAgainWhenTheNextCalmHasLasted(t *testing.T) {
	calm := func(ago time.Duration) *await.awaited {
		return &await.awaited{Pane: await.Pane{Status: core.Status{State: core.Idle}}, calm: fleettest.Noon.Add(-ago), known: true}
	}
	given := calm(time.Hour)
	given.unanswered = fleettest.Noon.Add(time.Minute)
	for name, c := range map[string]struct {
		panes []*await.awaited
		want  time.Time
	}{
		"a calm that is young":                   {[]*await.awaited{calm(0)}, fleettest.Noon.Add(await.idleHolds)},
		"one that has just lasted":               {[]*await.awaited{calm(await.idleHolds)}, time.Time{}},
		"one that does not count hides no other": {[]*await.awaited{calm(time.Hour), calm(0)}, fleettest.Noon.Add(await.idleHolds)},
		"none":                                   {[]*await.awaited{{}}, time.Time{}},
		"the first of two":                       {[]*await.awaited{calm(0), calm(await.idleHolds / 2)}, fleettest.Noon.Add(await.idleHolds / 2)},
		"one that was given work":                {[]*await.awaited{given}, fleettest.Noon.Add(time.Minute)},
	} {
		w := &await.waiter{Request: await.Request{For: []core.State{core.Idle}, Transition: true}, panes: c.panes}
		if due := w.due(fleettest.Noon); !due.Equal(c.want) {
			t.Errorf("%s: %v, not %v", name, due, c.want)
		}
		// What is not there yet is looked at again, unless something else is missing.
		for _, p := range c.panes {
			p.left = true
			if w.due(fleettest.Noon).IsZero() && !p.calm.IsZero() && !w.there(p, fleettest.Noon) {
				t.Errorf("%s: nobody would look again", name)
			}
		}
	}
}

func TestAnErrorOrALimitEndsAWaitUnlessItIsFromBefore(t *testing.T) {
	for name, c := range map[string]struct {
		request await.Request
		// states are what is seen at 0, 1, 2 ... seconds.
		states []core.State
		ends   int // the second at which it has ended, -1 for never
	}{
		"an error at the beginning":  {await.Request{}, []core.State{core.Errored, core.Errored, core.Errored}, 1},
		"a limit after work":         {await.Request{WorkWithin: 3 * time.Second}, []core.State{core.Working, core.Limited, core.Limited}, 2},
		"an error from before":       {await.Request{WorkWithin: 3 * time.Second}, []core.State{core.Errored, core.Errored, core.Working, core.Working}, -1},
		"one that nothing follows":   {await.Request{WorkWithin: 3 * time.Second}, []core.State{core.Errored, core.Errored, core.Errored, core.Errored, core.Errored}, 3},
		"an error that is kept with": {await.Request{KeepWaiting: true}, []core.State{core.Errored, core.Errored, core.Errored}, -1},
	} {
		now := fleettest.Noon
		c.request.For = []core.State{core.Idle}
		w := &await.waiter{Request: c.request, began: fleettest.Noon, now: func() time.Time { return now }}
		w.panes = []*await.awaited{{Pane: await.Pane{From: core.Status{State: c.states[0]}}, address: "api.1"}}
		ended := -1
		for second, state := range c.states {
			now = fleettest.Noon.Add(time.Duration(second) * time.Second)
			w.panes[0].Status = core.Status{State: state}
			w.pass(w.panes[0], w.panes[0].Status)
			if done, err := w.settle(now); done && ended < 0 {
				ended = second
				if known := fleettest.WantError(t, err, core.NotReady, ""); !strings.Contains(known.Message, "it shows a") {
					t.Errorf("%s: %s", name, known.Message)
				}
			}
		}
		if ended != c.ends {
			t.Errorf("%s: it ended after %d s, want %d", name, ended, c.ends)
		}
	}
}

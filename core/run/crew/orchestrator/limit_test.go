package orchestrator_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/run"
	"cupola/core/run/crew"
	"cupola/core/run/crew/orchestrator"
)

func TestAMemberAtAUsageLimitIsAskedAgain(t *testing.T) {
	t.Parallel()
	var limits atomic.Int32
	w := newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if turn.Member.Name == "a.one" && limits.Add(1) == 1 {
			return "", core.Errorf(core.RateLimited, "usage limit; try again in 400ms")
		}
		return "done", nil
	})
	c := w.crewOf(func(l *crew.Limits) {
		l.OnLimit, l.Timeout = run.WaitForReset, 300*time.Millisecond
	}, "a.one", "b.two")
	ended, err := w.o.Run(t.Context(), c.ID, orchestrator.More{}, nil)
	if err != nil || ended.Reason != crew.Converged || !ended.Until.IsZero() || limits.Load() != 2 {
		t.Errorf("it ended by %q after %d questions, %v", ended.Reason, limits.Load(), err)
	}
}

func TestAMemberAtAUsageLimitIsReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		if turn.Member.Name == "a.one" && turn.Member.Backend != "second" {
			return "", core.Errorf(core.RateLimited, "usage limit; try again in 5 hours")
		}
		return "done", nil
	})
	c := w.crewOf(func(l *crew.Limits) {
		l.LimitPolicy = run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"second"}}
	}, "a.one", "b.two")
	ended, err := w.o.Run(t.Context(), c.ID, orchestrator.More{}, nil)
	if err != nil || ended.Reason != crew.Converged || ended.Member("a.one").Backend != "second" ||
		ended.Member("b.two").Backend == "second" {
		t.Errorf("it ended by %q with %+v, %v", ended.Reason, ended.Members, err)
	}
}

// A crew that waits is paused and resumed; one whose process was killed while it waited waits again; one that is
// stopped ends at once.
func TestAWaitForALimitHoldsThroughWhatHappensToItsCrew(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	w := newWorld(t, func(_ context.Context, turn orchestrator.Turn) (string, error) {
		asked.Add(1)
		return "", core.Errorf(core.RateLimited, "usage limit; try again in 5 hours")
	})
	c := w.crewOf(func(l *crew.Limits) { l.OnLimit = run.WaitForReset }, "a.one")
	over := make(chan error)
	go func() {
		_, err := w.o.Run(t.Context(), c.ID, orchestrator.More{}, nil)
		over <- err
	}()
	until := func(what string, holds func(*crew.Crew) bool) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; {
			now, err := w.o.Crews.Load(t.Context(), c.ID)
			if err == nil && holds(now) {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("it is not %s: %+v, %v", what, now, err)
			}
			_ = core.Sleep(t.Context(), 5*time.Millisecond)
		}
	}
	until("waiting", func(c *crew.Crew) bool { return time.Until(c.Head().Until) > 4*time.Hour })
	for _, ask := range []struct {
		control store.Control
		state   crew.State
	}{{store.PauseCrew, crew.Paused}, {store.Resume, crew.Running}} {
		if err := w.o.Crews.Ask(t.Context(), c.ID, ask.control); err != nil {
			t.Fatal(err)
		}
		until(string(ask.state), func(c *crew.Crew) bool { return c.State == ask.state && !c.Until.IsZero() })
	}
	stopped, err := w.o.Stop(t.Context(), c.ID)
	if err != nil || stopped.State != crew.Stopped || !stopped.Until.IsZero() || asked.Load() != 1 {
		t.Errorf("%+v after %d questions, %v", stopped, asked.Load(), err)
	}
	if err := <-over; err != nil {
		t.Error(err)
	}
	// What a killed process leaves is a crew that runs and waits.
	cut, err := w.o.Crews.Load(t.Context(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	reset := time.Now().Add(500 * time.Millisecond)
	cut.State, cut.Until = crew.Running, reset
	if err := w.o.Crews.Apply(t.Context(), &crew.Step{Crew: cut}); err != nil {
		t.Fatal(err)
	}
	w.stage.says = func(context.Context, orchestrator.Turn) (string, error) {
		if time.Now().Before(reset.Truncate(time.Millisecond)) {
			t.Error("it asks before the limit resets")
		}
		return "done", nil
	}
	if ended, err := w.o.Run(t.Context(), c.ID, orchestrator.More{}, nil); err != nil || ended.State != crew.Completed {
		t.Errorf("%+v, %v", ended, err)
	}
}

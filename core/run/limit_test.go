package run_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"cupola/core"
	"cupola/core/run"
)

// limit is the error of a backend at a usage limit.
func limit(text string) error { return core.Errorf(core.RateLimited, "%s", text) }

// throttle is one whose run records until when it waits.
func throttle(policy run.LimitPolicy, until *[]time.Time) *run.Throttle {
	return &run.Throttle{LimitPolicy: policy, Now: time.Now, Changed: func(at time.Time) error {
		*until = append(*until, at)
		return nil
	}}
}

func TestARunWaitsUntilItsLimitResets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var until []time.Time
		w, began := throttle(run.LimitPolicy{OnLimit: run.WaitForReset}, &until), time.Now()
		w.Clock = run.NewClock(time.Hour, func() { t.Error("the time of the wait counts") })
		defer w.Clock.Stop()
		next, err := w.Next(t.Context(), "claude", limit("you hit your limit; try again in 5 hours"))
		if took := time.Since(began); next != "claude" || err != nil || took != 5*time.Hour {
			t.Errorf("%q, %v after %s", next, err, took)
		}
		if len(until) != 2 || !until[0].Equal(began.Add(5*time.Hour)) || !until[1].IsZero() {
			t.Errorf("recorded %v", until)
		}
		// Where the end of a limit is not said, each wait in a row is longer.
		for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			began := time.Now()
			if _, err := w.Next(t.Context(), "claude", limit("429")); err != nil || time.Since(began) != want {
				t.Errorf("%v after %s, want %s", err, time.Since(began), want)
			}
		}
	})
}

func TestARunSwitchesToTheBackendThatIsAtNoLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var until []time.Time
		began := time.Now()
		w := throttle(run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"codex", "gemini"}}, &until)
		for _, step := range []struct {
			at, said, next string
			after          time.Duration
		}{
			{"claude", "try again in 2 hours", "codex", 0},
			{"codex", "try again in 3 hours", "gemini", 0},
			{"gemini", "try again in 4 hours", "claude", 2 * time.Hour},
			{"claude", "try again in 5 hours", "codex", 3 * time.Hour},
		} {
			next, err := w.Next(t.Context(), step.at, limit(step.said))
			if next != step.next || err != nil || time.Since(began) != step.after {
				t.Errorf("%s: %q, %v after %s", step.at, next, err, time.Since(began))
			}
		}
	})
}

func TestAWaitEndsWithItsRunAndHoldsThroughItsPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var until []time.Time
		w, began := throttle(run.LimitPolicy{OnLimit: run.WaitForReset}, &until), time.Now()
		w.Hold = func(ctx context.Context) error { return core.Sleep(ctx, 30*time.Minute) }
		if _, err := w.Next(t.Context(), "claude", limit("try again in 20 minutes")); err != nil ||
			time.Since(began) != 30*time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
		w.Hold = nil
		cause := errors.New("cancelled")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(cause) })
		if _, err := w.Next(ctx, "claude", limit("try again in 20 minutes")); !errors.Is(err, cause) ||
			time.Since(began) != 31*time.Minute {
			t.Errorf("%v after %s", err, time.Since(began))
		}
	})
}

func TestOnlyLimitsAreWaitedFor(t *testing.T) {
	t.Parallel()
	var until []time.Time
	broken := core.Errorf(core.BackendFailed, "it broke; try again in 5 hours")
	for _, c := range []struct {
		on  run.OnLimit
		err error
	}{
		{run.WaitForReset, broken},
		{run.SwitchBackend, broken},
		{run.StopAtLimit, limit("try again in 5 hours")},
		{"", limit("try again in 5 hours")},
	} {
		w := throttle(run.LimitPolicy{OnLimit: c.on, Fallback: []string{"codex"}}, &until)
		if _, err := w.Next(t.Context(), "claude", c.err); !errors.Is(err, c.err) {
			t.Errorf("%q: %v", c.on, err)
		}
	}
	if len(until) > 0 {
		t.Errorf("recorded %v", until)
	}
	if p := (run.LimitPolicy{Fallback: []string{"codex"}}).Or(run.LimitPolicy{OnLimit: run.StopAtLimit}); p.Stops() {
		t.Error("a list of backends does not switch")
	}
}

package pipeline

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/run"
)

const asks = `
[[step]]
name = "a"
verb = "make"
args = {x = "claude"}
`

// startLimited puts a run on record whose steps follow a policy, with the clock of the machine.
func startLimited(t *testing.T, d *fakeVerbs, policy run.LimitPolicy) (*Runner, string) {
	t.Helper()
	r, id := start(t, d, asks)
	r.Now = nil
	record, err := r.Directory.Load(id)
	if err == nil {
		record.OnLimit = policy
		err = r.Directory.Save(record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r, id
}

func TestAStepAtAUsageLimitIsCalledAgain(t *testing.T) {
	limit := func(span string) error { return core.Errorf(core.RateLimited, "usage limit; try again in %s", span) }
	for name, c := range map[string]struct {
		policy run.LimitPolicy
		fails  map[string][]error
		calls  []string
		code   core.Code
	}{
		"wait": {
			run.LimitPolicy{OnLimit: run.WaitForReset},
			map[string][]error{"claude": {limit("300ms")}},
			[]string{"make claude", "make claude"},
			"",
		},
		"switch": {
			run.LimitPolicy{OnLimit: run.SwitchBackend, Fallback: []string{"codex"}},
			map[string][]error{"claude": {limit("5 hours")}},
			[]string{"make claude", "make codex"},
			"",
		},
		"stop": {
			run.LimitPolicy{},
			map[string][]error{"claude": {limit("5 hours")}},
			[]string{"make claude"},
			core.RateLimited,
		},
		"no limit": {
			run.LimitPolicy{OnLimit: run.WaitForReset},
			map[string][]error{"claude": {core.Errorf(core.BackendFailed, "try again in 5 hours")}},
			[]string{"make claude"},
			core.BackendFailed,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := &fakeVerbs{fail: c.fails}
			r, id := startLimited(t, d, c.policy)
			record, err := r.Run(t.Context(), id)
			if e := core.AsError(err); c.code == "" && err != nil || c.code != "" && !e.HasCode(c.code) {
				t.Errorf("it ended with %v, want %q", err, c.code)
			}
			if !slices.Equal(d.calls, c.calls) || !record.Until.IsZero() {
				t.Errorf("called %q, waits until %s; want %q", d.calls, record.Until, c.calls)
			}
		})
	}
}

// A run that is cancelled while a step waits has not done the step, and asks again once it is resumed.
func TestARunThatWaitsForALimitIsCancelledAndResumed(t *testing.T) {
	d := &fakeVerbs{fail: map[string][]error{"claude": {core.Errorf(core.RateLimited, "try again in 5 hours")}}}
	r, id := startLimited(t, d, run.LimitPolicy{OnLimit: run.WaitForReset})
	over := make(chan error)
	go func() {
		_, err := r.Run(t.Context(), id)
		over <- err
	}()
	for end := time.Now().Add(20 * time.Second); ; {
		record, err := r.Directory.Load(id)
		if err == nil && time.Until(record.Head().Until) > 4*time.Hour && record.Head().State == Running {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it does not wait: %+v, %v", record, err)
		}
		_ = core.Sleep(t.Context(), 5*time.Millisecond)
	}
	record, err := r.Directory.Cancel(t.Context(), id)
	if ended := <-over; err != nil || ended == nil || record.State != Cancelled || !record.Until.IsZero() {
		t.Fatalf("%+v, %v, %v", record, err, ended)
	}
	if record, err := r.Run(t.Context(), id); err != nil || record.State != Succeeded || len(d.calls) != 2 {
		t.Errorf("%v, %v after %q", record.State, err, d.calls)
	}
}

// What a killed process leaves is a run that waits, with a step that failed at the limit.
func TestARunThatWasCutOffWhileItWaitedWaitsOn(t *testing.T) {
	d := &fakeVerbs{}
	r, id := startLimited(t, d, run.LimitPolicy{OnLimit: run.WaitForReset})
	record, err := r.Directory.Load(id)
	if err != nil {
		t.Fatal(err)
	}
	reset := time.Now().Add(400 * time.Millisecond)
	record.State, record.PID, record.Until = Running, 1, reset
	record.Steps[0].State, record.Steps[0].ErrorCode = Failed, string(core.RateLimited)
	if err := r.Directory.Save(record); err != nil {
		t.Fatal(err)
	}
	d.during = func(context.Context, *Call) error {
		if time.Now().Before(reset) {
			return errors.New("it asks before the limit resets")
		}
		return nil
	}
	if record, err := r.Run(t.Context(), id); err != nil || record.State != Succeeded {
		t.Errorf("%+v, %v", record, err)
	}
}

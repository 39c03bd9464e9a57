package run

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/agent"
)

// OnLimit is the reaction of a run to a usage limit of its backend.
type OnLimit string

// The values of OnLimit. The zero value means StopAtLimit.
const (
	WaitForReset  OnLimit = "wait"
	SwitchBackend OnLimit = "switch"
	StopAtLimit   OnLimit = "stop"
)

// LimitPolicy is the reaction of a run to usage limits. It is a part of the settings of each kind.
type LimitPolicy struct {
	OnLimit OnLimit `json:"on_limit,omitempty" toml:"on_limit" enum:"wait,switch,stop" doc:"What happens when a backend meets a usage limit: wait until it resets, switch to the next backend of the fallback list, or stop"`
	// Fallback are the backends that are asked next, in this order. Once all are at a limit, a run waits.
	Fallback []string `json:"fallback_backends,omitempty" toml:"fallback" doc:"The backends that are asked next when one is at a usage limit or an agent is stuck, in this order"`
}

// The reasons of relays that were cut off and can be resumed: one waited for the end of a usage limit, and of a panel
// rounds are left.
const (
	AtLimit    = "usage_limit"
	RoundsLeft = "rounds_left"
)

// Waits is the time until which a run in this state waits that waits as its record says: the zero time once it has
// ended.
func (s State) Waits(until time.Time) time.Time {
	if s.Ended() {
		return time.Time{}
	}
	return until
}

// Or returns the policy with that of others in place of what is not set. A list without a word for OnLimit switches.
func (p LimitPolicy) Or(others LimitPolicy) LimitPolicy {
	if p.OnLimit == "" {
		p.OnLimit = others.OnLimit
		if len(p.Fallback) > 0 {
			p.OnLimit = SwitchBackend
		}
	}
	if len(p.Fallback) == 0 {
		p.Fallback = others.Fallback
	}
	return p
}

// Stops reports whether a run stops at a usage limit.
func (p LimitPolicy) Stops() bool { return p.OnLimit != WaitForReset && p.OnLimit != SwitchBackend }

// How long a run waits at a limit whose end is not known: the first time, and at most. Each wait in a row is twice as
// long as the one before.
const (
	firstWait   = time.Minute
	longestWait = 30 * time.Minute
)

// waitTick is how often a wait looks whether it is over, and whether its run is to pause.
const waitTick = 200 * time.Millisecond

// Throttle holds the agents of one run back while their backends are at a usage limit. It is safe for concurrent use.
type Throttle struct {
	LimitPolicy
	Now func() time.Time
	// Changed records until when the run waits for a reset; the zero time while no agent waits. An error of it ends
	// the wait.
	Changed func(until time.Time) error
	// Hold waits while the run is paused; nil where its kind is not paused. Clock does not count the time of a wait;
	// nil where there is no limit of time.
	Hold  func(context.Context) error
	Clock *Clock

	mu sync.Mutex
	// resets are the ends of the limits by backend, and unknown counts those in a row whose end was not said.
	resets  map[string]time.Time
	unknown map[string]int
	waits   []time.Time
}

// Next returns the backend to ask after one failed with an error, once it may be asked: the same one after its limit
// has ended, or the first of the list that is at no limit. It returns the error itself if that concerns no limit, or
// the run stops at limits, and the cause of ctx if that ended first.
func (t *Throttle) Next(ctx context.Context, backend string, err error) (string, error) {
	if !core.AsError(err).HasCode(core.RateLimited) || t.Stops() {
		return "", err
	}
	next, at := t.choose(backend, err)
	return next, t.Wait(ctx, at)
}

// choose notes the limit of a backend, and returns who can be asked first, and when.
func (t *Throttle) choose(backend string, err error) (next string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.Now()
	if t.resets == nil {
		t.resets, t.unknown = map[string]time.Time{}, map[string]int{}
	}
	if at = agent.ResetsAt(err.Error(), now); at.IsZero() {
		at = now.Add(min(longestWait, firstWait<<min(t.unknown[backend], 5)))
		t.unknown[backend]++
	} else {
		t.unknown[backend] = 0
	}
	t.resets[backend], next = at, backend
	if t.OnLimit != SwitchBackend {
		return next, at
	}
	for _, other := range slices.Concat(t.Fallback, slices.Sorted(maps.Keys(t.resets))) {
		if t.resets[next].After(now) && t.resets[other].Before(t.resets[next]) {
			next = other
		}
	}
	return next, t.resets[next]
}

// Wait waits until a time, and through the pauses of the run. It returns the cause of ctx if that ended first.
func (t *Throttle) Wait(ctx context.Context, at time.Time) error {
	if !at.After(t.Now()) {
		return context.Cause(ctx)
	}
	err := t.change(at, true)
	for err == nil && at.After(t.Now()) {
		if t.Hold != nil {
			err = t.Hold(ctx)
		}
		if t.Clock != nil {
			t.Clock.Pause()
		}
		if err == nil {
			err = core.Sleep(ctx, min(waitTick, max(0, at.Sub(t.Now()))))
		}
	}
	if ended := t.change(at, false); err == nil {
		err = ended
	}
	return err
}

// change notes that a wait begins or has ended.
func (t *Throttle) change(at time.Time, begins bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if begins {
		t.waits = append(t.waits, at)
	} else if i := slices.Index(t.waits, at); i >= 0 {
		t.waits = slices.Delete(t.waits, i, i+1)
	}
	until := time.Time{}
	if len(t.waits) > 0 {
		until = slices.MinFunc(t.waits, time.Time.Compare)
	} else if t.Clock != nil {
		t.Clock.Resume()
	}
	return t.Changed(until.UTC().Truncate(time.Millisecond))
}

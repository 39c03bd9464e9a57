// Package approval approves by itself what agents ask, where a rule of theirs says so. It only notices that an agent
// asks; which command that is, whether a rule approves it, and the keys are the work of deliver.
package approval

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
)

// Options are the services that a Monitor calls; all are required.
type Options struct {
	Sender *deliver.Sender
	Now    func() time.Time
	Log    *slog.Logger
}

// Monitor approves the requests of the agents of snapshots. Its methods may be called concurrently.
type Monitor struct {
	opts Options
	// wake signals that agents ask.
	wake chan struct{}

	mu sync.Mutex
	// asks are the requests that the last snapshot shows, and tried those that were tried, by pane.
	asks, tried map[core.PaneID]request
	busy        map[core.PaneID]bool
}

// request distinguishes a request of an agent from the next.
type request struct {
	since time.Time
	asks  string
	// rules is how many rules the agent has: another one may approve it.
	rules int
}

// New returns a Monitor.
func New(o Options) *Monitor {
	return &Monitor{
		opts: o, wake: make(chan struct{}, 1), tried: map[core.PaneID]request{}, busy: map[core.PaneID]bool{},
	}
}

// Note takes from a snapshot which agents with rules ask for an approval.
func (m *Monitor) Note(snapshot *core.Snapshot) {
	asks, now := map[core.PaneID]request{}, m.opts.Now()
	for _, pane := range snapshot.Panes() {
		s := &pane.Status
		rules := len(pane.Agent.LiveRules(now))
		if rules > 0 && s.State == core.Waiting && s.Reason == core.ReasonApproval {
			asks[pane.ID] = request{s.Since, s.Asks, rules}
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asks = asks
	for id := range m.tried {
		if _, still := asks[id]; !still {
			delete(m.tried, id)
		}
	}
	if len(asks) > 0 {
		m.wakeUp()
	}
}

func (m *Monitor) wakeUp() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Run approves requests until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	var acts sync.WaitGroup
	defer acts.Wait()
	for {
		select {
		case <-m.wake:
		case <-ctx.Done():
			return
		}
		for _, id := range m.take() {
			acts.Go(func() { m.act(ctx, id) })
		}
	}
}

// take returns the panes with a request that was not tried, which are busy until act has ended.
func (m *Monitor) take() (ready []core.PaneID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, asked := range m.asks {
		if m.tried[id] != asked && !m.busy[id] {
			m.tried[id], m.busy[id] = asked, true
			ready = append(ready, id)
		}
	}
	return ready
}

const (
	// tries is how often a request is tried that could not be read, and again the time between.
	tries = 3
	again = time.Second
)

// act approves what the agent of a pane asks, and what it asks right after that, as far as its rules say so.
func (m *Monitor) act(ctx context.Context, id core.PaneID) {
	for failed := 0; failed < tries; {
		more, err := m.approve(ctx, id)
		if err == nil && !more {
			break
		}
		if err != nil {
			failed++
			m.opts.Log.Debug("a request was not approved by a rule", "pane", id, "error", err)
		}
		if core.Sleep(ctx, again) != nil {
			break
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, id)
	m.wakeUp() // it may ask something else by now
}

// approve is one try. More is true if the agent asks something else right away.
func (m *Monitor) approve(ctx context.Context, id core.PaneID) (more bool, err error) {
	answers, err := m.opts.Sender.Answer(ctx, deliver.AnswerRequest{
		Target: resolve.Target{Session: string(id)}, Act: core.ActApprove, Expect: core.ReasonApproval, ByRule: true,
		Origin: core.OriginRule,
	})
	switch {
	case core.AsError(err).HasCode(core.NotReady):
		return false, nil // it does not ask any more
	case err != nil || len(answers) == 0:
		return false, err
	}
	return !answers[0].Resolved, nil
}

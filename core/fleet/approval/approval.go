// Package approval approves by itself what agents ask, where a rule of theirs says so. It only notices that an agent
// asks; which command that is, whether a rule approves it, and the keys are the work of deliver.
package approval

import (
	"context"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/schedule"
)

// Options are the services that a Monitor calls; all are required.
type Options struct {
	Sender *deliver.Sender
	Now    func() time.Time
	Log    *slog.Logger
}

// Monitor approves the requests of the agents of snapshots. Its methods may be called concurrently.
type Monitor struct {
	opts     Options
	schedule *schedule.Schedule
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
	m := &Monitor{opts: o}
	m.schedule = schedule.New(o.Now, m.act)
	return m
}

// Run approves requests until ctx ends.
func (m *Monitor) Run(ctx context.Context) { m.schedule.Run(ctx) }

// Note takes from a snapshot which agents with rules ask for an approval.
func (m *Monitor) Note(snapshot *core.Snapshot) { m.schedule.Set(requests(snapshot, m.opts.Now())) }

// requests returns what the agents of a snapshot ask that have rules.
func requests(snapshot *core.Snapshot, now time.Time) map[core.PaneID]schedule.Occasion {
	asks := map[core.PaneID]schedule.Occasion{}
	for _, pane := range snapshot.Panes() {
		s := &pane.Status
		rules := len(pane.Agent.LiveRules(now))
		if rules > 0 && s.State == core.Waiting && s.Reason == core.ReasonApproval {
			asks[pane.ID] = schedule.Occasion{Of: request{s.Since, s.Asks, rules}}
		}
	}
	return asks
}

const (
	// tries is how often a request is tried that could not be read, and between the time between.
	tries   = 3
	between = time.Second
)

// act approves what the agent of a pane asks, and what it asks right after that, as far as its rules say so.
func (m *Monitor) act(ctx context.Context, id core.PaneID) (again time.Time) {
	for failed := 0; failed < tries; {
		more, err := m.approve(ctx, id)
		if err == nil && !more {
			break
		}
		if err != nil {
			failed++
			m.opts.Log.Debug("a request was not approved by a rule", "pane", id, "error", err)
		}
		if core.Sleep(ctx, between) != nil {
			break
		}
	}
	return again
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

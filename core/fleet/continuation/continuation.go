// Package continuation continues agents whose turn was ended by a usage limit or a server error, where that was asked
// for: after the limit has ended, each gets what its kind needs. It types nothing itself; that is done by deliver, with
// its checks, ceilings and records.
package continuation

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// Options are the services that a Monitor calls; all are required.
type Options struct {
	Engine   engine.Engine
	Observer *observe.Observer
	Sender   *deliver.Sender
	Now      func() time.Time
	Log      *slog.Logger
}

// Monitor continues the agents of snapshots. It remembers nothing that is not in tags of the panes, so that the next
// process begins where this one ended. Its methods may be called concurrently.
type Monitor struct {
	opts Options
	// wake signals that what is due has changed.
	wake chan struct{}

	mu sync.Mutex
	// due are the times at which agents are continued, over the panes whose agents have continued, and busy those that
	// are being continued.
	due        map[core.PaneID]time.Time
	over, busy map[core.PaneID]bool
}

// New returns a Monitor.
func New(o Options) *Monitor {
	return &Monitor{opts: o, wake: make(chan struct{}, 1), busy: map[core.PaneID]bool{}}
}

// Note takes from a snapshot which agents are to be continued, and when.
func (m *Monitor) Note(snapshot *core.Snapshot) {
	due, over := map[core.PaneID]time.Time{}, map[core.PaneID]bool{}
	for _, pane := range snapshot.Panes() {
		if at := pane.ContinuesAt(); !at.IsZero() {
			due[pane.ID] = at
		} else if wentOn(pane) {
			over[pane.ID] = true
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	changed := len(over) > 0 || !maps.Equal(m.due, due)
	if m.due, m.over = due, over; changed {
		m.wakeUp()
	}
}

func (m *Monitor) wakeUp() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// wentOn reports whether an agent that was continued has ended a turn since, or asks something in one.
func wentOn(pane *core.Pane) bool {
	c, s := pane.Agent.Continues, &pane.Status
	return c.Tries > 0 && (s.State == core.Waiting || s.State == core.Idle && s.Since.After(c.TriedAt))
}

// Run continues agents until ctx ends.
func (m *Monitor) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var acts sync.WaitGroup
	defer acts.Wait()
	for {
		select {
		case <-m.wake:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		ready, next := m.take()
		for _, id := range ready {
			acts.Go(func() { m.act(ctx, id) })
		}
		if !next.IsZero() {
			timer.Reset(max(0, next.Sub(m.opts.Now())))
		}
	}
}

// take returns the panes with something to do now, which are busy until act has ended, and when the next one is due;
// zero for none.
func (m *Monitor) take() (ready []core.PaneID, next time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, at := range m.due {
		if at.After(m.opts.Now()) {
			next = core.Earlier(next, at)
			continue
		}
		delete(m.due, id)
		m.over[id] = true
	}
	for id := range m.over {
		if !m.busy[id] {
			m.busy[id] = true
			ready = append(ready, id)
		}
	}
	clear(m.over)
	return ready, next
}

// again is when a pane is looked at again that could not be.
const again = 30 * time.Second

// act does what is due at a pane as it is now, and notes when something is due there next.
func (m *Monitor) act(ctx context.Context, id core.PaneID) {
	next, err := m.next(ctx, id)
	if err != nil {
		m.opts.Log.Warn("an agent was not continued", "pane", id, "error", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.busy, id)
	if !next.IsZero() {
		m.due[id] = next
		m.wakeUp()
	}
}

// next is act without its notes. The attempt is on the pane before anything is typed, so that none is repeated after a
// crash.
func (m *Monitor) next(ctx context.Context, id core.PaneID) (next time.Time, err error) {
	seen, err := m.opts.Observer.Select(ctx, observe.View{}, resolve.ByID(id))
	if err != nil {
		return m.opts.Now().Add(again), err
	}
	if len(seen.Panes) == 0 {
		return next, nil
	}
	pane := seen.Panes[0]
	if wentOn(pane) {
		return next, m.write(ctx, id, core.Continuation{Wanted: true})
	}
	if next = pane.ContinuesAt(); next.IsZero() || next.After(m.opts.Now()) {
		return next, nil
	}
	tried := core.Continuation{Wanted: true, Tries: pane.Agent.Continues.Tries + 1, TriedAt: m.opts.Now()}
	if err := m.write(ctx, id, tried); err != nil {
		return m.opts.Now().Add(again), err
	}
	err = m.resume(ctx, pane)
	pane.Agent.Continues = tried
	return pane.ContinuesAt(), err
}

// write writes what became of an agent to its pane.
func (m *Monitor) write(ctx context.Context, id core.PaneID, c core.Continuation) error {
	return m.opts.Engine.Tag(ctx, engine.Tag{
		Pane: id, Name: engine.TagContinue, Value: panetag.EncodeContinuation(c),
	})
}

// resume gives an agent what it needs to continue: an option of the limit's own dialog, the prompt, or both.
func (m *Monitor) resume(ctx context.Context, pane *core.Pane) error {
	kind := m.opts.Observer.KindOf(pane)
	if kind == nil {
		kind = m.opts.Observer.Generic()
	}
	target := resolve.Target{Session: string(pane.ID)}
	looked, err := m.opts.Sender.Answer(ctx, deliver.AnswerRequest{Target: target, Act: core.ActLook})
	if err == nil && len(looked) == 1 && looked[0].Dialog != "" {
		n, byItself := kind.Limit.Option(looked[0].Options)
		if n == 0 {
			return fmt.Errorf("its dialog asks something else: %s", looked[0].Asks)
		}
		if _, err := m.opts.Sender.MaySpend(ctx, false, []string{pane.Session}); err != nil {
			return err
		}
		_, err := m.opts.Sender.Answer(ctx, deliver.AnswerRequest{
			Target: target, Act: core.ActChoose, N: n, Dialog: looked[0].Dialog, Origin: core.OriginLimit,
		})
		if err != nil || byItself {
			return err
		}
	}
	_, err = m.opts.Sender.Send(ctx, deliver.Request{
		Target: target, Text: kind.Limit.ContinuePrompt(), Origin: core.OriginLimit,
	})
	return err
}

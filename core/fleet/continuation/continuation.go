// Package continuation continues agents whose turn was ended by a usage limit or a server error, where that was asked
// for: after the limit has ended, each gets what its kind needs. It types nothing itself; that is done by deliver, with
// its checks, ceilings and records.
package continuation

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/deliver"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/schedule"
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
	opts     Options
	schedule *schedule.Schedule
}

// New returns a Monitor.
func New(o Options) *Monitor {
	m := &Monitor{opts: o}
	m.schedule = schedule.New(o.Now, m.act)
	return m
}

// Run continues agents until ctx ends.
func (m *Monitor) Run(ctx context.Context) { m.schedule.Run(ctx) }

// Note takes from a snapshot which agents are to be continued, and when, and which have gone on.
func (m *Monitor) Note(snapshot *core.Snapshot) {
	due := map[core.PaneID]schedule.Occasion{}
	for _, pane := range snapshot.Panes() {
		if at := pane.ContinuesAt(); !at.IsZero() || wentOn(pane) {
			due[pane.ID] = schedule.Occasion{At: at}
		}
	}
	m.schedule.Set(due)
}

// wentOn reports whether an agent that was continued has ended a turn since, or asks something in one.
func wentOn(pane *core.Pane) bool {
	c, s := pane.Agent.Continues, &pane.Status
	return c.Tries > 0 && (s.State == core.Waiting || s.State == core.Idle && s.Since.After(c.TriedAt))
}

// again is when a pane is looked at again that could not be.
const again = 30 * time.Second

// act continues a pane if that is due as it is now, and returns when something is due there next.
func (m *Monitor) act(ctx context.Context, id core.PaneID) time.Time {
	next, err := m.next(ctx, id)
	if err != nil {
		m.opts.Log.Warn("an agent was not continued", "pane", id, "error", err)
	}
	return next
}

// next is act with its error. The attempt is on the pane before anything is typed, so that none is repeated after a
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

// Package overview provides the snapshots that callers get: with a revision and alerts, without what the
// settings hide. It starts no goroutine that outlives a call.
package overview

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/announce"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/measure"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
	"cupola/core/fleet/rundir"
)

// Journal holds the recorded alerts.
type Journal interface {
	// Alerts returns the recorded alerts, ended ones included, in the order of their ids.
	Alerts(ctx context.Context) ([]core.Alert, error)
	// SaveAlerts records alerts, each in place of the one with its id. One that
	// was dismissed meanwhile stays so until its count grows.
	SaveAlerts(ctx context.Context, alerts []core.Alert) error
}

// Options configures an Overview. All fields but Journal, Spends, Passed and Notices are required.
type Options struct {
	Engine     engine.Engine
	Dir        *rundir.Dir
	Resolver   *resolve.Resolver
	Observer   *observe.Observer
	Announcer  *announce.Announcer
	Journal    Journal
	Thresholds alert.Thresholds
	// Spends returns what was spent under each ceiling; nil is nothing.
	Spends func(context.Context) ([]alert.Spend, error)
	// Passed returns the ceilings that are known to be passed in part, without
	// counting anything; nil is nothing. Every snapshot asks, so it must be quick.
	Passed func(context.Context) ([]alert.Spend, error)
	// Notices returns what became of work without panes; nil is nothing. Every snapshot asks, so it must
	// be quick.
	Notices func(context.Context) ([]alert.Notice, error)
	Now     func() time.Time
	Log     *slog.Logger
}

// Overview takes snapshots for callers. Its methods may be called concurrently.
type Overview struct{ opts Options }

// New returns an Overview.
func New(o Options) *Overview { return &Overview{o} }

// Snapshot takes a snapshot of everything, or of the view's session. Without a server it is empty
// and EngineUp is false; that is no error. It returns SessionNotFound where the view names a
// session that does not exist.
func (o *Overview) Snapshot(ctx context.Context, view observe.View) (*core.Snapshot, error) {
	snapshot, err := o.snapshot(ctx, view, o.passed(ctx))
	if err == nil && view.Session == "" && o.opts.Resolver.HidesForeign() {
		resolve.RemoveHidden(snapshot)
	}
	return snapshot, err
}

// snapshot is Snapshot without hiding anything. Spends are judged for alerts.
func (o *Overview) snapshot(ctx context.Context, view observe.View, spends []alert.Spend) (*core.Snapshot, error) {
	seen, err := o.opts.Observer.Observe(ctx, view)
	if err != nil {
		return nil, fault.Wrap("status", err)
	}
	snapshot := seen.Snapshot
	o.complete(ctx, seen, spends)
	if view.Session == "" {
		return snapshot, nil
	}
	session, err := resolve.FindSession(snapshot, view.Session)
	if err != nil {
		return nil, fault.Wrap("status", err)
	}
	snapshot.Sessions = []core.Session{*session}
	snapshot.Alerts = alertsIn(snapshot.Alerts, session.Name)
	return snapshot, nil
}

// complete adds the revision and the alerts to a snapshot.
func (o *Overview) complete(ctx context.Context, seen *observe.Observation, spends []alert.Spend) {
	seen.Snapshot.Revision = o.opts.Dir.Revision(ctx)
	facts := alert.Facts{
		Spends: spends, Context: seen.ContextShown(), Disks: measure.DisksOf(measure.FoldersOf(seen.Snapshot)),
	}
	if o.opts.Notices != nil {
		notices, err := o.opts.Notices(ctx)
		if err != nil {
			o.opts.Log.Debug("what became of relays and crews is not known", "error", err)
		}
		facts.Notices = notices
	}
	lost, at := o.opts.Dir.LostAgents(ctx, seen.Snapshot)
	if lost != "" && !slices.ContainsFunc(facts.Notices, engineLost) {
		facts.Notices = append(facts.Notices, alert.Notice{
			Type: core.AlertEngineLost, Severity: core.SeverityCritical, Subject: "engine", Message: lost, Since: at,
		})
	}
	o.addAlerts(ctx, seen.Snapshot, facts)
}

// engineLost reports whether a lost terminal server is known to those who lost it.
func engineLost(notice alert.Notice) bool { return notice.Type == core.AlertEngineLost }

// Chosen returns a snapshot and the panes of it that a target names, by session and ordinal. A target without
// a session selects panes of all sessions, possibly none; its Panes and Exclude are then addresses, and
// hidden sessions are left out. For a target with a session, other panes have no status, and only the alerts
// of the session are returned.
func (o *Overview) Chosen(
	ctx context.Context, target resolve.Target, view observe.View,
) (_ *core.Snapshot, _ []*core.Pane, err error) {
	defer func() { err = fault.Wrap("look", err) }()
	if target.Session != "" {
		seen, err := o.opts.Observer.Select(ctx, view, o.opts.Resolver.Selector(target))
		if err != nil {
			return nil, nil, err
		}
		o.complete(ctx, seen, o.passed(ctx))
		if len(seen.Panes) > 0 {
			seen.Snapshot.Alerts = alertsIn(seen.Snapshot.Alerts, seen.Panes[0].Session)
		}
		return seen.Snapshot, seen.Panes, nil
	}
	kinds, err := o.opts.Resolver.KindsNamed(target.Kinds)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := o.Snapshot(ctx, view)
	if err != nil {
		return nil, nil, err
	}
	panes, err := resolve.Everywhere(snapshot, target, kinds)
	return snapshot, panes, err
}

// Sessions returns the sessions of the server. It reads no screen.
func (o *Overview) Sessions(ctx context.Context) (resolve.Sessions, error) {
	seen, err := o.opts.Observer.Outline(ctx, observe.View{Brief: true})
	if err != nil {
		return resolve.Sessions{}, fault.Wrap("list sessions", err)
	}
	sessions := resolve.SessionsOf(seen.Snapshot)
	if o.opts.Resolver.HidesForeign() {
		sessions.Hidden = resolve.HiddenNames(seen.Snapshot)
	}
	return sessions, nil
}

// Activity returns the new lines per minute of each agent's screen, as counted by the keeper; ok is false if
// no keeper runs.
func (o *Overview) Activity(ctx context.Context) (rates map[core.PaneID]float64, ok bool) {
	if _, kept, err := o.opts.Dir.Kept(ctx); err != nil || !kept {
		return nil, false
	}
	rates, err := measure.ReadActivity(o.opts.Dir.Found(ctx).Activity, o.opts.Now())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		o.opts.Log.Debug("how fast screens change cannot be read", "error", err)
	}
	return rates, err == nil
}

// EngineInfo returns the terminal program and server in use. It fails, as snapshots do, if there is no usable
// program.
func (o *Overview) EngineInfo(ctx context.Context) (engine.Info, error) {
	info, err := o.opts.Engine.Info(ctx)
	return info, fault.Wrap("look at the engine", err)
}

// OtherServers returns terminal servers that live where the engine does not look, if none is where it looks.
func (o *Overview) OtherServers() []engine.OtherServer {
	if seeker, is := o.opts.Engine.(engine.Seeker); is {
		return seeker.OtherServers()
	}
	return nil
}

// UpgradeEngine has Cupola's own terminal server run the program at a path in its place. It fails with
// SESSION_NOT_FOUND if no such server runs.
func (o *Overview) UpgradeEngine(ctx context.Context, program string) (engine.Upgraded, error) {
	const op = "upgrade the terminal server"
	upgrader, is := o.opts.Engine.(engine.Upgrader)
	if !is {
		return engine.Upgraded{}, fault.Wrap(
			op,
			fmt.Errorf("%w: only Cupola's own terminal server is upgraded in place", engine.ErrNoEngine),
		)
	}
	done, err := upgrader.Upgrade(ctx, program)
	return done, fault.Wrap(op, err)
}

// Package keeper maintains one shared snapshot of an engine and streams its changes. Every subscribing
// process is a member. The member that holds the lock in the runtime directory is the keeper: it alone
// watches the engine, assigns revisions, tracks alerts and serves the others over a socket. When it ends,
// another takes over without a gap in the revisions.
//
// A hub holds the snapshot and the newest events; readers follow it with cursors and never block it. Slow
// outputs (the journal, the record, tags on panes) have writers of their own. Goroutines end with the context
// of their subscription.
package keeper

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/agent/detect"
	"cupola/core/alert"
	"cupola/core/engine"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// survivorWait is how long a new keeper waits, after its predecessor was killed, for other members to report
// their revisions.
const survivorWait = 150 * time.Millisecond

// keeper is a member that holds the lock: it watches the engine, assigns revisions and serves the other
// members.
type keeper struct {
	files    rundir.Files
	lock     *flock.Flock
	hub      *hub
	engine   engine.Engine
	focus    *sharedFocus
	now      func() time.Time
	log      *slog.Logger
	timeouts wire.Timeouts
	loop     feedLoop
	server   server
	// followed is true if a keeper assigned the hub's revision.
	followed bool

	// former is the previous keeper's record; taken is true once this keeper has taken over.
	former rundir.Record
	taken  bool

	records  recordWriter
	tags     *tagWriter
	writer   *journalWriter
	alerts   *alertTracker
	notifier notifier
	// monitors act on panes by themselves.
	monitors []Monitor
	// tracker is the loop's knowledge of the agents; nudges makes it take a snapshot.
	tracker *observe.Tracker
	nudges  chan<- struct{}
}

// run is the keeper until ctx ends, and then returns nil.
func (k *keeper) run(ctx context.Context) error {
	former, err := rundir.ReadRecord(k.files.Record)
	if err != nil {
		k.log.Warn("the last snapshot is not known", "error", err)
	}
	k.former = former
	k.records = recordWriter{path: k.files.Record, log: k.log, record: rundir.Record{
		Revision: former.Revision, Snapshot: former.Snapshot, PID: os.Getpid(), Since: k.now(),
	}}
	k.tags = newTagWriter(k.engine, k.log)
	k.alerts.dismissed = func(up time.Time) bool { return k.files.WaitEnded(ctx, up) }
	k.alerts.renew(former.Dismissed)
	k.server = server{
		hub: k.hub, since: k.records.record.Since, focus: k.focus, timeouts: k.timeouts, log: k.log,
		open: make(chan struct{}), hooked: k.hooked,
		alerted: k.alerted, ran: k.ran,
	}
	if err := k.server.listen(k.files.Socket); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	feed := k.engine.Watch(ctx)
	k.focus.attach(feed, false)
	var parts sync.WaitGroup
	parts.Go(func() { k.alerts.spends.watch(ctx, k) })
	parts.Go(func() { k.alerts.notices.watch(ctx, k) })
	parts.Go(func() {
		if err := k.alerts.activity.Run(ctx, k.files.Activity, k.now); err != nil {
			k.log.Warn("how fast screens change could not be written", "error", err)
		}
	})
	parts.Go(func() { k.alerts.context.Run(ctx, func() { wakeUp(k.nudges) }) })
	parts.Go(func() { k.alerts.replies.Run(ctx, k.ofTurn) })
	for _, monitor := range k.monitors {
		parts.Go(func() { monitor.Run(ctx) })
	}
	parts.Go(func() { k.alerts.trees.Run(ctx, func() { wakeUp(k.nudges) }) })
	parts.Go(func() {
		defer stop()
		k.recordChanges(ctx)
	})
	// Writers of what the loop found end after the loop.
	telling, stopWriters := context.WithCancel(context.WithoutCancel(ctx))
	parts.Go(func() { k.server.accept(telling) })
	parts.Go(func() { k.tags.run(telling) })
	parts.Go(func() { k.writer.run(telling) })
	defer k.leave()
	defer parts.Wait()
	defer stopWriters()
	defer stop()
	if former.Ceiling != former.Revision {
		_ = core.Sleep(ctx, survivorWait)
	}
	k.loop.publish, k.loop.last = k.publish, k.last
	return k.loop.run(ctx, feed)
}

// publish publishes a snapshot with the events that led to it.
func (k *keeper) publish(snapshot *core.Snapshot) {
	if snapshot.SilentSince.IsZero() {
		k.tags.note(snapshot, k.tracker.Recorded)
		k.alerts.context.Note(snapshot, k.tracker)
		k.alerts.replies.Note(snapshot)
		k.alerts.activity.Note(k.tracker, k.now())
		k.alerts.trees.Note(snapshot, k.tracker.Moves())
		for _, monitor := range k.monitors {
			monitor.Note(snapshot)
		}
	}
	if !k.taken {
		k.takeOver(snapshot)
		return
	}
	before, revision := k.hub.known()
	at := k.now()
	changes := k.alerts.update(before, snapshot, k.tracker.Moves(), at)
	events := append(observe.Diff(before, snapshot, at), alertEvents(changes, at)...)
	markForeign(events, before, snapshot)
	k.records.allow(revision + core.Revision(len(events)))
	k.records.dismiss(k.alerts.tracker.Dismissed())
	k.hub.publish(events, snapshot)
	k.writer.note(revision, events, alertsOf(changes))
	k.mark(snapshot)
	k.notifier.forward(changes, before, snapshot)
}

// notifier notifies the user of alerts. Notify may be nil.
type notifier struct {
	notify func(alert.Change)
	filter foreignFilter
}

// forward forwards changes and finished turns, except about snoozed agents, panes on display and hidden sessions. That
// an alert is over is always forwarded.
func (h *notifier) forward(changes []alert.Change, before, snapshot *core.Snapshot) {
	if h.notify == nil {
		return
	}
	for _, change := range append(changes, finished(before, snapshot)...) {
		a := &change.Alert
		pane := snapshot.Pane(a.Pane)
		if change.Type == core.AlertRaised && (pane != nil && pane.IsSnoozed() ||
			onDisplay(snapshot, a.Pane) || h.filter.hides(snapshot, a.Session)) {
			continue
		}
		change.Locate(snapshot)
		h.notify(change)
	}
}

// finished returns the turns that agents have finished between two snapshots.
func finished(before, snapshot *core.Snapshot) (changes []alert.Change) {
	if before == nil {
		return nil
	}
	for _, now := range snapshot.Panes() {
		was := before.Pane(now.ID)
		if was == nil || !now.IsAgent() || was.Status.State != core.Working || now.Status.State != core.Idle {
			continue
		}
		lasted := now.Status.Since.Sub(was.Status.Since)
		message := now.Agent.Name + " has finished after " + core.ShortDuration(lasted.Round(time.Second))
		if now.Status.Said != "" {
			message += ": " + now.Status.Said
		}
		changes = append(changes, alert.Change{Type: core.AlertRaised, Lasted: lasted, Alert: core.Alert{
			ID: alert.ID(alert.TurnFinished, now.Address()), Type: alert.TurnFinished, Severity: core.SeverityInfo,
			Subject: now.Address(), Session: now.Session, Pane: now.ID, State: now.Status.State, Message: message,
			Count: 1, FirstSeen: now.Status.Since, LastSeen: now.Status.Since,
		}})
	}
	return changes
}

// onDisplay reports whether a pane has the keyboard in a session that a terminal shows.
func onDisplay(snapshot *core.Snapshot, id core.PaneID) bool {
	pane := snapshot.Pane(id)
	if pane == nil || !pane.View.Active {
		return false
	}
	session := snapshot.Session(pane.Session)
	return session != nil && session.Attached > 0
}

// alerted handles a report about alerts, and acts on it at once.
func (k *keeper) alerted(report *wire.AlertReport) {
	k.alerts.report(report)
	wakeUp(k.nudges)
}

// ran handles a report that runs have changed: readers hear of it, and the notices about runs are read at once.
func (k *keeper) ran() {
	k.hub.ran()
	wakeUp(k.alerts.notices.wake)
}

// ofTurn handles a report on a finished turn.
func (k *keeper) ofTurn(pane core.PaneID, turn observe.Turn) {
	k.tracker.OfTurn(pane, turn)
	wakeUp(k.nudges)
}

// hooked handles a hook report, and makes the loop update its pane at once.
func (k *keeper) hooked(pane core.PaneID, hook detect.Hook) {
	if hook.Event == observe.LookedEvent {
		k.ofTurn(pane, observe.Turn{Looked: hook.At})
		return
	}
	k.tracker.Hooked(pane, hook)
	wakeUp(k.nudges)
}

// takeOver publishes the change of keeper and what happened since the last known snapshot.
func (k *keeper) takeOver(snapshot *core.Snapshot) {
	base, before := k.base(), k.last()
	at := k.now()
	events := []core.Event{{
		Type: core.KeeperChanged, At: at,
		Message: fmt.Sprintf("process %d keeps the picture", k.records.record.PID),
	}}
	if before != nil {
		for _, e := range observe.Diff(before, snapshot, at) {
			e.Late, e.Message = true, lateMessage(e.Message)
			events = append(events, e)
		}
	}
	changes := k.alerts.update(before, snapshot, k.tracker.Moves(), at)
	events = append(events, alertEvents(changes, at)...)
	markForeign(events, before, snapshot)
	k.records.allow(base + core.Revision(len(events)))
	k.records.dismiss(k.alerts.tracker.Dismissed())
	k.hub.takeOver(base, events, snapshot)
	k.writer.note(base, events, alertsOf(changes))
	k.mark(snapshot)
	k.notifier.forward(changes, before, snapshot)
	k.taken = true
	close(k.server.open)
}

// last returns the newest known snapshot.
func (k *keeper) last() *core.Snapshot {
	snapshot, revision := k.hub.known()
	if !k.taken && (snapshot == nil || k.former.Snapshot != nil && k.former.Revision > revision) {
		return k.former.Snapshot
	}
	return snapshot
}

// foundLate is appended to the message of a late event.
const foundLate = "found later: no keeper was running when it happened"

// lateMessage returns the message of a late event.
func lateMessage(message string) string {
	if message == "" {
		return foundLate
	}
	return message + "; " + foundLate
}

// base returns the revision to continue from: the newest that any member saw or, if no member knows it, the newest that
// any can have seen.
func (k *keeper) base() core.Revision {
	seen := k.server.newest(k.former.Ceiling)
	if _, revision := k.hub.known(); k.followed {
		seen = max(seen, revision)
	}
	if seen == 0 || seen < k.former.Revision {
		return k.former.Ceiling
	}
	return seen
}

// recordChanges writes the record after changes. It ends with ctx, or when the lock or the socket is gone.
func (k *keeper) recordChanges(ctx context.Context) {
	select {
	case <-k.server.open:
	case <-ctx.Done():
		return
	}
	for recorded := core.Revision(0); ; {
		snapshot, revision, changed := k.hub.watch()
		if revision == recorded {
			select {
			case <-changed:
				continue
			case <-ctx.Done():
				return
			}
		}
		if !k.files.Holds(k.lock) || !k.files.Open() {
			k.log.Warn("the runtime folder was cleared; looking for another place")
			return
		}
		k.records.write(revision, snapshot)
		recorded = revision
		_ = core.Sleep(ctx, recordEvery)
	}
}

// leave clears the files for the next keeper.
func (k *keeper) leave() {
	if !k.files.Holds(k.lock) {
		return
	}
	if k.taken {
		snapshot, revision := k.hub.known()
		k.records.close(revision, snapshot)
	}
	if err := os.Remove(k.files.Socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		k.log.Warn("the keeper's socket stays", "error", err)
	}
}

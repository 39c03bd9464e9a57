package keeper

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/measure"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/rundir"
	"cupola/core/fleet/wire"
)

// member is one subscription's part in the shared snapshot: it is the keeper, follows the keeper, or works
// alone if neither is possible. In each role it feeds the same hub.
type member struct {
	files    rundir.Files
	hub      *hub
	engine   engine.Engine
	snapshot snapshotFunc
	due      dueFunc
	tracker  *observe.Tracker
	journal  Journal
	alerts   *alertTracker
	notifier notifier
	// nudges signals a hook report.
	nudges   chan struct{}
	now      func() time.Time
	log      *slog.Logger
	timeouts wire.Timeouts
	focus    sharedFocus
	watched  bool
	monitors []Monitor
	// poller captures the screens that this process shows; nil if it shows none.
	poller *screenPoller
	// keeps is true while this member is the keeper.
	keeps atomic.Bool
	// known is true if the hub's readers want only what follows its revision.
	known bool
	// followed is true while a keeper assigned the hub's revision.
	followed bool
}

func (s *Streams) newMember(files rundir.Files, interest Interest) *member {
	m := &member{
		files: files, hub: newHub(interest.Since), known: interest.Since > 0, watched: interest.Watched,
		engine: s.opts.Engine, tracker: observe.NewTracker(true),
		journal: s.opts.Journal, nudges: make(chan struct{}, 1),
		now: s.opts.Now, log: s.opts.Log, timeouts: wire.DefaultTimeouts, monitors: s.opts.Monitors,
	}
	m.snapshot = func(ctx context.Context, change *engine.Change) (*core.Snapshot, error) {
		return s.opts.Observer.Update(ctx, change, m.tracker)
	}
	m.alerts, m.notifier = newAlertTracker(s.opts.Thresholds),
		notifier{s.opts.Notify, foreignFilter(s.opts.HideForeign && !s.opts.NotifyForeign)}
	m.alerts.spends.ask, m.alerts.notices.ask = s.opts.Spends, s.opts.Notices
	m.alerts.context = measure.NewContextMonitor(s.opts.Observer, s.opts.Conversations, s.opts.Now)
	if s.opts.Conversations != nil {
		m.alerts.replies = measure.NewReplyMonitor(s.opts.Conversations)
	}
	if s.opts.Surveyor != nil {
		m.alerts.trees = measure.NewTreeMonitor(s.opts.Observer, s.opts.Surveyor, s.opts.Now)
	}
	m.due = func() time.Time { return core.Earlier(m.tracker.Due(), m.alerts.next) }
	if m.watched {
		m.focus.watch(1)
	}
	return m
}

// admission is the outcome of an attempt to join: the lock, a keeper, or neither and why.
type admission struct {
	lock   *flock.Flock
	keeper *wire.Link
	why    string
}

// run participates until ctx ends, and then returns nil.
func (m *member) run(ctx context.Context) error {
	if m.files.None() {
		return m.alone(ctx, "")
	}
	for ctx.Err() == nil {
		if err := m.files.Prepare(); err != nil {
			return err
		}
		in, err := m.enter(ctx)
		if err == nil && in.why != "" {
			in, err = m.aloneUntilAdmitted(ctx, in.why)
		}
		switch {
		case err != nil:
		case in.lock != nil:
			err = m.keep(ctx, in.lock)
		case in.keeper != nil:
			m.follow(ctx, in.keeper)
		}
		if err != nil {
			return unlessDone(ctx, err)
		}
	}
	return nil
}

// enter acquires the lock or connects to its holder.
func (m *member) enter(ctx context.Context) (admission, error) {
	const shortest, longest = 2 * time.Millisecond, 50 * time.Millisecond
	began := time.Now()
	for wait := shortest; ; wait = min(2*wait, longest) {
		in, err := m.tryEnter(ctx)
		if err != nil || in != (admission{}) || ctx.Err() != nil {
			return in, err
		}
		if time.Since(began) > m.timeouts.Join {
			return admission{why: "the keeper's lock is held, and no process answers at its socket"}, nil
		}
		_ = core.Sleep(ctx, wait)
	}
}

// tryEnter tries both once. The zero admission means that the keeper is starting or stopping.
func (m *member) tryEnter(ctx context.Context) (admission, error) {
	lock, err := m.files.Take()
	if err != nil || lock != nil {
		return admission{lock: lock}, err
	}
	keeper, err := wire.Dial(ctx, m.files.Socket, m.hello(), m.timeouts)
	switch {
	case err == nil:
		return admission{keeper: keeper}, nil
	case errors.Is(err, wire.ErrSilent), errors.Is(err, wire.ErrVersion), errors.Is(err, wire.ErrMalformed):
		return admission{why: err.Error()}, nil
	default:
		return admission{}, nil
	}
}

func (m *member) hello() wire.Hello {
	_, revision := m.hub.known()
	g := wire.Hello{
		Protocol: wire.Protocol, PID: os.Getpid(), Known: m.known || m.followed, Since: revision,
		Watched: m.watched,
	}
	if m.followed {
		g.Seen = revision
	}
	return g
}

// keep runs the keeper.
func (m *member) keep(ctx context.Context, lock *flock.Flock) error {
	k := &keeper{
		files: m.files, lock: lock, hub: m.hub, engine: m.engine, focus: &m.focus, now: m.now, log: m.log,
		timeouts: m.timeouts, loop: m.loop(nil), followed: m.followed, tracker: m.tracker, nudges: m.nudges,
		writer: newJournalWriter(m.journal, m.log), alerts: m.alerts, notifier: m.notifier,
		monitors: m.monitors,
	}
	m.keeps.Store(true)
	defer m.keeps.Store(false)
	err := k.run(ctx)
	m.followed = m.followed || k.taken
	return errors.Join(err, lock.Unlock())
}

// follow follows a keeper as its client. The keeper does not send screens.
func (m *member) follow(ctx context.Context, keeper *wire.Link) {
	if m.poller != nil {
		watching, stop := context.WithCancel(ctx)
		var ended sync.WaitGroup
		defer ended.Wait()
		defer stop()
		ended.Go(func() { m.watchScreens(watching) })
	}
	m.hub.ran() // changes of meanwhile may be unreported
	heard, err := m.hub.follow(ctx, keeper)
	m.followed = m.followed || heard
	if ctx.Err() == nil {
		m.log.Info("the keeper is gone", "pid", keeper.Welcome.PID, "error", err)
	}
}

// watchScreens forwards changes of the shown panes to the poller.
func (m *member) watchScreens(ctx context.Context) {
	feed := m.engine.Watch(ctx)
	m.focus.attach(feed, true)
	for change := range feed.Changes() {
		m.poller.note(&change)
	}
}

// alone makes snapshots of this member's own until ctx ends.
func (m *member) alone(ctx context.Context, note string) error {
	m.hub.detach(note)
	loop := m.loop(func(snapshot *core.Snapshot) {
		var events []core.Event
		before, _ := m.hub.known()
		at := m.now()
		changes := m.alerts.update(before, snapshot, m.tracker.Moves(), at)
		if before != nil {
			events = append(observe.Diff(before, snapshot, at), alertEvents(changes, at)...)
			markForeign(events, before, snapshot)
		}
		m.hub.publish(events, snapshot)
	})
	loop.last = func() *core.Snapshot {
		snapshot, _ := m.hub.known()
		return snapshot
	}
	feed := m.engine.Watch(ctx)
	m.focus.attach(feed, false)
	ctx, stop := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() {
		for core.Sleep(ctx, runsEvery) == nil {
			m.hub.ran()
		}
	})
	defer polling.Wait()
	defer stop()
	return loop.run(ctx, feed)
}

// runsEvery is how often a member that works alone, and hears nothing of runs, says that they may have changed.
const runsEvery = 2 * time.Second

// aloneUntilAdmitted works alone, with a warning, until the member can join.
func (m *member) aloneUntilAdmitted(ctx context.Context, why string) (in admission, err error) {
	m.known, m.followed = false, false
	note := "this picture is not shared and has no revisions: " + why
	m.log.Warn(note)
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.alone(working, note) }()
	rejoin := time.NewTicker(m.timeouts.Rejoin)
	defer rejoin.Stop()
	for err == nil && in.lock == nil && in.keeper == nil {
		select {
		case err = <-ended:
			stop()
			return admission{}, err
		case <-rejoin.C:
			in, err = m.tryEnter(ctx)
		}
	}
	stop()
	err = errors.Join(err, <-ended)
	m.hub.reattach()
	return in, err
}

func (m *member) loop(publish func(*core.Snapshot)) feedLoop {
	loop := feedLoop{
		snapshot: m.snapshot, due: m.due, nudges: m.nudges, now: m.now, log: m.log, publish: publish,
		onChange: func(*engine.Change) {},
		waits:    func(panes []core.PaneID) bool { return m.tracker.Waits(panes, m.now(), snapshotEvery) },
	}
	if m.poller != nil {
		loop.onChange = m.poller.note
	}
	return loop
}

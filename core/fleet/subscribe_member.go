package fleet

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
)

// member is one subscription's part in keeping the picture: it is the keeper,
// follows the keeper, or works alone where neither is possible. Whichever it
// is, it feeds the same hub.
type member struct {
	seat    seat
	hub     *hub
	engine  engine.Engine
	picture pictureFunc
	due     dueFunc
	memory  *memory
	journal Journal
	warden  *warden
	herald  herald
	// nudges has a value when a hook reported something.
	nudges  chan struct{}
	now     func() time.Time
	log     *slog.Logger
	pace    pace
	aim     aim
	watched bool
	// camera takes the screens that this process shows; nil if it shows none.
	camera *camera
	// keeps is true while this member is the keeper.
	keeps atomic.Bool
	// known is true if the hub's readers want only what comes after its revision.
	known bool
	// followed is true while the hub's revision is one that a keeper gave.
	followed bool
}

func newMember(f *lookout, info engine.Info, interest Interest) *member {
	m := &member{
		seat: seatOf(f.runtime, info), hub: newHub(interest.Since), known: interest.Since > 0, watched: interest.Watched,
		engine: f.engine, memory: newMemory(true), journal: f.journal, nudges: make(chan struct{}, 1), now: f.now, log: f.log, pace: usualPace,
	}
	if f.barred != nil {
		m.seat = seat{folder: "barred", barred: f.barred}
	}
	m.picture = func(ctx context.Context, change *engine.Change) (*core.Snapshot, error) {
		return f.picture(ctx, change, m.memory, "")
	}
	m.warden, m.herald = newWarden(f.thresholds), herald{f.notify, veil(f.hideForeign && !f.tellForeign)}
	m.warden.asks, m.warden.gauge.observer = f.spends, &f.observer
	m.warden.patrol.observer, m.warden.patrol.environ = &f.observer, f.environ
	m.due = func() time.Time { return sooner(m.memory.due(), m.warden.next) }
	if m.watched {
		m.aim.watch(1)
	}
	return m
}

// entrance is the way in that a member found: the lock, a keeper, or neither
// and why.
type entrance struct {
	lock   *flock.Flock
	keeper *link
	why    string
}

// run takes part until ctx ends, and then returns nil.
func (m *member) run(ctx context.Context) error {
	if m.seat.none() {
		return m.alone(ctx, "")
	}
	for ctx.Err() == nil {
		if err := m.seat.prepare(); err != nil {
			return err
		}
		in, err := m.enter(ctx)
		if err == nil && in.why != "" {
			in, err = m.aloneUntilLetIn(ctx, in.why)
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

// enter takes the lock or finds who holds it.
func (m *member) enter(ctx context.Context) (entrance, error) {
	const shortest, longest = 2 * time.Millisecond, 50 * time.Millisecond
	began := time.Now()
	for wait := shortest; ; wait = min(2*wait, longest) {
		in, err := m.knock(ctx)
		if err != nil || in != (entrance{}) || ctx.Err() != nil {
			return in, err
		}
		if time.Since(began) > m.pace.enter {
			return entrance{why: "the keeper's lock is held, and nobody answers at its socket"}, nil
		}
		pause(ctx, wait)
	}
}

// knock tries both ways in once. The zero entrance means that the keeper is
// about to come or to go.
func (m *member) knock(ctx context.Context) (entrance, error) {
	lock, err := m.seat.take()
	if err != nil || lock != nil {
		return entrance{lock: lock}, err
	}
	keeper, err := dial(ctx, m.seat.socket, m.greeting(), m.pace)
	switch {
	case err == nil:
		return entrance{keeper: keeper}, nil
	case errors.Is(err, errSilent), errors.Is(err, errVersion), errors.Is(err, errSpeech):
		return entrance{why: err.Error()}, nil
	default:
		return entrance{}, nil
	}
}

func (m *member) greeting() greeting {
	_, revision := m.hub.known()
	g := greeting{Protocol: protocol, PID: os.Getpid(), Known: m.known || m.followed, Since: revision, Watched: m.watched}
	if m.followed {
		g.Seen = revision
	}
	return g
}

// keep is being the keeper.
func (m *member) keep(ctx context.Context, lock *flock.Flock) error {
	k := &keeper{
		seat: m.seat, lock: lock, hub: m.hub, engine: m.engine, aim: &m.aim, now: m.now, log: m.log, pace: m.pace,
		loop: m.loop(nil), followed: m.followed, memory: m.memory, nudges: m.nudges,
		clerk: newClerk(m.journal, m.log), warden: m.warden, herald: m.herald,
	}
	m.keeps.Store(true)
	defer m.keeps.Store(false)
	err := k.run(ctx)
	m.followed = m.followed || k.taken
	return errors.Join(err, lock.Unlock())
}

// follow is being a keeper's client. What a keeper does not tell is what the
// screens show.
func (m *member) follow(ctx context.Context, keeper *link) {
	if m.camera != nil {
		watching, stop := context.WithCancel(ctx)
		var ended sync.WaitGroup
		defer ended.Wait()
		defer stop()
		ended.Go(func() { m.watchScreens(watching) })
	}
	heard, err := m.hub.follow(ctx, keeper)
	m.followed = m.followed || heard
	if ctx.Err() == nil {
		m.log.Info("the keeper is gone", "pid", keeper.welcome.PID, "error", err)
	}
}

// watchScreens tells the camera what changes on the panes that it shows.
func (m *member) watchScreens(ctx context.Context) {
	feed := m.engine.Watch(ctx)
	m.aim.take(feed, true)
	for change := range feed.Changes() {
		m.camera.note(&change)
	}
}

// alone makes a picture of this member's own until ctx ends.
func (m *member) alone(ctx context.Context, note string) error {
	m.hub.part(note)
	loop := m.loop(func(picture *core.Snapshot) {
		var events []core.Event
		before, _ := m.hub.known()
		at := m.now()
		changes := m.warden.take(before, picture, m.memory.moves(), at)
		if before != nil {
			events = append(Diff(before, picture, at), tellings(changes, at)...)
			markForeign(events, before, picture)
		}
		m.hub.mint(events, picture)
	})
	loop.last = func() *core.Snapshot {
		picture, _ := m.hub.known()
		return picture
	}
	feed := m.engine.Watch(ctx)
	m.aim.take(feed, false)
	return loop.run(ctx, feed)
}

// aloneUntilLetIn works alone, with a warning, until there is a way in.
func (m *member) aloneUntilLetIn(ctx context.Context, why string) (in entrance, err error) {
	m.known, m.followed = false, false
	note := "this picture is not shared and has no revisions: " + why
	m.log.Warn(note)
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- m.alone(working, note) }()
	knock := time.NewTicker(m.pace.knock)
	defer knock.Stop()
	for err == nil && in.lock == nil && in.keeper == nil {
		select {
		case err = <-ended:
			stop()
			return entrance{}, err
		case <-knock.C:
			in, err = m.knock(ctx)
		}
	}
	stop()
	err = errors.Join(err, <-ended)
	m.hub.rejoin()
	return in, err
}

func (m *member) loop(publish func(*core.Snapshot)) feedLoop {
	loop := feedLoop{
		picture: m.picture, due: m.due, nudges: m.nudges, now: m.now, log: m.log, publish: publish, heed: func(*engine.Change) {},
		waits: func(panes []core.PaneID) bool { return m.memory.waits(panes, m.now(), pictureEvery) },
	}
	if m.camera != nil {
		loop.heed = m.camera.note
	}
	return loop
}

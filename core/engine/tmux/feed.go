package tmux

import (
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// How often a feed looks.
const (
	seldom  = 5 * time.Second
	calm    = time.Second
	watched = 250 * time.Millisecond
	closeUp = 50 * time.Millisecond
)

// Programs and folders are asked for again after the first time if something
// changed on the server meanwhile, and after the second in any case. Where
// probes tell of nothing, the rest is looked at as seldom.
const programsSoon, programsLate = 2 * time.Second, 10 * time.Second

// eyes is what a feed needs of a server.
type eyes interface {
	look(ctx context.Context, detail engine.Detail, before *sight) (*sight, error)
	glance(ctx context.Context, ids []core.PaneID) ([]pane, time.Time, error)
	probe(ctx context.Context, ids []core.PaneID, closely bool) ([]byte, error)
}

// Watch starts a feed. Its goroutine ends with ctx.
func (s *Server) Watch(ctx context.Context) engine.Feed {
	return watch(ctx, s, s.now, s.patience)
}

func watch(ctx context.Context, server eyes, now func() time.Time, patience time.Duration) *feed {
	f := &feed{
		eyes: server, now: now, patience: patience, changes: make(chan engine.Change),
		gazes: make(chan engine.Gaze, 1),
	}
	go f.run(ctx)
	return f
}

type feed struct {
	eyes eyes
	now  func() time.Time
	// patience is how long a look may take.
	patience time.Duration
	changes  chan engine.Change
	gazes    chan engine.Gaze // the newest that run has not taken yet

	// Only run touches what follows.
	gaze    engine.Gaze
	tracker tracker
	cheap   *sight // the last look without programs, to compare the next with
	asked   time.Time
	stirred bool // something changed since asked
	lost    bool
	silent  bool // nothing could be learnt at the last look
	answers answers
	closer  time.Time // when to probe closely
	next    time.Time // when to look at everything
	scan    time.Time // when to look at the visible panes, if at them only
}

func (f *feed) Changes() <-chan engine.Change { return f.changes }

// Look replaces a gaze that was not taken yet.
func (f *feed) Look(gaze engine.Gaze) {
	gaze.Visible = slices.Clone(gaze.Visible)
	for {
		select {
		case f.gazes <- gaze:
			return
		default:
		}
		select {
		case <-f.gazes:
		default:
		}
	}
}

func (f *feed) run(ctx context.Context) {
	defer close(f.changes)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var unread *engine.Change
	for {
		var out chan<- engine.Change
		var newest engine.Change
		if unread != nil {
			out, newest = f.changes, *unread
		}
		select {
		case <-ctx.Done():
			return
		case out <- newest:
			unread = nil
		case gaze := <-f.gazes:
			f.turnTo(gaze)
			timer.Reset(f.wait())
		case <-timer.C:
			if change, changed := f.turn(ctx); changed {
				unread = merge(unread, change)
			}
			timer.Reset(f.wait())
		}
	}
}

// turnTo takes a gaze. Of a pane that was never seen no glance tells anything.
func (f *feed) turnTo(gaze engine.Gaze) {
	f.gaze = gaze
	if gaze.Only && slices.ContainsFunc(gaze.Visible, func(id core.PaneID) bool { return !f.tracker.met(id) }) {
		f.next = f.now()
	}
}

// turn looks at everything if it is time to, and else at what is watched
// closely.
func (f *feed) turn(ctx context.Context) (engine.Change, bool) {
	looking, cancel := context.WithTimeout(ctx, f.patience)
	defer cancel()
	now := f.now()
	if near := f.near(now); !f.due(now) && len(near) > 0 {
		if f.gaze.Only && f.quiet(looking, near, true) {
			return engine.Change{}, false
		}
		panes, taken, err := f.eyes.glance(looking, near)
		if looking.Err() != nil && ctx.Err() == nil || errors.Is(err, engine.ErrSilent) {
			return f.hush(err, now)
		}
		if err != nil {
			f.next = now
			return engine.Change{}, false
		}
		return f.noted(f.tracker.glimpse(panes, taken))
	}
	f.next, f.scan = now.Add(f.interval()), now.Add(watched)
	if f.gaze.Watched && !f.gaze.Only && !f.lost && !f.silent && !f.stale(now) && f.still(looking, now) {
		return engine.Change{}, false
	}
	seen, err := f.everything(looking, now)
	if ctx.Err() != nil {
		return engine.Change{}, false
	}
	switch {
	case errors.Is(err, engine.ErrNoServer):
		return f.lose(err, now)
	case err != nil:
		return f.hush(err, now)
	}
	change, changed := f.tracker.see(seen)
	if f.silent && !changed {
		change.Listing, changed = seen.listing(), true
	}
	f.lost, f.silent = false, false
	return f.noted(change, changed)
}

// everything looks, with programs if these are unknown or old.
func (f *feed) everything(ctx context.Context, now time.Time) (*sight, error) {
	const programs = engine.WithCommand | engine.WithDir
	if !f.stale(now) && !f.lost {
		seen, err := f.eyes.look(ctx, 0, f.cheap)
		if err != nil {
			return nil, err
		}
		same := f.cheap != nil && len(seen.panes) > 0 && len(f.cheap.panes) > 0 && &seen.panes[0] == &f.cheap.panes[0]
		f.cheap = seen
		if same || !f.tracker.unasked(seen) {
			return seen, nil
		}
	}
	seen, err := f.eyes.look(ctx, programs, nil)
	if err == nil {
		f.asked, f.stirred, f.cheap = now, false, nil
	}
	return seen, err
}

// stale reports whether programs were never asked for, or too long ago.
func (f *feed) stale(now time.Time) bool {
	age := now.Sub(f.asked)
	return age < 0 || age >= programsLate || f.stirred && age >= programsSoon
}

// hush reports a server of which nothing can be learnt, once. What is known of it
// stays, to be compared with what it is found to be later.
func (f *feed) hush(err error, now time.Time) (engine.Change, bool) {
	told := f.silent
	f.silent, f.answers = true, answers{}
	return engine.Change{Listing: engine.Listing{Taken: now}, Silent: err}, !told
}

// lose reports a server that is gone, once.
func (f *feed) lose(err error, now time.Time) (engine.Change, bool) {
	told := f.lost
	f.lost, f.silent, f.tracker, f.cheap, f.answers = true, false, tracker{}, nil, answers{}
	return engine.Change{Listing: engine.Listing{Taken: now}, Lost: err}, !told
}

// noted remembers that something changed. What probes answered before may be
// what they answer again, while the look that found the change knows otherwise.
func (f *feed) noted(change engine.Change, changed bool) (engine.Change, bool) {
	f.stirred = f.stirred || changed
	if change.Structural {
		f.answers = answers{}
	}
	return change, changed
}

func (f *feed) interval() time.Duration {
	switch {
	case f.gaze.Only && !f.lost:
		return seldom
	case f.gaze.Only, f.gaze.Watched:
		return watched
	}
	return calm
}

// near returns the panes to glance at: the visible ones that are active, or all
// of them if they are all that is looked at and it is time to.
func (f *feed) near(now time.Time) []core.PaneID {
	if !f.gaze.Only || now.Before(f.scan) {
		return f.hot(now)
	}
	f.scan = now.Add(watched)
	return f.gaze.Visible
}

// hot returns the visible panes that are active.
func (f *feed) hot(now time.Time) []core.PaneID {
	var ids []core.PaneID
	for _, id := range f.gaze.Visible {
		if f.tracker.active(id, now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// due reports whether it is time to look at everything. A gaze that has become
// closer takes effect at once.
func (f *feed) due(now time.Time) bool {
	return !now.Before(f.next) || f.next.Sub(now) > f.interval()
}

// wait returns how long to wait for the next turn.
func (f *feed) wait() time.Duration {
	now := f.now()
	if f.due(now) {
		return 0
	}
	wait := f.next.Sub(now)
	if f.gaze.Only && len(f.gaze.Visible) > 0 {
		wait = min(wait, max(0, f.scan.Sub(now)))
	}
	if len(f.hot(now)) > 0 {
		wait = min(wait, closeUp)
	}
	return wait
}

// merge adds a change to one that was not read yet, if there is one. It keeps
// what is dirty as long as the same server is there.
func merge(unread *engine.Change, change engine.Change) *engine.Change {
	if unread == nil || change.Lost != nil {
		return &change
	}
	if change.Silent != nil {
		quiet := *unread
		quiet.Silent, quiet.Listing.Taken = change.Silent, change.Listing.Taken
		return &quiet
	}
	change.Structural = change.Structural || unread.Structural || unread.Lost != nil
	dirty := make(map[core.PaneID]bool, len(unread.Dirty)+len(change.Dirty))
	for _, id := range slices.Concat(unread.Dirty, change.Dirty) {
		dirty[id] = true
	}
	change.Dirty = nil
	for i := range change.Listing.Panes {
		if id := change.Listing.Panes[i].ID; dirty[id] {
			change.Dirty = append(change.Dirty, id)
		}
	}
	return &change
}

// glance asks for some panes only, without their programs. One that is gone is
// left out.
func (s *Server) glance(ctx context.Context, ids []core.PaneID) ([]pane, time.Time, error) {
	line := lineFor(0)
	commands := make([]command, 0, len(ids))
	for _, id := range ids {
		if checkPane(id) == nil {
			commands = append(commands,
				command{"display-message", "-p", "-t", string(id), format("version") + line.whole})
		}
	}
	taken := s.now()
	if len(commands) == 0 {
		return nil, taken, nil
	}
	out, err := s.ask(ctx, "look at panes", reads, commands...)
	if err != nil {
		return nil, taken, err
	}
	var panes []pane
	values := newValues()
	for in := (records{out: string(out)}); in.more(); {
		if err := in.versioned(); err != nil {
			return nil, taken, err
		}
		pane, err := line.next(&in, values)
		if err != nil {
			return nil, taken, err
		}
		panes = append(panes, pane)
	}
	return panes, taken, nil
}

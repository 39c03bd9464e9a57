package tmux

import (
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// How often a feed polls.
const (
	onlyInterval    = 5 * time.Second
	absentInterval  = 2 * time.Second // once there was no server for absentAfter
	absentAfter     = 10 * time.Second
	idleInterval    = time.Second
	watchedInterval = 250 * time.Millisecond
	activeInterval  = 50 * time.Millisecond
)

// A feed that watches terminals polls once a second while nothing happens. After output it waits for tmux to read it,
// and looks twice soon; quietTime after the last output or change it watches again.
const settleTime, quietTime = 10 * time.Millisecond, time.Second

// Programs and folders are listed again after programsSoon if something changed on
// the server, and after programsLate in any case. Without changes in probes the rest
// is listed as rarely.
const programsSoon, programsLate = 2 * time.Second, 10 * time.Second

// source is the server that a feed polls.
type source interface {
	list(ctx context.Context, detail engine.Detail, before *snapshot) (*snapshot, error)
	listPanes(ctx context.Context, ids []core.PaneID) ([]pane, time.Time, error)
	probe(ctx context.Context, ids []core.PaneID, closely bool) ([]byte, error)
}

// Watch starts a feed. Its goroutine ends with ctx.
func (s *Server) Watch(ctx context.Context) engine.Feed {
	return watch(ctx, s, s.terminals(ctx), s.now, s.timeout)
}

func watch(
	ctx context.Context, server source, terminals terminals, now func() time.Time, timeout time.Duration,
) *feed {
	f := &feed{
		server: server, terminals: terminals, now: now, timeout: timeout, changes: make(chan engine.Change),
		focuses: engine.NewFocuses(),
	}
	go f.run(ctx)
	return f
}

type feed struct {
	server source
	// terminals is nil where the system does not report output.
	terminals terminals
	now       func() time.Time
	// timeout bounds a poll.
	timeout time.Duration
	changes chan engine.Change
	focuses engine.Focuses

	// Only run touches what follows.
	focus   engine.Focus
	tracker tracker
	cheap   *snapshot // the last list without programs, to compare with the next
	asked   time.Time
	changed bool // since programs were asked for
	lost    bool
	lostAt  time.Time // when the server was missing first
	silent  bool      // the server did not answer the last poll
	why     string    // the reason then
	answers answers
	closer  time.Time // when to probe closely next
	next    time.Time // when to list everything next
	scan    time.Time // when to list the visible panes next, with Only
	// watching is true while all terminals are watched and nothing was printed since. stirred is the time of the last
	// output or change, heard of the last output whose change no poll has found.
	watching       bool
	stirred, heard time.Time
}

func (f *feed) Changes() <-chan engine.Change { return f.changes }

// SetFocus replaces a focus that run has not received.
func (f *feed) SetFocus(focus engine.Focus) { f.focuses.Set(focus) }

func (f *feed) run(ctx context.Context) {
	defer close(f.changes)
	timer := time.NewTimer(0)
	defer timer.Stop()
	var printed, opened <-chan struct{}
	if f.terminals != nil {
		printed, opened = f.terminals.printed(), f.terminals.opened()
	}
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
		case focus := <-f.focuses:
			f.focusOn(focus)
			timer.Reset(f.wait())
		case _, open := <-printed:
			if !open {
				printed, opened, f.terminals, f.watching = nil, nil, nil, false
				continue
			}
			f.hear()
			timer.Reset(f.wait())
		case <-opened:
			f.watching, f.next = false, core.Earlier(f.next, f.now().Add(watchedInterval))
			timer.Reset(f.wait())
		case <-timer.C:
			if change, changed := f.poll(ctx); changed {
				unread = engine.Merge(unread, change)
			}
			timer.Reset(f.wait())
		}
	}
}

// focusOn sets the focus. It lists everything at once for a pane that is unknown.
func (f *feed) focusOn(focus engine.Focus) {
	f.focus = focus
	if focus.Only && slices.ContainsFunc(focus.Visible, func(id core.PaneID) bool { return !f.tracker.seen(id) }) {
		f.next = f.now()
	}
}

// hear has the next poll soon after output.
func (f *feed) hear() {
	now := f.now()
	f.watching, f.stirred, f.heard = false, now, now
	soon := now.Add(settleTime)
	f.scan = core.Earlier(f.scan, soon)
	if !f.focus.Only {
		f.next = core.Earlier(f.next, soon)
	}
}

// watchTerminals watches the terminals of all panes if nothing has happened for a while.
func (f *feed) watchTerminals(now time.Time) {
	if f.terminals == nil || f.watching || f.tracker.last == nil || !f.focus.Watched && !f.focus.Only ||
		now.Sub(f.stirred) < quietTime {
		return
	}
	if f.watching = f.terminals.watch(f.tracker.last); !f.watching {
		f.stirred = now // it is tried again after a while
	}
}

// poll lists everything if that is due, and otherwise the panes of near.
func (f *feed) poll(ctx context.Context) (engine.Change, bool) {
	polling, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	now := f.now()
	f.watchTerminals(now)
	if near := f.near(now); !f.due(now) && len(near) > 0 {
		if f.focus.Only && f.quiet(polling, near, true) {
			return engine.Change{}, false
		}
		panes, taken, err := f.server.listPanes(polling, near)
		if polling.Err() != nil && ctx.Err() == nil || errors.Is(err, engine.ErrSilent) {
			return f.reportSilent(err, now)
		}
		if err != nil {
			f.next = now
			return engine.Change{}, false
		}
		return f.noted(f.tracker.updatePanes(panes, taken))
	}
	f.next, f.scan = now.Add(f.interval()), now.Add(f.pace())
	if f.focus.Watched && !f.focus.Only && !f.lost && !f.silent && !f.stale(now) && f.still(polling, now) {
		return engine.Change{}, false
	}
	seen, err := f.list(polling, now)
	if ctx.Err() != nil {
		return engine.Change{}, false
	}
	switch {
	case errors.Is(err, engine.ErrNoServer):
		return f.reportLost(err, now)
	case err != nil:
		return f.reportSilent(err, now)
	}
	change, changed := f.tracker.update(seen)
	if f.silent && !changed {
		change.Listing, changed = seen.listing(), true
	}
	f.lost, f.silent = false, false
	return f.noted(change, changed)
}

// list lists everything, with programs if these are unknown or old.
func (f *feed) list(ctx context.Context, now time.Time) (*snapshot, error) {
	const programs = engine.WithCommand | engine.WithDir
	if !f.stale(now) && !f.lost {
		seen, err := f.server.list(ctx, 0, f.cheap)
		if err != nil {
			return nil, err
		}
		same := f.cheap != nil && len(seen.panes) > 0 && len(f.cheap.panes) > 0 && &seen.panes[0] == &f.cheap.panes[0]
		f.cheap = seen
		if same || !f.tracker.unasked(seen) {
			return seen, nil
		}
	}
	seen, err := f.server.list(ctx, programs, nil)
	if err == nil {
		f.asked, f.changed, f.cheap = now, false, nil
	}
	return seen, err
}

// stale reports whether programs were never listed, or too long ago.
func (f *feed) stale(now time.Time) bool {
	age := now.Sub(f.asked)
	return age < 0 || age >= programsLate || f.changed && age >= programsSoon
}

// reportSilent reports that the server does not answer, once for each reason. It keeps the last state,
// to compare it with the next answer.
func (f *feed) reportSilent(err error, now time.Time) (engine.Change, bool) {
	why := engine.Reason(err)
	reported := f.silent && why == f.why
	f.silent, f.why, f.answers = true, why, answers{}
	return engine.Change{Listing: engine.Listing{Taken: now}, Silent: err}, !reported
}

// reportLost reports once that the server is gone.
func (f *feed) reportLost(err error, now time.Time) (engine.Change, bool) {
	reported := f.lost
	if !f.lost {
		f.lostAt = now
	}
	f.lost, f.silent, f.tracker, f.cheap, f.answers = true, false, tracker{}, nil, answers{}
	return engine.Change{Listing: engine.Listing{Taken: now}, Lost: err}, !reported
}

// noted records whether something changed. A structural change invalidates the answers
// of probes.
func (f *feed) noted(change engine.Change, changed bool) (engine.Change, bool) {
	f.changed = f.changed || changed
	if changed {
		f.watching, f.stirred, f.heard = false, f.now(), time.Time{}
	}
	if change.Structural {
		f.answers = answers{}
	}
	return change, changed
}

func (f *feed) interval() time.Duration {
	switch {
	case f.lost && f.now().Sub(f.lostAt) > absentAfter:
		return absentInterval
	case f.focus.Only && !f.lost:
		return onlyInterval
	case f.focus.Only, f.focus.Watched:
		return f.pace()
	}
	return idleInterval
}

// pace returns the interval of polls while the user looks.
func (f *feed) pace() time.Duration {
	switch {
	case f.now().Sub(f.heard) < 2*activeInterval:
		return activeInterval
	case f.watching:
		return idleInterval
	}
	return watchedInterval
}

// near returns the panes to list: the visible ones that are active, or with Only all
// visible ones when they are due.
func (f *feed) near(now time.Time) []core.PaneID {
	if !f.focus.Only || now.Before(f.scan) {
		return f.active(now)
	}
	f.scan = now.Add(f.pace())
	return f.focus.Visible
}

// active returns the visible panes that are active.
func (f *feed) active(now time.Time) []core.PaneID {
	var ids []core.PaneID
	for _, id := range f.focus.Visible {
		if f.tracker.active(id, now) {
			ids = append(ids, id)
		}
	}
	return ids
}

// due reports whether it is time to list everything. A closer focus takes effect at
// once.
func (f *feed) due(now time.Time) bool {
	return !now.Before(f.next) || f.next.Sub(now) > f.interval()
}

// wait returns how long to wait for the next poll.
func (f *feed) wait() time.Duration {
	now := f.now()
	if f.due(now) {
		return 0
	}
	wait := f.next.Sub(now)
	if f.focus.Only && len(f.focus.Visible) > 0 {
		wait = min(wait, max(0, f.scan.Sub(now)))
	}
	if len(f.active(now)) > 0 {
		wait = min(wait, activeInterval)
	}
	return wait
}

// listPanes lists some panes, without their programs. It omits panes that are gone.
func (s *Server) listPanes(ctx context.Context, ids []core.PaneID) ([]pane, time.Time, error) {
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
		if s.process.over != nil {
			pane.dropPaths()
		}
		panes = append(panes, pane)
	}
	return panes, taken, nil
}

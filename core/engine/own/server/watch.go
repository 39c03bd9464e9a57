package server

import (
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/engine/own/wire"
	"cupola/core/term"
)

// The shortest times between two notifications of a watcher, by the focus that it has on the pane. The first change
// after a pause is sent almost at once.
const (
	visibleGap = 16 * time.Millisecond
	statusGap  = 2 * time.Millisecond // of what a program says of its own state
	watchedGap = 50 * time.Millisecond
	idleGap    = time.Second
	onlyGap    = 2 * time.Second
	// settleGap is the time for further changes to join the first one, for a watcher with a long gap.
	settleGap = 20 * time.Millisecond
)

// mostSaid bounds what is kept for a watcher that does not read.
const mostSaid = 1000

// watchers are the clients that are notified of changes.
type watchers struct {
	mu  sync.Mutex
	all map[*watcher]bool
	// first is notified of each new watcher.
	first chan struct{}
}

// watcher collects the changes since one client was last notified.
type watcher struct {
	mu         sync.Mutex
	focus      engine.Focus
	dirty      map[core.PaneID]bool
	structural bool
	said       []engine.Said
	notified   time.Time
	// due is when to notify the client next; zero while nothing changed.
	due  time.Time
	wake chan struct{}
	// known are the panes of the listing that the client has; only its connection touches them.
	known map[core.PaneID]bool
}

func (w *watchers) add(one *watcher) {
	w.mu.Lock()
	w.all[one] = true
	w.mu.Unlock()
	select {
	case w.first <- struct{}{}:
	default:
	}
}

func (w *watchers) remove(one *watcher) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.all, one)
}

func (w *watchers) any() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all) > 0
}

// changed reports that a pane printed, with the messages of its program.
func (w *watchers) changed(id core.PaneID, said []term.Event, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		one.changed(id, said, now)
	}
}

// restructured reports that sessions, windows or panes have changed, and which screens are new.
func (w *watchers) restructured(dirty ...core.PaneID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for one := range w.all {
		one.mu.Lock()
		one.structural = true
		for _, id := range dirty {
			one.dirty[id] = true
		}
		one.notifyBy(structuralGap(one.focus), time.Now())
		one.mu.Unlock()
	}
}

func (w *watcher) changed(id core.PaneID, said []term.Event, now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dirty[id] = true
	gap := gapOf(w.focus, slices.Contains(w.focus.Visible, id))
	for _, event := range said {
		if event.Kind == term.TitleSet {
			continue // the row of the pane has it
		}
		gap = min(gap, visibleGap)
		if event.Kind == term.Status {
			gap = statusGap
		}
		if len(w.said) < mostSaid {
			w.said = append(w.said, engine.Said{Pane: id, Event: event, At: now})
		}
	}
	w.notifyBy(gap, now)
}

// gapOf is how long to collect changes, by the focus and whether the pane is visible.
func gapOf(focus engine.Focus, visible bool) time.Duration {
	switch {
	case focus.Watched && !focus.Only && len(focus.Visible) == 0, visible && (focus.Watched || focus.Only):
		return visibleGap
	case focus.Only:
		return onlyGap
	case focus.Watched:
		return watchedGap
	}
	return idleGap
}

// structuralGap is how long to collect changes of the structure: less than those of screens, for they are few.
func structuralGap(focus engine.Focus) time.Duration {
	const share = 5
	return max(visibleGap, gapOf(focus, true)/share)
}

// notifyBy schedules a notification of the client for a gap after the last one; mu is held.
func (w *watcher) notifyBy(gap time.Duration, now time.Time) {
	due := w.notified.Add(gap)
	if gap > watchedGap {
		due = later(due, now.Add(settleGap))
	}
	if w.due.IsZero() || due.Before(w.due) {
		w.due = later(due, time.Unix(1, 0))
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// drain removes and returns the changes to send now, or returns how long to wait; a negative time means until something
// changes.
func (w *watcher) drain(
	now time.Time,
) (dirty map[core.PaneID]bool, structural bool, said []engine.Said, wait time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.due.IsZero():
		return nil, false, nil, -1
	case now.Before(w.due):
		return nil, false, nil, w.due.Sub(now)
	}
	dirty, structural, said = w.dirty, w.structural, w.said
	w.dirty, w.structural, w.said, w.due, w.notified = map[core.PaneID]bool{}, false, nil, time.Time{}, now
	return dirty, structural, said, 0
}

// watch sends changes to a client until it disconnects.
func (c *connection) watch(focus engine.Focus) {
	w := &watcher{
		focus:      focus,
		dirty:      map[core.PaneID]bool{},
		structural: true,
		wake:       make(chan struct{}, 1),
		due:        time.Unix(1, 0),
	}
	s := c.server
	s.tree.mu.Lock()
	for id := range s.tree.panes {
		w.dirty[id] = true
	}
	s.tree.mu.Unlock()
	s.watchers.add(w)
	defer s.watchers.remove(w)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for {
			var request wire.Request
			if err := wire.ReadJSON(c.in, wire.RequestFrame, &request); err != nil {
				return
			}
			if request.Focus != nil {
				w.setFocus(*request.Focus)
			} else if c.reply(wire.Reply{}) != nil { // a client that asks whether the server still answers
				return
			}
		}
	}()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		dirty, structural, said, wait := w.drain(time.Now())
		if wait == 0 {
			if c.send(wire.ChangeFrame, w.change(s, dirty, structural, said)) != nil {
				return
			}
			continue
		}
		if wait < 0 {
			wait = time.Hour
		}
		timer.Reset(wait)
		select {
		case <-gone:
			return
		case <-w.wake:
		case <-timer.C:
		}
	}
}

// setFocus changes what a client looks at.
func (w *watcher) setFocus(focus engine.Focus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	closer := slices.ContainsFunc(focus.Visible, func(id core.PaneID) bool { return w.dirty[id] })
	w.focus = focus
	if closer || focus.Only {
		w.structural = w.structural || focus.Only
		for _, id := range focus.Visible {
			w.dirty[id] = true
		}
		w.notifyBy(visibleGap, time.Now())
	}
}

// change returns the message to the client: everything, or the panes that changed.
func (w *watcher) change(
	s *server, dirty map[core.PaneID]bool, structural bool, said []engine.Said,
) wire.Change {
	change := wire.Change{Structural: structural, Said: said}
	if structural {
		change.Listing = s.tree.listing(engine.WithCommand | engine.WithDir)
		known := make(map[core.PaneID]bool, len(change.Listing.Panes))
		for i := range change.Listing.Panes {
			id := change.Listing.Panes[i].ID
			known[id] = true
			// The listing is newer than the collected changes: it may have panes that the client has not heard of.
			if dirty[id] || !w.known[id] {
				change.Dirty = append(change.Dirty, id)
			}
		}
		w.known = known
	} else {
		s.tree.mu.Lock()
		defer s.tree.mu.Unlock()
		change.Listing.Taken = time.Now()
		for id := range dirty {
			p := s.tree.panes[id]
			if p == nil {
				continue
			}
			row := p.row(0)
			p.mu.Lock()
			row.Process.Command, row.Process.Dir = p.command, p.dir
			p.mu.Unlock()
			change.Listing.Panes, change.Dirty = append(change.Listing.Panes, row), append(change.Dirty, id)
		}
	}
	change.Listing = wire.MapListing(change.Listing, wire.Pack)
	return change
}

package tmux

import (
	"maps"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
)

// quiet is how long a pane stays active after it last changed.
const quiet = 2 * time.Second

// tracker finds changes between snapshots. It reads no clock.
//
// No variable of tmux shows that a program rewrote a part of its screen, except
// window_activity, which counts in seconds. So a pane is dirty if any variable
// moved, or if its window was active in or after the second in which the pane
// was last reported: a capture after the report shows all output before that second,
// and later output is reported again.
type tracker struct {
	last  *snapshot
	marks map[core.PaneID]mark
}

// mark is the last known state of a pane.
type mark struct {
	shape shape
	// reported is the second in which the pane was last called dirty, activity
	// that of its window's activity then.
	reported int64
	activity int64
	// changed is when the pane last changed, as far as that is known.
	changed time.Time
}

// shape holds the cheap fields that change with most output.
type shape struct {
	view  core.Viewport
	title string
	pid   int
	dead  bool
	bytes int64
}

func shapeOf(p *pane) shape {
	view := p.View
	view.Active = false
	return shape{view, p.Title, p.Process.PID, p.Process.Dead, p.bytes}
}

// update takes a new snapshot and returns the change since the last one.
func (t *tracker) update(now *snapshot) (change engine.Change, changed bool) {
	first := t.last == nil || t.last.server != now.server
	// After a clock was set back, seconds cannot be compared.
	afresh := first || now.taken.Unix() < t.last.taken.Unix()
	if afresh {
		t.marks = make(map[core.PaneID]mark, len(now.panes))
	}
	change.Structural = first || !sameStructure(t.last, now)
	for i := range now.panes {
		if t.dirty(&now.panes[i], now.taken) {
			change.Dirty = append(change.Dirty, now.panes[i].ID)
		}
	}
	if change.Structural {
		t.forget(now)
	}
	t.last = now
	changed = first || change.Structural || len(change.Dirty) > 0
	if changed {
		change.Listing = now.listing()
	}
	return change, changed
}

// updatePanes takes newer values of some panes, listed at taken.
func (t *tracker) updatePanes(panes []pane, taken time.Time) (change engine.Change, changed bool) {
	if t.last == nil || taken.Unix() < t.last.taken.Unix() {
		return change, false
	}
	now := *t.last
	now.taken, now.raw, now.panes = taken, nil, slices.Clone(now.panes)
	for _, p := range panes {
		at := slices.IndexFunc(now.panes, func(q pane) bool { return q.ID == p.ID })
		if at < 0 {
			continue
		}
		// Asked for one pane, tmux chooses one of the sessions that show it.
		p.Session, p.Window = now.panes[at].Session, now.panes[at].Window
		p.keepProcess(&now.panes[at])
		now.panes[at] = p
		if t.dirty(&p, taken) {
			change.Dirty = append(change.Dirty, p.ID)
		}
	}
	change.Structural = !sameStructure(t.last, &now)
	t.last = &now
	changed = change.Structural || len(change.Dirty) > 0
	if changed {
		change.Listing = now.listing()
	}
	return change, changed
}

// dirty applies the rule to one pane and remembers a report.
func (t *tracker) dirty(p *pane, taken time.Time) bool {
	m, seen := t.marks[p.ID]
	now := shapeOf(p)
	moved := !seen || m.shape != now
	if !moved && p.activity < m.reported {
		return false
	}
	m.changed = later(m.changed, time.Unix(p.activity, 0))
	if seen && moved {
		m.changed = later(m.changed, taken)
	}
	m.shape, m.reported, m.activity = now, taken.Unix(), p.activity
	t.marks[p.ID] = m
	return true
}

// active reports whether a pane has changed lately.
func (t *tracker) active(id core.PaneID, now time.Time) bool {
	m, seen := t.marks[id]
	return seen && now.Sub(m.changed) < quiet+time.Second
}

// mayHavePrinted reports whether some panes, or without ids any, may have printed
// after they were reported without changing a variable.
func (t *tracker) mayHavePrinted(ids []core.PaneID) bool {
	for _, id := range ids {
		if m, seen := t.marks[id]; !seen || m.activity >= m.reported {
			return true
		}
	}
	if len(ids) > 0 {
		return false
	}
	for _, m := range t.marks {
		if m.activity >= m.reported {
			return true
		}
	}
	return false
}

// seen reports whether a pane is known.
func (t *tracker) seen(id core.PaneID) bool {
	_, ok := t.marks[id]
	return ok
}

// forget drops the marks of panes that are gone.
func (t *tracker) forget(now *snapshot) {
	if len(t.marks) <= len(now.panes) {
		return
	}
	there := make(map[core.PaneID]bool, len(now.panes))
	for i := range now.panes {
		there[now.panes[i].ID] = true
	}
	maps.DeleteFunc(t.marks, func(id core.PaneID, _ mark) bool { return !there[id] })
}

// unasked reports whether now has panes whose program is unknown, and copies the known
// programs of the others.
func (t *tracker) unasked(now *snapshot) bool {
	if t.last == nil || t.last.server != now.server {
		return true
	}
	before := make(map[core.PaneID]*pane, len(t.last.panes))
	for i := range t.last.panes {
		before[t.last.panes[i].ID] = &t.last.panes[i]
	}
	for i := range now.panes {
		p := &now.panes[i]
		if was := before[p.ID]; was == nil || !p.keepProcess(was) {
			return true
		}
	}
	return false
}

// keepProcess copies the fields that a cheap list leaves out, if it is the same program
// in the same state.
func (p *pane) keepProcess(was *pane) bool {
	if p.Process.PID != was.Process.PID || p.Process.Dead != was.Process.Dead {
		return false
	}
	p.Process.Command, p.Process.Dir = was.Process.Command, was.Process.Dir
	return true
}

func sameStructure(a, b *snapshot) bool {
	return slices.EqualFunc(a.sessions, b.sessions, sameSession) && slices.EqualFunc(a.panes, b.panes, samePane)
}

func sameSession(a, b engine.Session) bool {
	return a.ID == b.ID && a.Name == b.Name && a.Created.Equal(b.Created) && a.Attached == b.Attached &&
		a.Dir == b.Dir &&
		maps.Equal(a.Tags, b.Tags)
}

func samePane(a, b pane) bool {
	return a.ID == b.ID && a.Session == b.Session && a.Window == b.Window && a.Title == b.Title && a.TTY == b.TTY &&
		a.Process == b.Process && a.View.Active == b.View.Active && maps.Equal(a.Tags, b.Tags)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

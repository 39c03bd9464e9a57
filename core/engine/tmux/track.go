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

// tracker finds out what changed between looks. It has no clock of its own.
//
// No variable of tmux shows that a program rewrote a part of its screen, except
// window_activity, which counts in seconds. So a pane is dirty if any variable
// moved, or if its window was active in or after the second in which the pane
// was last reported: whoever captures it after the report then has seen all of
// what came before that second, and the rest is reported again.
type tracker struct {
	last  *sight
	marks map[core.PaneID]mark
}

// mark is what is remembered of a pane.
type mark struct {
	shape shape
	// reported is the second in which the pane was last called dirty, activity
	// that of its window's activity then.
	reported int64
	activity int64
	// changed is when the pane last changed, as far as that is known.
	changed time.Time
}

// shape is what costs nothing to ask and moves with most output.
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

// see takes in a look at everything and returns what it changed.
func (t *tracker) see(now *sight) (change engine.Change, changed bool) {
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

// glimpse takes in a look at some panes, which happened at taken.
func (t *tracker) glimpse(panes []pane, taken time.Time) (change engine.Change, changed bool) {
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
	m, met := t.marks[p.ID]
	now := shapeOf(p)
	moved := !met || m.shape != now
	if !moved && p.activity < m.reported {
		return false
	}
	m.changed = later(m.changed, time.Unix(p.activity, 0))
	if met && moved {
		m.changed = later(m.changed, taken)
	}
	m.shape, m.reported, m.activity = now, taken.Unix(), p.activity
	t.marks[p.ID] = m
	return true
}

// active reports whether a pane has changed lately.
func (t *tracker) active(id core.PaneID, now time.Time) bool {
	m, met := t.marks[id]
	return met && now.Sub(m.changed) < quiet+time.Second
}

// restless reports whether some panes, or without ids any, may have printed
// after they were reported without any variable showing it.
func (t *tracker) restless(ids []core.PaneID) bool {
	for _, id := range ids {
		if m, met := t.marks[id]; !met || m.activity >= m.reported {
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

// met reports whether a pane was ever seen.
func (t *tracker) met(id core.PaneID) bool {
	_, met := t.marks[id]
	return met
}

// forget drops the marks of panes that are gone.
func (t *tracker) forget(now *sight) {
	if len(t.marks) <= len(now.panes) {
		return
	}
	there := make(map[core.PaneID]bool, len(now.panes))
	for i := range now.panes {
		there[now.panes[i].ID] = true
	}
	maps.DeleteFunc(t.marks, func(id core.PaneID, _ mark) bool { return !there[id] })
}

// unasked reports whether now has panes whose program was not asked for yet,
// and takes over what is known of the others.
func (t *tracker) unasked(now *sight) bool {
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

// keepProcess takes over what a cheap look leaves out, if it is the same
// program in the same state.
func (p *pane) keepProcess(was *pane) bool {
	if p.Process.PID != was.Process.PID || p.Process.Dead != was.Process.Dead {
		return false
	}
	p.Process.Command, p.Process.Dir = was.Process.Command, was.Process.Dir
	return true
}

func sameStructure(a, b *sight) bool {
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

package screen

import (
	"slices"

	"cupola/core"
)

// Select selects a pane.
func (c *Choice) Select(snap *core.Snapshot, pane *core.Pane) {
	if session := snap.Session(pane.Session); session != nil {
		c.Session, c.Pane = session.ID, pane.ID
	}
}

// Limit sets the filter; empty shows everything. The selection stays if it is still visible,
// else the first visible agent is selected.
func (c *Choice) Limit(snap *core.Snapshot, filter string) {
	c.Filter = filter
	if c.find(c.Rows(snap)) < 0 {
		c.Session, c.Pane = "", ""
	}
}

// Turn selects the session, or the first agent of the group, that is by further down, if there is one.
func (c *Choice) Turn(snap *core.Snapshot, by int) {
	chosen, _ := c.Chosen(snap)
	if chosen == nil {
		return
	}
	rows := c.Rows(snap)
	var heads []int
	from := 0
	for i := range rows {
		if rows[i].Pane != nil && rows[i].Group == "" {
			continue
		}
		if !c.Order.flat() && rows[i].Session.ID == chosen.ID || c.Order.flat() && i <= c.row {
			from = len(heads)
		}
		heads = append(heads, i)
	}
	if to := from + by; to >= 0 && to < len(heads) {
		c.Set(rows, heads[to])
	}
}

// NextNeedsYou selects the next agent that needs the user, the most urgent first, then the others in turn. A folded
// session is unfolded, and a filter that hides the agent forgotten. It reports false if no other agent does.
func (c *Choice) NextNeedsYou(snap *core.Snapshot) bool {
	return snap != nil && c.next(snap, c.Seen.Needing(snap))
}

// NextCalling is NextNeedsYou with those behind that are done and not looked at yet.
func (c *Choice) NextCalling(snap *core.Snapshot) bool {
	return snap != nil && c.next(snap, c.Seen.Calling(snap))
}

// next selects the next of some agents.
func (c *Choice) next(snap *core.Snapshot, needing []*core.Pane) bool {
	at := slices.IndexFunc(needing, func(p *core.Pane) bool { return p.ID == c.Pane })
	if len(needing) == 0 || at >= 0 && len(needing) == 1 {
		return false
	}
	next := needing[(at+1)%len(needing)]
	c.Select(snap, next)
	delete(c.folded, c.Session)
	if c.find(c.Rows(snap)) < 0 {
		c.Filter = ""
	}
	return true
}

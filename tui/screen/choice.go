package screen

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/tui/intent"
)

// Choice is what is selected, and what is shown at all. All screens share one,
// so that going from one to another keeps the place.
type Choice struct {
	// Session is the id of the selected session, Pane the selected pane; Pane is
	// empty while the session's own row is selected.
	Session core.SessionID
	Pane    core.PaneID
	// Filter limits what is shown to what holds it.
	Filter string

	folded map[core.SessionID]bool
	row    int // where the selection was, to stay near it when it is gone
}

// Row is a session, or one of its panes.
type Row struct {
	Session *core.Session
	Pane    *core.Pane
}

// Rows are the rows that show, session by session, without the panes of folded
// sessions. A filter unfolds everything.
func (c *Choice) Rows(snap *core.Snapshot) []Row {
	var rows []Row
	if snap == nil {
		return nil
	}
	for i := range snap.Sessions {
		session := &snap.Sessions[i]
		panes := c.panes(session)
		if c.Filter != "" && len(panes) == 0 && !holds(session.Name, c.Filter) {
			continue
		}
		rows = append(rows, Row{Session: session})
		if c.Folded(session) {
			continue
		}
		for _, pane := range panes {
			rows = append(rows, Row{Session: session, Pane: pane})
		}
	}
	return rows
}

// panes are those of a session that the filter lets through.
func (c *Choice) panes(session *core.Session) []*core.Pane {
	var panes []*core.Pane
	for i := range session.Panes {
		pane := &session.Panes[i]
		if c.Filter == "" || holds(session.Name, c.Filter) || holds(pane.Agent.Name, c.Filter) || holds(string(pane.Agent.Kind), c.Filter) ||
			holds(string(pane.Status.State), c.Filter) {
			panes = append(panes, pane)
		}
	}
	return panes
}

func holds(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// Folded reports whether a session's panes are hidden.
func (c *Choice) Folded(session *core.Session) bool { return c.Filter == "" && c.folded[session.ID] }

// Fold hides or shows the panes of the selected session.
func (c *Choice) Fold(hidden bool) {
	if c.folded == nil {
		c.folded = map[core.SessionID]bool{}
	}
	c.folded[c.Session] = hidden
	if hidden {
		c.Pane = ""
	}
}

// At returns the number of the selected row, and -1 if there are no rows. If
// what was selected is gone, a row near it is selected instead; at first the
// first agent is.
func (c *Choice) At(rows []Row) int {
	if len(rows) == 0 {
		return -1
	}
	at := slices.IndexFunc(rows, func(r Row) bool {
		return r.Session.ID == c.Session && (c.Pane == "" && r.Pane == nil || r.Pane != nil && r.Pane.ID == c.Pane)
	})
	switch {
	case at >= 0:
	case c.Session == "":
		at = max(0, slices.IndexFunc(rows, func(r Row) bool { return r.Pane != nil && r.Pane.IsAgent() }))
	default:
		at = max(0, min(c.row, len(rows)-1))
	}
	c.Set(rows, at)
	return at
}

// Set selects a row; a number outside selects the nearest.
func (c *Choice) Set(rows []Row, at int) {
	if len(rows) == 0 {
		return
	}
	at = max(0, min(at, len(rows)-1))
	c.Session, c.Pane, c.row = rows[at].Session.ID, "", at
	if pane := rows[at].Pane; pane != nil {
		c.Pane = pane.ID
	}
}

// Chosen returns the selected session and pane; both nil if there is nothing.
// Where a session's own row is selected, pane is nil.
func (c *Choice) Chosen(snap *core.Snapshot) (*core.Session, *core.Pane) {
	rows := c.Rows(snap)
	at := c.At(rows)
	if at < 0 {
		return nil, nil
	}
	return rows[at].Session, rows[at].Pane
}

// Shown returns the pane whose screen stands for the selection: the selected
// one, or the first agent of the selected session.
func (c *Choice) Shown(snap *core.Snapshot) *core.Pane {
	session, pane := c.Chosen(snap)
	if pane != nil || session == nil {
		return pane
	}
	if agents := session.Agents(); len(agents) > 0 {
		return agents[0]
	}
	if len(session.Panes) > 0 {
		return &session.Panes[0]
	}
	return nil
}

// Target is the selection as acts name it.
func (c *Choice) Target(snap *core.Snapshot) intent.Target {
	session, pane := c.Chosen(snap)
	switch {
	case session == nil:
		return intent.Target{}
	case pane == nil:
		return intent.Target{Session: session.Name, Address: session.Name}
	}
	return TargetOf(pane)
}

// TargetOf names a pane.
func TargetOf(pane *core.Pane) intent.Target {
	return intent.Target{Session: pane.Session, Pane: pane.ID, Address: pane.Address()}
}

// Turn selects the session that is by further down.
func (c *Choice) Turn(snap *core.Snapshot, by int) {
	rows := c.Rows(snap)
	at := c.At(rows)
	for i := at + by; i >= 0 && i < len(rows); i += by {
		if rows[i].Pane == nil {
			c.Set(rows, i)
			return
		}
	}
}

// needs ranks what wants a person: the smaller, the sooner.
var needs = map[core.State]int{core.Waiting: 1, core.Errored: 2, core.Limited: 3, core.Exited: 4}

// NextNeedy selects the next agent after the selection that needs someone,
// unfolding its session; it reports false if there is none.
func (c *Choice) NextNeedy(snap *core.Snapshot) bool {
	if snap == nil {
		return false
	}
	panes := snap.Panes()
	at := slices.IndexFunc(panes, func(p *core.Pane) bool { return p.ID == c.Pane })
	var best *core.Pane
	for i := range panes {
		pane := panes[(at+1+i)%len(panes)]
		rank := needs[pane.Status.State]
		if rank > 0 && pane.IsAgent() && (best == nil || rank < needs[best.Status.State]) {
			best = pane
		}
	}
	if best == nil {
		return false
	}
	c.Filter = ""
	c.Session, c.Pane = snap.Session(best.Session).ID, best.ID
	if c.folded[c.Session] {
		delete(c.folded, c.Session)
	}
	return true
}

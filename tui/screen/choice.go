package screen

import (
	"slices"
	"strings"

	"cupola/core"
	"cupola/core/text/filter"
	"cupola/tui/intent"
)

// Choice is the selection and the filter. All screens share one, so that a change of screens
// keeps it.
type Choice struct {
	// Session is the id of the selected session, Pane the selected pane; Pane is
	// empty while the session's own row is selected.
	Session core.SessionID
	Pane    core.PaneID
	// Works has the known work of agents, by which rows can be sorted.
	Works map[core.PaneID]Work
	// Filter limits the rows: words, !WORD, FIELD:WORD and /REGEX/, as package filter reads them.
	Filter string
	// Order is how the rows are arranged.
	Order Order
	// Marks are the marked panes, Seen the acknowledged alerts.
	Marks MarkedSet
	Seen  SeenSet

	// parsed is the filter as it was read, of the text read.
	parsed filter.Filter
	read   string

	folded map[core.SessionID]bool
	row    int // where the selection was, to stay near it when it is gone
}

// Row is a session, or one of its panes.
type Row struct {
	Session *core.Session
	Pane    *core.Pane
	// Group is the name of the group that the row begins; empty for none.
	Group string
}

// Rows returns the visible rows: session by session, without the panes of folded sessions, or the agents in groups. A
// filter unfolds everything.
func (c *Choice) Rows(snap *core.Snapshot) []Row {
	var rows []Row
	if snap == nil {
		return nil
	}
	if c.Order.flat() {
		return c.flatRows(snap)
	}
	for _, session := range c.sessions(snap) {
		panes := c.Panes(session)
		if len(panes) == 0 && (len(session.Panes) > 0 && c.Filter != "" ||
			!c.chosen().Matches([]string{session.Name}, nil)) {
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

// Panes returns the panes of a session that the filter shows, folded or not, the pinned ones first.
func (c *Choice) Panes(session *core.Session) []*core.Pane {
	var panes []*core.Pane
	for i := range session.Panes {
		if c.Matches(session, &session.Panes[i]) {
			panes = append(panes, &session.Panes[i])
		}
	}
	slices.SortStableFunc(panes, pinnedFirst)
	return panes
}

// Fields are the fields that a filter of agents may name.
func Fields() []filter.Field {
	states := []string{string(core.Done)}
	for _, state := range core.States {
		states = append(states, string(state))
	}
	return []filter.Field{
		{Name: "state", Values: states},
		{Name: "kind"},
		{Name: "label"},
		{Name: "session"},
		{Name: "dir"},
		{Name: "host"},
	}
}

// chosen is the filter; one that cannot be read is taken as a text.
func (c *Choice) chosen() filter.Filter {
	if c.read != c.Filter {
		c.read, c.parsed = c.Filter, filter.Of(c.Filter, Fields()...)
	}
	return c.parsed
}

// Matches reports whether the filter shows a pane.
func (c *Choice) Matches(session *core.Session, pane *core.Pane) bool {
	if c.Filter == "" {
		return true
	}
	texts := []string{session.Name, pane.Address(), pane.Agent.Name, string(pane.Agent.Kind), pane.Agent.Label}
	if !pane.IsUser() {
		texts = append(texts, string(pane.Status.Shown()))
	}
	return c.chosen().Matches(texts, func(name string) []string {
		switch {
		case name == "state" && !pane.IsUser():
			return []string{string(pane.Status.Shown()), string(pane.Status.Reason)}
		case name == "kind" && !pane.IsUser():
			short, _, _ := strings.Cut(pane.Agent.Name, "_")
			return []string{string(pane.Agent.Kind), short}
		case name == "label" && pane.Agent.Label != "":
			return []string{pane.Agent.Label}
		case name == "session":
			return []string{session.Name}
		case name == "dir":
			return []string{pane.Process.Dir}
		case name == "host" && pane.ID.Host() != "":
			return []string{pane.ID.Host()}
		}
		return nil
	})
}

// Folded reports whether a session's panes are hidden.
func (c *Choice) Folded(session *core.Session) bool {
	return c.Filter == "" && !c.Order.flat() && c.folded[session.ID]
}

// Fold hides or shows the panes of the selected session.
func (c *Choice) Fold(hidden bool) {
	if c.Order.flat() {
		return
	}
	if c.folded == nil {
		c.folded = map[core.SessionID]bool{}
	}
	c.folded[c.Session] = hidden
	if hidden {
		c.Pane = ""
	}
}

// At returns the number of the selected row, and -1 if there are no rows. If
// what was selected does not show, its session's row or one near it is selected
// instead; at first the first agent is.
func (c *Choice) At(rows []Row) int {
	if len(rows) == 0 {
		return -1
	}
	at := c.find(rows)
	switch {
	case at >= 0:
	case c.Session == "":
		at = max(0, slices.IndexFunc(rows, func(r Row) bool { return r.Pane != nil && !r.Pane.IsUser() }))
	default:
		at = c.near(rows)
	}
	c.Set(rows, at)
	return at
}

func (c *Choice) find(rows []Row) int {
	return slices.IndexFunc(rows, func(r Row) bool {
		return r.Session.ID == c.Session && (c.Pane == "" && r.Pane == nil || r.Pane != nil && r.Pane.ID == c.Pane)
	})
}

// near is the row to select when the selected one is not among rows: the row of
// its folded session, else the one that took its place, if possible one of the
// same session.
func (c *Choice) near(rows []Row) int {
	if c.Filter == "" && !c.Order.flat() && c.folded[c.Session] {
		if own := slices.IndexFunc(rows, func(r Row) bool { return r.Session.ID == c.Session }); own >= 0 {
			return own
		}
	}
	at := max(0, min(c.row, len(rows)-1))
	if at > 0 && rows[at].Session.ID != c.Session && rows[at-1].Session.ID == c.Session {
		at--
	}
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

// Chosen returns the selected session and pane; both nil if there is nothing. If a session's
// own row is selected, pane is nil. The selected pane may be in a folded session, because
// the grid shows it.
func (c *Choice) Chosen(snap *core.Snapshot) (*core.Session, *core.Pane) {
	rows := c.Rows(snap)
	if c.Pane != "" && c.find(rows) < 0 {
		if session, pane := c.hidden(snap); pane != nil {
			return session, pane
		}
	}
	at := c.At(rows)
	if at < 0 {
		return nil, nil
	}
	return rows[at].Session, rows[at].Pane
}

// hidden finds the selected pane in its folded session.
func (c *Choice) hidden(snap *core.Snapshot) (*core.Session, *core.Pane) {
	if snap == nil {
		return nil, nil
	}
	session, pane := snap.Session(string(c.Session)), snap.Pane(c.Pane)
	if session == nil || pane == nil || pane.Session != session.Name || !c.Folded(session) {
		return nil, nil
	}
	return session, pane
}

// Shown returns the pane whose screen is shown for the selection: the selected
// one, or the first agent of the selected session.
func (c *Choice) Shown(snap *core.Snapshot) *core.Pane {
	session, pane := c.Chosen(snap)
	if pane != nil || session == nil {
		return pane
	}
	panes := c.Panes(session)
	if at := slices.IndexFunc(panes, (*core.Pane).IsAgent); at >= 0 {
		return panes[at]
	}
	if len(panes) > 0 {
		return panes[0]
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
		return Identified(snap, TargetOfSession(session))
	}
	return Identified(snap, TargetOfPane(pane))
}

// TargetOfPane names a pane.
func TargetOfPane(pane *core.Pane) intent.Target {
	return intent.Target{Session: pane.Session, Pane: pane.ID, Address: pane.Address()}
}

// Identified adds to a target what it is in a snapshot, so that an act which is carried out later is on nothing else.
func Identified(snap *core.Snapshot, target intent.Target) intent.Target {
	session := snap.Session(target.Session)
	switch {
	case session == nil:
	case target.Pane != "":
		target.Identity = session.IdentityOf(target.Pane)
	default:
		target.Identity = session.Identity()
	}
	return target
}

// TargetOfSession names a session.
func TargetOfSession(session *core.Session) intent.Target {
	return intent.Target{Session: session.Name, Address: session.Name}
}

package screen

import (
	"cmp"
	"slices"
	"strings"

	"cupola/core"
)

// The ways to group the list of agents; the zero value of an Order is by session.
const (
	BySession = "session"
	ByState   = "state"
	ByFolder  = "folder"
	ByKind    = "kind"
	ByLabel   = "label"
	ByHost    = "host"
)

// The ways to sort it; the zero value of an Order is by name.
const (
	SortName   = "name"
	SortNeeds  = "needs"
	SortChange = "change"
	// State is the order of the groups by state. The last three have the most first.
	SortState   = "state"
	SortKind    = "kind"
	SortCost    = "cost"
	SortContext = "context"
	SortLines   = "lines"
)

// Columns are the facts that rows can have at the right, in their usual order.
var Columns = []string{"lines", "context", "pr", "cost", "branch"}

// Groups and Sorts are all of them.
var (
	Groups = []string{BySession, ByState, ByFolder, ByKind, ByLabel, ByHost}
	Sorts  = []string{SortName, SortNeeds, SortChange, SortState, SortKind, SortCost, SortContext, SortLines}
)

// Order is how the list is arranged. Columns are the facts of its rows, separated by commas; empty is the usual ones.
// List is the share of the width that lists have, in percent; 0 is the usual one, and from alone on nothing is beside
// them.
type Order struct {
	Group, Sort, Columns string
	List                 int
}

// usualList is the usual share of a list, and alone the one that leaves no room beside it.
const usualList, alone = 40, 100

// Alone reports whether nothing is shown beside lists.
func (o *Order) Alone() bool { return o != nil && o.List >= alone }

// Share is the share of the width that a list has, in percent, where usual is its own.
func (o *Order) Share(usual int) int {
	if o == nil || o.List == 0 || o.List == usualList {
		return usual
	}
	return max(leastShare, min(mostShare, o.List))
}

// columns are the names of the facts that rows have.
func (o *Order) columns() []string {
	if o == nil || o.Columns == "" {
		return Columns
	}
	return strings.Split(o.Columns, ",")
}

// The least and the most that a list has, in percent, by keys.
const leastShare, mostShare = 20, 80

// Resized is the share of a list that is made wider or narrower, or alone and as before.
func (o *Order) Resized(by int) int {
	switch {
	case by == 0 && o.Alone():
		return usualList
	case by == 0:
		return alone
	}
	return max(leastShare, min(mostShare, o.Share(usualList)+by))
}

// flat reports whether the list has agents only, below the names of groups.
func (o Order) flat() bool { return o.Group != "" && o.Group != BySession }

// states are the groups by state: agents that need the user, those that are done, working ones, then the others.
var states = []core.State{
	core.Waiting, core.Errored, core.Limited, core.Exited, core.Done, core.Working, core.Starting, core.Idle,
	core.Unknown,
}

// flatRows are the agents that the filter shows, group by group.
func (c *Choice) flatRows(snap *core.Snapshot) []Row {
	var rows []Row
	for i := range snap.Sessions {
		session := &snap.Sessions[i]
		for _, pane := range c.Panes(session) {
			if !pane.IsUser() {
				rows = append(rows, Row{Session: session, Pane: pane, Group: c.group(pane)})
			}
		}
	}
	before := c.before(snap)
	slices.SortStableFunc(rows, func(a, b Row) int {
		group := cmp.Compare(a.Group, b.Group)
		switch x, y := a.Pane, b.Pane; {
		case c.Order.Group == ByState:
			group = cmp.Compare(slices.Index(states, x.Status.Shown()), slices.Index(states, y.Status.Shown()))
		case c.Order.Group == ByHost:
			group = cmp.Compare(x.ID.Host(), y.ID.Host())
		case c.Order.Group == ByLabel && x.Agent.Label == "" && y.Agent.Label != "":
			group = 1
		case c.Order.Group == ByLabel && x.Agent.Label != "" && y.Agent.Label == "":
			group = -1
		}
		return cmp.Or(group, pinnedFirst(a.Pane, b.Pane), before(a.Pane, b.Pane))
	})
	for i := len(rows) - 1; i > 0; i-- {
		if rows[i].Group == rows[i-1].Group {
			rows[i].Group = ""
		}
	}
	return rows
}

// group is the name of the group of an agent.
func (c *Choice) group(pane *core.Pane) string {
	switch c.Order.Group {
	case ByState:
		return string(pane.Status.Shown())
	case ByFolder:
		return cmp.Or(pane.Process.Dir, "no folder")
	case ByHost:
		return cmp.Or(pane.ID.Host(), "this machine")
	case ByLabel:
		return cmp.Or(pane.Agent.Label, "no label")
	}
	return string(pane.Agent.Kind)
}

// before compares two panes as the list is sorted.
func (c *Choice) before(snap *core.Snapshot) func(a, b *core.Pane) int {
	switch c.Order.Sort {
	case SortNeeds:
		rank := map[core.PaneID]int{}
		needing := c.Seen.Calling(snap)
		for i, pane := range needing {
			rank[pane.ID] = i - len(needing)
		}
		return func(a, b *core.Pane) int { return cmp.Compare(rank[a.ID], rank[b.ID]) }
	case SortChange:
		return func(a, b *core.Pane) int { return b.Status.Since.Compare(a.Status.Since) }
	case SortState:
		return func(a, b *core.Pane) int {
			return cmp.Compare(slices.Index(states, a.Status.Shown()), slices.Index(states, b.Status.Shown()))
		}
	case SortKind:
		return func(a, b *core.Pane) int { return cmp.Compare(a.Agent.Kind, b.Agent.Kind) }
	case SortCost:
		return func(a, b *core.Pane) int { return cmp.Compare(c.Works[b.ID].CostUSD, c.Works[a.ID].CostUSD) }
	case SortContext:
		return func(a, b *core.Pane) int { return cmp.Compare(c.Works[b.ID].ContextUsed, c.Works[a.ID].ContextUsed) }
	case SortLines:
		lines := func(p *core.Pane) int { return c.Works[p.ID].Added + c.Works[p.ID].Deleted }
		return func(a, b *core.Pane) int { return cmp.Compare(lines(b), lines(a)) }
	}
	return func(_, _ *core.Pane) int { return 0 }
}

// pinnedFirst compares two panes. A pinned one comes before one that is not.
func pinnedFirst(a, b *core.Pane) int {
	switch {
	case a.Agent.Pinned == b.Agent.Pinned:
		return 0
	case a.Agent.Pinned:
		return -1
	}
	return 1
}

// sessions returns the sessions of a snapshot: those with a pinned agent first, the others by the first of their panes
// as the list is sorted.
func (c *Choice) sessions(snap *core.Snapshot) []*core.Session {
	all := make([]*core.Session, len(snap.Sessions))
	first := make(map[core.SessionID]*core.Pane, len(all))
	by := c.before(snap)
	before := func(a, b *core.Pane) int { return cmp.Or(pinnedFirst(a, b), by(a, b)) }
	for i := range snap.Sessions {
		all[i] = &snap.Sessions[i]
		if agents := all[i].Agents(); len(agents) > 0 {
			first[all[i].ID] = slices.MinFunc(agents, before)
		}
	}
	named := c.Order.Sort == "" || c.Order.Sort == SortName
	slices.SortStableFunc(all, func(a, b *core.Session) int {
		x, y := cmp.Or(first[a.ID], &core.Pane{}), cmp.Or(first[b.ID], &core.Pane{})
		if order := pinnedFirst(x, y); order != 0 || named {
			return order
		}
		x, y = first[a.ID], first[b.ID]
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		return before(x, y)
	})
	return all
}

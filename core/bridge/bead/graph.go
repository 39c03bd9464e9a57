package bead

import (
	"cmp"
	"slices"
	"time"
)

// Graph is the dependency graph of a set of items at one moment. The caller must not change
// the slices that it returns.
type Graph struct {
	net   *net
	now   time.Time
	paths *paths
	reach []int
}

// NewGraph returns the graph of items, whose ids must be unique.
func NewGraph(items []Item, now time.Time) *Graph { return &Graph{net: newNet(items), now: now} }

// Item returns the item with an id; nil if there is none.
func (g *Graph) Item(id string) *Item {
	if i, is := g.net.at[id]; is {
		return &g.net.items[i]
	}
	return nil
}

// All returns the items, the most urgent first, then the oldest.
func (g *Graph) All() []*Item { return g.choose(func(int) bool { return true }) }

// Open returns the items that are not done, the most urgent first, then the
// oldest.
func (g *Graph) Open() []*Item {
	return g.choose(func(i int) bool { return !g.net.items[i].Done() })
}

// Ready returns the items that can be started now: open, not deferred, not blocked, and
// work (see Item.Work). The most urgent are first, then the oldest.
func (g *Graph) Ready() []*Item {
	return g.choose(g.ready)
}

// IsReady reports whether an item is among Ready.
func (g *Graph) IsReady(id string) bool {
	i, is := g.net.at[id]
	return is && g.ready(i)
}

func (g *Graph) ready(i int) bool { return len(g.net.needs[i]) == 0 && g.free(i) }

// free reports whether only other items of this project can block an item.
func (g *Graph) free(i int) bool {
	item := &g.net.items[i]
	return item.Status == Open && item.Work() && !item.Until.After(g.now) && len(g.net.externalBlockers(i)) == 0
}

// Blockers returns the ids of the open items that an item waits for, and of items
// of other projects, whose status is unknown.
func (g *Graph) Blockers(id string) []string {
	i, is := g.net.at[id]
	if !is || g.net.items[i].Done() {
		return []string{}
	}
	return append(g.net.ids(g.net.needs[i]), g.net.externalBlockers(i)...)
}

// HasOpenParts reports whether an item has children that are not done, so that there is no
// work on the item itself yet.
func (g *Graph) HasOpenParts(id string) bool {
	i, is := g.net.at[id]
	return is && slices.ContainsFunc(g.net.parts[i], func(part int) bool { return !g.net.items[part].Done() })
}

// Missing returns the ids in links that no item has, each once, sorted.
func (g *Graph) Missing() []string {
	missing := []string{}
	for i := range g.net.items {
		for _, link := range g.net.items[i].Links {
			if _, is := g.net.at[link.To]; !is && !external(link.To) {
				missing = append(missing, link.To)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

func (g *Graph) choose(wanted func(int) bool) []*Item {
	chosen := []*Item{}
	for i := range g.net.items {
		if wanted(i) {
			chosen = append(chosen, &g.net.items[i])
		}
	}
	slices.SortStableFunc(chosen, byUrgency)
	return chosen
}

func byUrgency(a, b *Item) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

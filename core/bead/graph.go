package bead

import (
	"cmp"
	"slices"
	"time"
)

// Graph says what follows from a set of items at one moment. Its slices belong to
// it.
type Graph struct {
	items []Item
	at    map[string]int
	now   time.Time
	// own are the open items that an open item's blocking links lead to, by
	// position; needs also holds those that its parents wait for.
	own, needs [][]int
	// frees is needs the other way round.
	frees [][]int
	// groups are the strongly connected parts of needs, those first which need
	// nothing; group is the number of each item's.
	groups [][]int
	group  []int
	paths  *paths
	reach  []int
}

// NewGraph draws the graph of items, whose ids differ.
func NewGraph(items []Item, now time.Time) *Graph {
	g := &Graph{items: items, at: make(map[string]int, len(items)), now: now}
	for i := range items {
		g.at[items[i].ID] = i
	}
	g.own, g.needs, g.frees = make([][]int, len(items)), make([][]int, len(items)), make([][]int, len(items))
	children := g.children()
	for i := range items {
		if !items[i].Done() {
			g.own[i] = g.blockersOf(i, children)
		}
	}
	for i := range items {
		if !items[i].Done() {
			g.needs[i] = g.inherited(i)
		}
		for _, b := range g.needs[i] {
			g.frees[b] = append(g.frees[b], i)
		}
	}
	g.groups, g.group = components(g.needs)
	return g
}

func (g *Graph) children() [][]int {
	children := make([][]int, len(g.items))
	for i := range g.items {
		if parent, is := g.at[g.items[i].Parent()]; is && parent != i {
			children[parent] = append(children[parent], i)
		}
	}
	return children
}

// blockersOf are the open items that an item's own links wait for. Who waits for
// another's children waits for each.
func (g *Graph) blockersOf(i int, children [][]int) []int {
	var blockers []int
	add := func(b int) {
		if !g.items[b].Done() && !slices.Contains(blockers, b) {
			blockers = append(blockers, b)
		}
	}
	for _, link := range g.items[i].Links {
		b, is := g.at[link.To]
		if !is || !link.Kind.Blocks() {
			continue
		}
		add(b)
		if link.Kind == WaitsFor {
			for _, child := range children[b] {
				if child != i {
					add(child)
				}
			}
		}
	}
	return blockers
}

// inherited are an item's blockers and those of what it is a part of, for a part
// cannot begin before the whole. What blocks a whole and is a part of it blocks
// no other part.
func (g *Graph) inherited(i int) []int {
	needs := slices.Clone(g.own[i])
	for _, above := range g.ancestors(i) {
		for _, b := range g.own[above] {
			if b != i && !slices.Contains(needs, b) && !slices.Contains(g.ancestors(b), above) {
				needs = append(needs, b)
			}
		}
	}
	return needs
}

// ancestors are the items that an item is a part of, the nearest first.
func (g *Graph) ancestors(i int) []int {
	var above []int
	for {
		parent, is := g.at[g.items[i].Parent()]
		if !is || parent == i || slices.Contains(above, parent) {
			return above
		}
		above = append(above, parent)
		i = parent
	}
}

// Item returns the item with an id; nil if there is none.
func (g *Graph) Item(id string) *Item {
	if i, is := g.at[id]; is {
		return &g.items[i]
	}
	return nil
}

// Open returns the items that are not done, the most urgent first, then the
// oldest.
func (g *Graph) Open() []*Item {
	return g.choose(func(i int) bool { return !g.items[i].Done() })
}

// Ready returns the items that somebody could begin now: open, not deferred,
// blocked by nothing, and no record of a tool. The most urgent are first, then
// the oldest.
func (g *Graph) Ready() []*Item {
	return g.choose(g.ready)
}

// IsReady reports whether an item is among Ready.
func (g *Graph) IsReady(id string) bool {
	i, is := g.at[id]
	return is && g.ready(i)
}

func (g *Graph) ready(i int) bool {
	item := &g.items[i]
	return item.Status == Open && item.Work() && !item.Until.After(g.now) && len(g.needs[i]) == 0 && len(g.elsewhere(i)) == 0
}

// Blockers returns the ids of the open items that an item waits for, and of items
// of other projects, of which nobody knows whether they are done.
func (g *Graph) Blockers(id string) []string {
	i, is := g.at[id]
	if !is || g.items[i].Done() {
		return []string{}
	}
	return append(g.ids(g.needs[i]), g.elsewhere(i)...)
}

// Frees returns the ids of the open items that wait for an item.
func (g *Graph) Frees(id string) []string {
	i, is := g.at[id]
	if !is {
		return []string{}
	}
	return g.ids(g.frees[i])
}

// Children returns the ids of the items that are a part of an item.
func (g *Graph) Children(id string) []string {
	ids := []string{}
	for i := range g.items {
		if g.items[i].Parent() == id {
			ids = append(ids, g.items[i].ID)
		}
	}
	return ids
}

// Missing returns the ends of links that no item stands for, each once, sorted.
func (g *Graph) Missing() []string {
	missing := []string{}
	for i := range g.items {
		for _, link := range g.items[i].Links {
			if _, is := g.at[link.To]; !is && !outside(link.To) {
				missing = append(missing, link.To)
			}
		}
	}
	slices.Sort(missing)
	return slices.Compact(missing)
}

const outsidePrefix = "external:"

// outside reports whether an id is that of another project's item.
func outside(id string) bool {
	return len(id) > len(outsidePrefix) && id[:len(outsidePrefix)] == outsidePrefix
}

func (g *Graph) elsewhere(i int) []string {
	var ids []string
	for _, link := range g.items[i].Links {
		if link.Kind.Blocks() && outside(link.To) {
			ids = append(ids, link.To)
		}
	}
	return ids
}

func (g *Graph) ids(positions []int) []string {
	ids := make([]string, 0, len(positions))
	for _, i := range positions {
		ids = append(ids, g.items[i].ID)
	}
	slices.Sort(ids)
	return ids
}

func (g *Graph) choose(wanted func(int) bool) []*Item {
	chosen := []*Item{}
	for i := range g.items {
		if wanted(i) {
			chosen = append(chosen, &g.items[i])
		}
	}
	slices.SortStableFunc(chosen, byUrgency)
	return chosen
}

func byUrgency(a, b *Item) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
}

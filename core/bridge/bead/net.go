package bead

import (
	"slices"
	"strings"

	"cupola/core"
)

// net is items and which of them wait for which, all by position.
type net struct {
	items []Item
	at    map[string]int
	// own are the open items that an open item's blocking links lead to; needs also
	// holds those that its parents wait for. frees is needs the other way round.
	own, needs, frees [][]int
	// groups are the strongly connected parts of needs, those first which need
	// nothing; group is the number of each item's.
	groups [][]int
	group  []int
	// parts are the items that are a part of each.
	parts [][]int
}

func newNet(items []Item) *net {
	g := &net{items: items, at: make(map[string]int, len(items))}
	for i := range items {
		g.at[items[i].ID] = i
	}
	g.own, g.needs, g.frees = make([][]int, len(items)), make([][]int, len(items)), make([][]int, len(items))
	g.parts = g.children()
	for i := range items {
		if !items[i].Done() {
			g.own[i] = g.blockersOf(i)
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

func (g *net) children() [][]int {
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
func (g *net) blockersOf(i int) []int {
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
			for _, child := range g.parts[b] {
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
func (g *net) inherited(i int) []int {
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
func (g *net) ancestors(i int) []int {
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

const externalPrefix = "external:"

// external reports whether an id belongs to an item of another project.
func external(id string) bool { return strings.HasPrefix(id, externalPrefix) }

func (g *net) externalBlockers(i int) []string {
	var ids []string
	for _, link := range g.items[i].Links {
		if link.Kind.Blocks() && external(link.To) {
			ids = append(ids, link.To)
		}
	}
	return ids
}

func (g *net) ids(positions []int) []string {
	ids := core.Map(positions, func(i int) string { return g.items[i].ID })
	slices.Sort(ids)
	return ids
}

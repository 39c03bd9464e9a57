package bead

import (
	"cmp"
	"math"
	"slices"
)

// Plan returns the open items that are work in an order in which they can be done: by their depth, those in circles
// last, and else in the order of Open.
func (g *Graph) Plan() []*Item {
	items := slices.DeleteFunc(g.Open(), func(item *Item) bool { return !item.Work() })
	depth := func(item *Item) int {
		if d := g.Depth(item.ID); d > 0 {
			return d
		}
		return math.MaxInt
	}
	slices.SortStableFunc(items, func(a, b *Item) int { return cmp.Compare(depth(a), depth(b)) })
	return items
}

// Workable returns the items of Plan that can be done one after the other: open, unassigned ones, that have no
// open parts, and that wait for such items alone. Left counts the other items of Plan.
func (g *Graph) Workable() (items []*Item, left int) {
	all, chosen := g.Plan(), map[string]bool{}
	for _, item := range all {
		waits := slices.ContainsFunc(g.Blockers(item.ID), func(id string) bool { return !chosen[id] })
		if waits || !g.free(g.net.at[item.ID]) || g.HasOpenParts(item.ID) {
			left++
			continue
		}
		chosen[item.ID] = true
		items = append(items, item)
	}
	return items, left
}

// Tracks partitions the open items that are work into groups that do not depend on each
// other. It returns the number of each item's group, by id, counted from 1 in the order of
// Open, and the number of groups.
func (g *Graph) Tracks() (tracks map[string]int, count int) {
	tracks = map[string]int{}
	for _, item := range g.Open() {
		if tracks[item.ID] > 0 || !item.Work() {
			continue
		}
		count++
		tracks[item.ID] = count
		todo := []int{g.net.at[item.ID]}
		for len(todo) > 0 {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, near := range [][]int{g.net.needs[i], g.net.frees[i]} {
				for _, j := range near {
					if id := g.net.items[j].ID; tracks[id] == 0 {
						tracks[id] = count
						todo = append(todo, j)
					}
				}
			}
		}
	}
	return tracks, count
}

package bead

import (
	"slices"
	"strings"

	"cupola/core"
)

// Cycles returns cycles of items that wait for each other: each once, beginning with its
// smallest id, each item followed by one that it waits for. It need not return all cycles
// among the same items, but every item that is in a cycle is in one of those returned.
func (g *Graph) Cycles() [][]string {
	cycles := [][]string{}
	for _, members := range g.net.groups {
		if len(members) == 1 && !slices.Contains(g.net.needs[members[0]], members[0]) {
			continue
		}
		covered := map[int]bool{}
		slices.SortFunc(members, func(a, b int) int { return strings.Compare(g.net.items[a].ID, g.net.items[b].ID) })
		for _, member := range members {
			if covered[member] {
				continue
			}
			circle := g.net.circle(member)
			for _, i := range circle {
				covered[i] = true
			}
			cycles = append(cycles, g.net.turned(circle))
		}
	}
	slices.SortFunc(cycles, slices.Compare)
	return slices.CompactFunc(cycles, slices.Equal)
}

// circle is the shortest way from an item of a circle back to it.
func (g *net) circle(start int) []int {
	from := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		for _, to := range g.needs[i] {
			if to == start {
				way := []int{i}
				for way[0] != start {
					way = slices.Insert(way, 0, from[way[0]])
				}
				return way
			}
			if _, seen := from[to]; !seen && g.group[to] == g.group[start] {
				from[to] = i
				queue = append(queue, to)
			}
		}
	}
	return nil
}

// turned are the ids of a circle, the smallest first.
func (g *net) turned(circle []int) []string {
	ids := core.Map(circle, func(at int) string { return g.items[at].ID })
	first := slices.Index(ids, slices.Min(ids))
	return slices.Concat(ids[first:], ids[:first])
}

// inCircle reports whether an item waits for itself.
func (g *net) inCircle(i int) bool {
	return len(g.groups[g.group[i]]) > 1 || slices.Contains(g.needs[i], i)
}

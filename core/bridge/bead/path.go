package bead

import (
	"cmp"
	"math/bits"
	"slices"
)

// paths are the longest chains that end at each item.
type paths struct {
	// depth counts the open items of the chain, with the item itself; 0 for items that are done or in a circle. before
	// is the position of the previous item in the chain, -1 if there is none.
	depth, before []int
}

// CriticalPath returns the longest chain of open items in which each waits for the one
// before; the first one can be started. Items in a cycle are in no chain. Of equally long
// chains it returns the one with the more urgent items at its end.
func (g *Graph) CriticalPath() []*Item {
	p := g.longest()
	last := -1
	for i, depth := range p.depth {
		if depth > 0 && (last < 0 || depth > p.depth[last] ||
			depth == p.depth[last] && byUrgency(&g.net.items[i], &g.net.items[last]) < 0) {
			last = i
		}
	}
	return g.chain(last)
}

// Chain returns the longest chain of open items that ends at an item.
func (g *Graph) Chain(id string) []*Item {
	i, is := g.net.at[id]
	if !is || g.longest().depth[i] == 0 {
		return []*Item{}
	}
	return g.chain(i)
}

// Depth returns the number of items in the longest chain that ends at an item; 0 for items
// that are done or in a cycle.
func (g *Graph) Depth(id string) int {
	if i, is := g.net.at[id]; is {
		return g.longest().depth[i]
	}
	return 0
}

func (g *Graph) chain(last int) []*Item {
	chain := []*Item{}
	for i := last; i >= 0; i = g.longest().before[i] {
		chain = append(chain, &g.net.items[i])
	}
	slices.Reverse(chain)
	return chain
}

func (g *Graph) longest() *paths {
	if g.paths != nil {
		return g.paths
	}
	p := &paths{depth: make([]int, len(g.net.items)), before: make([]int, len(g.net.items))}
	for _, members := range g.net.groups {
		i := members[0]
		p.before[i] = -1
		if g.net.items[i].Done() || g.net.inCircle(i) {
			continue
		}
		for _, b := range g.net.needs[i] {
			if p.depth[b] == 0 {
				continue
			}
			if at := p.before[i]; at < 0 ||
				cmp.Or(cmp.Compare(p.depth[at], p.depth[b]), byUrgency(&g.net.items[b], &g.net.items[at])) < 0 {
				p.before[i] = b
			}
		}
		p.depth[i] = 1
		if at := p.before[i]; at >= 0 {
			p.depth[i] += p.depth[at]
		}
	}
	g.paths = p
	return p
}

// Gain counts the items that closing an item would help.
type Gain struct {
	// Now counts the items that would be ready at once, All the open ones that
	// wait for it directly or through others.
	Now, All int
}

// Gain returns what closing an item would do.
func (g *Graph) Gain(id string) Gain {
	i, is := g.net.at[id]
	if !is {
		return Gain{}
	}
	return Gain{Now: len(g.freedBy(i)), All: g.reached()[i]}
}

// FreedBy returns the ids of the items that would be ready if an item were closed.
func (g *Graph) FreedBy(id string) []string {
	if i, is := g.net.at[id]; is {
		return g.net.ids(g.freedBy(i))
	}
	return []string{}
}

func (g *Graph) freedBy(i int) []int {
	var freed []int
	for _, waiting := range g.net.frees[i] {
		if len(g.net.needs[waiting]) == 1 && waiting != i && g.free(waiting) {
			freed = append(freed, waiting)
		}
	}
	return freed
}

// setWords is how many words of a bit for each item are counted at a time.
const setWords = 16

// reached counts for each item those that wait for it directly or through others.
// It goes through the items a few hundred at a time, so that memory stays in
// proportion to their number.
func (g *Graph) reached() []int {
	if g.reach != nil {
		return g.reach
	}
	g.reach = make([]int, len(g.net.items))
	sets := make([][setWords]uint64, len(g.net.groups))
	for from := 0; from < len(g.net.items); from += 64 * setWords {
		clear(sets)
		// Those that no item waits for come last among the groups.
		for n := len(g.net.groups) - 1; n >= 0; n-- {
			set := &sets[n]
			for _, i := range g.net.groups[n] {
				for _, waiting := range g.net.frees[i] {
					merge(set, &sets[g.net.group[waiting]])
					if at := waiting - from; at >= 0 && at < 64*setWords {
						set[at/64] |= 1 << (at % 64)
					}
				}
			}
			count := 0
			for _, word := range set {
				count += bits.OnesCount64(word)
			}
			for _, i := range g.net.groups[n] {
				g.reach[i] += count
				if at := i - from; at >= 0 && at < 64*setWords && set[at/64]&(1<<(at%64)) != 0 {
					g.reach[i]-- // it waits for itself
				}
			}
		}
	}
	return g.reach
}

func merge(into, from *[setWords]uint64) {
	for i := range into {
		into[i] |= from[i]
	}
}

package bead

import "slices"

// tarjan finds the strongly connected parts of a graph, without recursion, for
// chains may be long.
type tarjan struct {
	next       [][]int
	order, low []int
	seen       int
	// path is the way from the root to the node that is examined; open are the
	// nodes whose part is not yet known.
	path   []step
	open   []int
	group  []int
	groups [][]int
}

// step is a node and how many of its edges were followed.
type step struct{ node, edge int }

// components returns the parts, each after all that its members lead to, and the
// number of the part of each node.
func components(next [][]int) (groups [][]int, group []int) {
	t := &tarjan{next: next, order: make([]int, len(next)), low: make([]int, len(next)), group: make([]int, len(next))}
	for i := range t.group {
		t.group[i] = -1
	}
	for root := range next {
		if t.order[root] == 0 {
			t.enter(root)
			for len(t.path) > 0 {
				t.advance()
			}
		}
	}
	return t.groups, t.group
}

func (t *tarjan) enter(node int) {
	t.seen++
	t.order[node], t.low[node] = t.seen, t.seen
	t.open = append(t.open, node)
	t.path = append(t.path, step{node: node})
}

// advance follows one edge of the last node, or leaves the node.
func (t *tarjan) advance() {
	last := &t.path[len(t.path)-1]
	node := last.node
	if last.edge == len(t.next[node]) {
		t.leave(node)
		return
	}
	to := t.next[node][last.edge]
	last.edge++
	if t.order[to] == 0 {
		t.enter(to)
	} else if t.group[to] < 0 {
		t.low[node] = min(t.low[node], t.order[to])
	}
}

func (t *tarjan) leave(node int) {
	t.path = t.path[:len(t.path)-1]
	if len(t.path) > 0 {
		above := t.path[len(t.path)-1].node
		t.low[above] = min(t.low[above], t.low[node])
	}
	if t.low[node] != t.order[node] {
		return
	}
	from := len(t.open) - 1
	for t.open[from] != node {
		from--
	}
	members := slices.Clone(t.open[from:])
	t.open = t.open[:from]
	for _, member := range members {
		t.group[member] = len(t.groups)
	}
	t.groups = append(t.groups, members)
}

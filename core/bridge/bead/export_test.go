package bead

// Frees returns the ids of the open items that wait for an item.
func (g *Graph) Frees(id string) []string {
	i, is := g.net.at[id]
	if !is {
		return []string{}
	}
	return g.net.ids(g.net.frees[i])
}

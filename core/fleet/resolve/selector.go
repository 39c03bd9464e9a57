package resolve

import "cupola/core"

// Selector selects the panes of a snapshot that matter.
type Selector func(*core.Snapshot) ([]*core.Pane, error)

// Selector selects the panes that a target names.
func (r *Resolver) Selector(target Target) Selector {
	return func(snapshot *core.Snapshot) ([]*core.Pane, error) { return r.Resolve(snapshot, target) }
}

// ByID selects panes by their ids. It leaves out those that do not exist.
func ByID(ids ...core.PaneID) Selector {
	return func(snapshot *core.Snapshot) ([]*core.Pane, error) {
		var panes []*core.Pane
		for _, id := range ids {
			if pane := snapshot.Pane(id); pane != nil {
				panes = append(panes, pane)
			}
		}
		return panes, nil
	}
}

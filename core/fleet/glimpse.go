package fleet

import (
	"context"

	"cupola/core"
	"cupola/core/engine"
)

// Acts and answers about some panes look at these alone: to read the screens of
// all agents takes longer than most of what is done with one.

// outline takes a picture in which no pane has a status. It reads no screen.
func (o *observer) outline(ctx context.Context) (*core.Snapshot, error) {
	_, snapshot, err := o.takeOf(ctx, View{}.detail(), nobodys, newMemory(false))
	return snapshot, err
}

// picker says which panes of a picture matter.
type picker func(*core.Snapshot) ([]*core.Pane, error)

// of picks the panes that a target names.
func (o *observer) of(target Target) picker {
	return func(snapshot *core.Snapshot) ([]*core.Pane, error) { return o.resolve(snapshot, target) }
}

// themselves picks panes by their ids, as far as they are there.
func themselves(ids ...core.PaneID) picker {
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

// glimpse is a picture in which only the panes that matter have a status.
type glimpse struct {
	listing  engine.Listing
	snapshot *core.Snapshot
	panes    []*core.Pane
}

// glimpse takes a picture and judges those panes of it that are picked; what is
// learnt of them is in m.
func (o *observer) glimpse(ctx context.Context, detail engine.Detail, m *memory, pick picker) (glimpse, error) {
	listing, snapshot, err := o.takeOf(ctx, detail|engine.WithActivity, nobodys, m)
	if err != nil {
		return glimpse{}, err
	}
	panes, err := pick(snapshot)
	if err != nil {
		return glimpse{}, err
	}
	judge := assessor{observer: o, memory: m, only: make(map[core.PaneID]bool, len(panes))}
	for _, pane := range panes {
		judge.only[pane.ID] = true
	}
	if len(panes) > 0 {
		err = judge.judge(ctx, snapshot, &engine.Change{Listing: listing})
	}
	return glimpse{listing, snapshot, panes}, err
}

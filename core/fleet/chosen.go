package fleet

import (
	"context"
	"fmt"
	"slices"

	"cupola/core"
	"cupola/core/agent"
	"cupola/core/alert"
)

// Chosen returns a picture and the panes of it that a target names, session by
// session in the order of their ordinals. A target without a session means
// panes of every session, and then there may be none; its Panes and Exclude are
// addresses then. Where a session is named, the other panes of the picture have no
// status, and the alerts are those of the session. Where the user hides the sessions of others, they are left out unless
// one is named.
func (f *lookout) Chosen(ctx context.Context, target Target, view View) (_ *core.Snapshot, _ []*core.Pane, err error) {
	defer func() { err = translate("look", err) }()
	if target.Session != "" {
		m := newMemory(false)
		seen, err := f.glimpse(ctx, view.detail(), m, f.of(target))
		if err != nil {
			return nil, nil, err
		}
		seen.snapshot.Revision = f.Revision(ctx)
		f.current(ctx, seen.snapshot, alert.Facts{Context: shownContext(seen.snapshot, m), Disks: disksOf(foldersOf(seen.snapshot)), Spends: f.passed(ctx)})
		if len(seen.panes) > 0 {
			seen.snapshot.Alerts = alertsIn(seen.snapshot.Alerts, seen.panes[0].Session)
		}
		return seen.snapshot, seen.panes, nil
	}
	kinds, err := f.kindsNamed(target.Kinds)
	if err != nil {
		return nil, nil, err
	}
	snapshot, err := f.Snapshot(ctx, view)
	if err != nil {
		return nil, nil, err
	}
	panes, err := everywhere(snapshot, target, kinds)
	return snapshot, panes, err
}

// everywhere is resolve for a target without a session, but for its kinds.
func everywhere(snapshot *core.Snapshot, target Target, kinds []*agent.Kind) ([]*core.Pane, error) {
	only, err := addressed(snapshot, target.Panes)
	if err != nil {
		return nil, err
	}
	not, err := addressed(snapshot, target.Exclude)
	if err != nil {
		return nil, err
	}
	panes := []*core.Pane{}
	for _, pane := range snapshot.Panes() {
		named := target.unnamed(pane)
		if len(target.Panes) > 0 {
			named = only[pane.ID]
		}
		ofKind := len(kinds) == 0 || slices.ContainsFunc(kinds, func(k *agent.Kind) bool { return k.ID == pane.Agent.Kind })
		if named && ofKind && !not[pane.ID] {
			panes = append(panes, pane)
		}
	}
	return panes, nil
}

// addressed returns the ids of the panes that addresses name.
func addressed(snapshot *core.Snapshot, words []string) (map[core.PaneID]bool, error) {
	ids := make(map[core.PaneID]bool, len(words))
	for _, word := range words {
		pane, is, err := findPane(snapshot, word)
		if err != nil {
			return nil, err
		}
		if !is {
			return nil, &core.Error{
				Code: core.MissingRequired, Message: fmt.Sprintf("pane %q of which session?", word),
				Hint: "Name the session, or give the pane's address: SESSION.N or %ID.",
			}
		}
		ids[pane.ID] = true
	}
	return ids, nil
}

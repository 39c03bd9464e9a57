package fleet

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/engine"
)

// View says what a picture is to hold.
type View struct {
	// Dirs fills the working directory of every pane, which costs about as much
	// as all the rest.
	Dirs bool
	// Brief leaves out where panes stand and what their terminals are like, which
	// is most of the rest: Window and View are then zero.
	Brief bool
	// Session leaves out all sessions but one, named exactly or by id.
	Session string

	// spends are judged for alerts besides.
	spends []alert.Spend
	// bare holds what is hidden, too.
	bare bool
}

// Snapshot takes a picture of everything. Without a server it is empty and
// EngineUp is false; that is no error. The screens of all agents are read
// together, so it costs two questions to the engine at most, or a few more where
// questions overlap.
// It returns SessionNotFound where View names a session that is not there.
func (f *lookout) Snapshot(ctx context.Context, view View) (*core.Snapshot, error) {
	m := newMemory(false)
	place := seatNow(ctx, &f.observer)
	m.album = openAlbum(place.screens, rulesOf(f.self, f.kinds))
	defer m.album.reading.Wait()
	listing, snapshot, err := f.takeOf(ctx, view.detail()|engine.WithActivity, view.Session, m)
	if err != nil {
		return nil, translate("status", err)
	}
	if err := m.album.keep(place, &listing, m); err != nil {
		f.log.Debug("what screens say cannot be kept for the next call", "error", err)
	}
	snapshot.Revision = f.Revision(ctx)
	if view.spends == nil {
		view.spends = f.passed(ctx)
	}
	f.current(ctx, snapshot, alert.Facts{
		Spends: view.spends, Context: shownContext(snapshot, m), Disks: disksOf(foldersOf(snapshot)),
	})
	if view.Session != "" {
		session, err := findSession(snapshot, view.Session)
		if err != nil {
			return nil, translate("status", err)
		}
		snapshot.Sessions = []core.Session{*session}
		snapshot.Alerts = alertsIn(snapshot.Alerts, session.Name)
		return snapshot, nil
	}
	if f.hideForeign && !view.bare {
		conceal(snapshot)
	}
	return snapshot, nil
}

func (v View) detail() engine.Detail {
	detail := engine.WithCommand
	if v.Dirs {
		detail |= engine.WithDir
	}
	if v.Brief {
		detail |= engine.Brief
	}
	return detail
}

// takeOf takes a picture, foreign sessions included, with the listing that it was
// made from; what is learnt of the panes is in m. Where a session is named, only
// its panes get a status.
func (o *observer) takeOf(ctx context.Context, detail engine.Detail, session string, m *memory) (engine.Listing, *core.Snapshot, error) {
	taken := o.now()
	listing, err := o.engine.List(ctx, detail)
	if errors.Is(err, engine.ErrNoServer) {
		return engine.Listing{}, noPicture(taken), nil
	}
	if err != nil {
		return engine.Listing{}, nil, err
	}
	snapshot, err := o.picture(ctx, &engine.Change{Listing: listing}, m, session)
	return listing, snapshot, err
}

// noPicture is that of a server that does not run.
func noPicture(taken time.Time) *core.Snapshot {
	return &core.Snapshot{Taken: taken, Sessions: []core.Session{}, Alerts: []core.Alert{}}
}

// picture turns a listing into core's values and judges every pane, or those of
// one session. What is in the memory is asked for again only where something
// changed.
func (o *observer) picture(ctx context.Context, change *engine.Change, m *memory, session string) (*core.Snapshot, error) {
	listing := &change.Listing
	snapshot := &core.Snapshot{Taken: listing.Taken, EngineUp: true, Alerts: []core.Alert{}}
	snapshot.Sessions = make([]core.Session, 0, len(listing.Sessions))
	panes := make(map[core.SessionID][]*engine.Pane, len(listing.Sessions))
	for i := range listing.Panes {
		pane := &listing.Panes[i]
		panes[pane.Session] = append(panes[pane.Session], pane)
	}
	for _, session := range listing.Sessions {
		snapshot.Sessions = append(snapshot.Sessions, o.arrange(session, panes[session.ID]))
	}
	slices.SortFunc(snapshot.Sessions, func(a, b core.Session) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), compareIDs(string(a.ID), string(b.ID)))
	})
	judge := assessor{observer: o, memory: m, session: session}
	if err := judge.judge(ctx, snapshot, change); err != nil {
		return nil, err
	}
	return snapshot, nil
}

// arrange turns one session and its panes into core's values, in the order of
// the ordinals.
func (o *observer) arrange(from engine.Session, panes []*engine.Pane) core.Session {
	session := core.Session{
		ID: from.ID, Name: from.Name, Created: from.Created, Attached: from.Attached, Dir: from.Dir,
		Foreign: from.Tags[engine.TagOrigin] != originSpawn, Panes: make([]core.Pane, 0, len(panes)),
	}
	slices.SortFunc(panes, func(a, b *engine.Pane) int { return compareIDs(string(a.ID), string(b.ID)) })
	ordinals := number(panes, nextOrdinal(from))
	for _, pane := range panes {
		session.Panes = append(session.Panes, core.Pane{
			ID: pane.ID, Session: from.Name, Ordinal: ordinals[pane.ID], Window: pane.Window,
			Agent: o.agentOf(pane), Process: autopsy(pane.Process), Title: pane.Title, View: pane.View, Managed: managed(pane),
		})
	}
	o.nameAgents(session.Panes)
	slices.SortFunc(session.Panes, func(a, b core.Pane) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return session
}

// managed reports whether Cupola made or adopted a pane.
func managed(pane *engine.Pane) bool {
	return pane.Tags[engine.TagRole] != "" || pane.Tags[engine.TagKind] != ""
}

package observe

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/panetag"
	"cupola/core/fleet/resolve"
)

// View selects what a snapshot contains.
type View struct {
	// Dirs fills the working directory of every pane, which takes about as long as all the
	// rest.
	Dirs bool
	// Brief leaves Window and View of panes zero, which saves most of the rest.
	Brief bool
	// Session leaves out all sessions but one, named exactly or by id.
	Session string
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

// Observation is a snapshot with the listing and screens from which it was made.
type Observation struct {
	Snapshot *core.Snapshot
	// Panes are the selected panes.
	Panes   []*core.Pane
	Listing engine.Listing
	tracker *Tracker
}

// Screen returns the screen from which a pane's state was judged; nil if none was captured.
func (o *Observation) Screen(pane core.PaneID) *core.Screen {
	if k := o.tracker.panes[pane]; k != nil {
		return k.screen
	}
	return nil
}

// ContextShown returns how much of their context windows agents have used, in percent, for
// agents whose screens warn about it.
func (o *Observation) ContextShown() map[core.PaneID]int {
	used := map[core.PaneID]int{}
	for _, pane := range o.Snapshot.Panes() {
		if percent := o.tracker.ContextShown(pane); percent >= 0 {
			used[pane.ID] = percent
		}
	}
	return used
}

// Outline takes a snapshot in which no pane has a status. It reads no screen.
func (o *Observer) Outline(ctx context.Context, view View) (*Observation, error) {
	return o.observe(ctx, view.detail(), noSession, NewTracker(false))
}

// Select takes a snapshot in which only the selected panes have a status. It saves the captures
// of all other screens, which take most of the time of a snapshot.
func (o *Observer) Select(ctx context.Context, view View, selector resolve.Selector) (*Observation, error) {
	seen, err := o.observe(ctx, view.detail()|engine.WithActivity, noSession, NewTracker(false))
	if err != nil {
		return nil, err
	}
	if seen.Panes, err = selector(seen.Snapshot); err != nil {
		return nil, err
	}
	judge := judge{observer: o, tracker: seen.tracker, only: make(map[core.PaneID]bool, len(seen.Panes))}
	for _, pane := range seen.Panes {
		judge.only[pane.ID] = true
	}
	if len(seen.Panes) > 0 {
		err = judge.judge(ctx, seen.Snapshot, &engine.Change{Listing: seen.Listing})
	}
	return seen, err
}

// Observe takes a snapshot of everything, foreign sessions included. If the view names a session,
// only its panes get a status. Observe uses the screen cache that single calls share, and updates
// it.
func (o *Observer) Observe(ctx context.Context, view View) (*Observation, error) {
	tracker := NewTracker(false)
	files := o.opts.Dir.Found(ctx)
	tracker.cache = openScreenCache(files.Screens, o.rules())
	defer tracker.cache.reading.Wait()
	seen, err := o.observe(ctx, view.detail()|engine.WithActivity, view.Session, tracker)
	if err != nil {
		return nil, err
	}
	if err := tracker.cache.save(files, &seen.Listing, tracker); err != nil {
		o.opts.Log.Debug("what screens say cannot be kept for the next call", "error", err)
	}
	return seen, nil
}

// noSession is a session name that cannot exist. With it no pane is judged.
const noSession = "\x00"

// observe takes a snapshot. Where a session is named, only its panes get a status.
func (o *Observer) observe(ctx context.Context, detail engine.Detail, session string, tracker *Tracker) (*Observation,
	error,
) {
	taken := o.opts.Now()
	seen := &Observation{tracker: tracker}
	var err error
	seen.Listing, err = o.opts.Engine.List(ctx, detail)
	if errors.Is(err, engine.ErrNoServer) {
		seen.Listing, seen.Snapshot = engine.Listing{}, Empty(taken)
		return seen, nil
	}
	if err != nil {
		return nil, err
	}
	seen.Snapshot, err = o.snapshot(ctx, &engine.Change{Listing: seen.Listing}, tracker, session)
	if err == nil {
		o.ran.note(ctx, &seen.Listing, seen.Snapshot)
	}
	return seen, err
}

// Empty returns the snapshot of a server that does not run.
func Empty(taken time.Time) *core.Snapshot {
	return &core.Snapshot{Taken: taken, Sessions: []core.Session{}, Alerts: []core.Alert{}}
}

// Update takes the next snapshot of a series. It reads only what changed since the tracker's
// last snapshot.
func (o *Observer) Update(ctx context.Context, change *engine.Change, tracker *Tracker) (*core.Snapshot, error) {
	snapshot, err := o.snapshot(ctx, change, tracker, "")
	if err == nil {
		o.ran.noteSoon(ctx, &change.Listing, snapshot)
		o.shown.note(ctx, change, snapshot)
	}
	return snapshot, err
}

// snapshot turns a listing into core's values and judges every pane, or those of one session.
func (o *Observer) snapshot(ctx context.Context, change *engine.Change, tracker *Tracker,
	session string,
) (*core.Snapshot, error) {
	listing := &change.Listing
	snapshot := &core.Snapshot{Taken: listing.Taken, EngineUp: true, Alerts: []core.Alert{}}
	snapshot.Sessions = make([]core.Session, 0, len(listing.Sessions))
	panes := make(map[core.SessionID][]*engine.Pane, len(listing.Sessions))
	for i := range listing.Panes {
		pane := &listing.Panes[i]
		panes[pane.Session] = append(panes[pane.Session], pane)
	}
	unsure := false
	for _, session := range listing.Sessions {
		arranged, unknown := o.arrange(session, panes[session.ID])
		snapshot.Sessions, unsure = append(snapshot.Sessions, arranged), unsure || unknown
	}
	if unsure {
		confirmed, err := o.confirm(ctx, listing)
		if err != nil {
			return nil, err
		}
		for i := 0; confirmed && i < len(listing.Sessions); i++ {
			snapshot.Sessions[i], _ = o.arrange(listing.Sessions[i], panes[listing.Sessions[i].ID])
		}
	}
	slices.SortFunc(snapshot.Sessions, func(a, b core.Session) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), compareIDs(string(a.ID), string(b.ID)))
	})
	o.markLeads(snapshot, listing.Panes)
	judge := judge{observer: o, tracker: tracker, session: session}
	if err := judge.judge(ctx, snapshot, change); err != nil {
		return nil, err
	}
	return snapshot, nil
}

// arrange turns one session and its panes into core's values, in the order of
// the ordinals. It is unsure if a pane may hold an agent.
func (o *Observer) arrange(from engine.Session, panes []*engine.Pane) (session core.Session, unsure bool) {
	session = core.Session{
		ID:       from.ID,
		Name:     from.Name,
		Engine:   from.Engine,
		Created:  from.Created,
		Attached: from.Attached,
		Dir:      from.Dir,
		Foreign:  from.Tags[engine.TagOrigin] != panetag.OriginSpawn,
		NoRecord: from.Tags[engine.TagNoRecord] != "",
		Panes:    make([]core.Pane, 0, len(panes)),
	}
	slices.SortFunc(panes, func(a, b *engine.Pane) int { return compareIDs(string(a.ID), string(b.ID)) })
	ordinals := number(panes, NextOrdinal(from))
	processes := o.opts.Engine.Processes()
	for _, pane := range panes {
		agent, held, unknown := o.recognise(pane)
		unsure = unsure || unknown
		session.Panes = append(session.Panes, core.Pane{
			ID: pane.ID, Session: from.Name, Ordinal: ordinals[pane.ID], Window: pane.Window,
			Agent: agent, Process: AddExit(processes, held), Title: pane.Title, View: pane.View,
			Managed: managed(pane), Heard: pane.Heard.Heard,
		})
	}
	o.nameAgents(session.Panes)
	slices.SortFunc(session.Panes, func(a, b core.Pane) int { return cmp.Compare(a.Ordinal, b.Ordinal) })
	return session, unsure
}

// managed reports whether Cupola made or adopted a pane.
func managed(pane *engine.Pane) bool {
	return pane.Tags[engine.TagRole] != "" || pane.Tags[engine.TagKind] != ""
}

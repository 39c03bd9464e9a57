package lifecycle

import (
	"context"
	"errors"
	"slices"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/fleet/fault"
	"cupola/core/fleet/observe"
	"cupola/core/fleet/resolve"
)

// Kill ends a session or some panes of it, and then the processes of their agents that
// outlive the terminal, which may take some seconds. Worktrees of agents stay unless
// RemoveWorktrees is set.
func (l *Launcher) Kill(ctx context.Context, request KillRequest) (_ *Killed, err error) {
	defer func() { err = fault.Wrap("kill", err) }()
	if request.Leftovers {
		return l.Jobs.killLeftovers(ctx, &request)
	}
	seen, err := l.opts.Observer.Outline(ctx, observe.View{Dirs: true})
	if err != nil {
		return nil, err
	}
	snapshot := seen.Snapshot
	session, single, err := resolve.Locate(snapshot, request.Target.Session)
	if err != nil {
		return nil, err
	}
	panes, whole, err := panesToKill(l.opts.Resolver, snapshot, session, single, request.Target)
	if err != nil {
		return nil, err
	}
	if request.Agreed != nil && request.Agreed.Of != session.Identity() {
		return nil, replacedError(session.Name)
	}
	killed := &Killed{Of: session.Identity(), Panes: make([]core.SeenPane, 0, len(panes))}
	for _, pane := range panes {
		killed.Panes = append(killed.Panes, pane.Seen())
	}
	if whole {
		killed.Session = session.Name
	}
	trees, err := leftWorktrees(ctx, l.opts.Trees, snapshot, panes)
	if err != nil && request.RemoveWorktrees {
		return nil, err
	}
	running, kept := l.Jobs.processesOf(ctx, startedIn(panes)), l.Jobs.processesOf(ctx, usersIn(panes))
	if request.DryRun {
		killed.Background = busyInBackground(ctx, &l.opts, panes)
	}
	killed.Ending, killed.Left = running.Members, slices.Concat(running.Left, staying(kept))
	if err := killed.worktrees(ctx, trees, request.RemoveWorktrees); err != nil || request.DryRun {
		return killed, err
	}
	if whole {
		l.opts.Dir.ForgetSession(ctx, session)
	}
	if whole && len(snapshot.Sessions) == 1 {
		l.opts.Dir.NoteLast(ctx)
	}
	earlier, err := l.Jobs.leftoversBeside(ctx, snapshot, session.Name)
	if err != nil {
		l.opts.Log.Warn("list leftovers", "session", session.Name, "error", err)
	}
	if err := stillThere(ctx, l.opts.Engine, session); err != nil {
		return nil, err
	}
	if err := l.end(ctx, session.ID, panes, whole); err != nil {
		return nil, err
	}
	for _, pane := range panes {
		l.environs.forget(ctx, pane.ID)
	}
	// A kill that has started is finished, even if the caller gives up.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reapFor)
	defer cancel()
	killed.Reaped, killed.Left, err = reap(ctx, running)
	killed.Left = append(killed.Left, outliving(ctx, kept)...)
	if whole {
		killed.Left = append(killed.Left, leftEarlier(earlier)...)
	}
	if err == nil && request.RemoveWorktrees {
		killed.removeWorktrees(ctx, trees)
	}
	return killed, err
}

// panesToKill returns the panes to end, and whether the session ends with them.
func panesToKill(resolver *resolve.Resolver, snapshot *core.Snapshot, session *core.Session, single *core.Pane,
	target resolve.Target,
) ([]*core.Pane, bool, error) {
	if single == nil && !target.Narrowed() {
		target.All = true
	}
	panes, err := resolver.Resolve(snapshot, target)
	return panes, len(panes) == len(session.Panes), err
}

// stillThere returns Conflict if the session's id now belongs to another session: a server that replaces an ended one
// issues its ids again. A session that has ended by itself is no error.
func stillThere(ctx context.Context, eng engine.Engine, session *core.Session) error {
	listing, err := eng.List(ctx, engine.Brief)
	if errors.Is(err, engine.ErrNoServer) {
		return nil
	}
	if err != nil {
		return err
	}
	for i := range listing.Sessions {
		if now := &listing.Sessions[i]; now.ID == session.ID && !now.Created.Equal(session.Created) {
			return replacedError(session.Name)
		}
	}
	return nil
}

// replacedError reports that an act was planned for a session whose place another one has taken.
func replacedError(name string) error {
	err := core.Errorf(core.Conflict, "session %q ended meanwhile, and another one took its place: it was left alone",
		name)
	err.Remedies = []core.Remedy{core.RemedyListSessions}
	return err
}

// end closes panes. One that closed by itself meanwhile counts as ended.
func (l *Launcher) end(ctx context.Context, session core.SessionID, panes []*core.Pane, whole bool) error {
	if whole {
		err := l.opts.Engine.KillSession(ctx, session)
		if errors.Is(err, engine.ErrNoSession) || errors.Is(err, engine.ErrNoServer) {
			return nil
		}
		return err
	}
	for _, pane := range panes {
		err := l.opts.Engine.KillPane(ctx, pane.ID)
		if err != nil && !errors.Is(err, engine.ErrNoPane) && !errors.Is(err, engine.ErrNoServer) {
			return err
		}
	}
	return nil
}

// busyInBackground returns the agents among panes whose turn has ended while something that they started runs on. A
// failed observation returns none, so that it does not prevent the kill.
func busyInBackground(ctx context.Context, o *Options, panes []*core.Pane) []core.PaneRef {
	seen, err := o.Observer.Select(ctx, observe.View{}, func(s *core.Snapshot) (judged []*core.Pane, _ error) {
		for _, pane := range panes {
			if now := s.Pane(pane.ID); now != nil && now.IsAgent() {
				judged = append(judged, now)
			}
		}
		return judged, nil
	})
	if err != nil {
		o.Log.Debug("whether agents have work in the background is not known", "error", err)
		return nil
	}
	var busy []core.PaneRef
	for _, pane := range seen.Panes {
		if pane.Status.Has(core.NoteBackground) {
			busy = append(busy, pane.Ref())
		}
	}
	return busy
}

package fleet

import (
	"context"
	"errors"
	"os"
	"time"

	"cupola/core"
	"cupola/core/engine"
	"cupola/core/textfile"
)

// Kill ends a session or some panes of it, and then those processes of their
// agents that outlive the terminal. It may take some seconds where one does. Worktrees
// of agents stay unless they are to be removed.
func (f *Fleet) Kill(ctx context.Context, request KillRequest) (_ *Killed, err error) {
	defer func() { err = translate("kill", err) }()
	_, snapshot, err := f.takeOf(ctx, View{Dirs: true}.detail(), nobodys, newMemory(false))
	if err != nil {
		return nil, err
	}
	session, single, err := place(snapshot, request.Target.Session)
	if err != nil {
		return nil, err
	}
	panes, whole, err := f.doomed(snapshot, session, single, request.Target)
	if err != nil {
		return nil, err
	}
	killed := &Killed{Panes: make([]SeenPane, 0, len(panes))}
	for _, pane := range panes {
		killed.Panes = append(killed.Panes, seenPane(pane))
	}
	if whole {
		killed.Session = session.Name
	}
	trees, err := leftBy(ctx, f.environ, snapshot, panes)
	if err != nil && request.RemoveWorktrees {
		return nil, err
	}
	if err := killed.worktrees(ctx, trees, request.RemoveWorktrees); err != nil || request.DryRun {
		return killed, err
	}
	if whole && len(snapshot.Sessions) == 1 {
		f.noteLast(ctx)
	}
	running := processesOf(panes)
	if err := f.end(ctx, session.ID, panes, whole); err != nil {
		return nil, err
	}
	killed.Reaped, err = reap(ctx, running)
	if err == nil && request.RemoveWorktrees {
		killed.removeWorktrees(ctx, trees)
	}
	return killed, err
}

// noteLast leaves a note for keepers that the server will end because its last
// session is killed on purpose. Where nobody ever kept the picture, none is left.
func (o *observer) noteLast(ctx context.Context) {
	info, err := o.server(ctx)
	if err != nil {
		return
	}
	s := seatOf(o.runtime, info)
	if _, err := os.Stat(s.record); s.none() || err != nil {
		return
	}
	if err := textfile.Put(s.ended, nil); err != nil {
		o.log.Warn("the end of the last session could not be noted", "error", err)
	}
}

// killTakes is how long the server may live after its last session was sent to its
// end, and be seen.
const killTakes = 5 * time.Second

// endedAfter reports whether such a note was left after a moment at which the
// server was there, or so shortly before that the kill was under way.
func (s seat) endedAfter(moment time.Time) bool {
	info, err := os.Stat(s.ended)
	return err == nil && info.ModTime().After(moment.Add(-killTakes))
}

// doomed returns the panes that are to end, and whether the session ends with
// them.
func (o *observer) doomed(snapshot *core.Snapshot, session *core.Session, single *core.Pane, target Target) ([]*core.Pane, bool, error) {
	if single == nil && !target.narrowed() {
		target.All = true
	}
	panes, err := o.resolve(snapshot, target)
	return panes, len(panes) == len(session.Panes), err
}

// end takes panes away. One that went by itself meanwhile is none the less
// ended.
func (o *observer) end(ctx context.Context, session core.SessionID, panes []*core.Pane, whole bool) error {
	if whole {
		err := o.engine.KillSession(ctx, session)
		if errors.Is(err, engine.ErrNoSession) || errors.Is(err, engine.ErrNoServer) {
			return nil
		}
		return err
	}
	for _, pane := range panes {
		err := o.engine.KillPane(ctx, pane.ID)
		if err != nil && !errors.Is(err, engine.ErrNoPane) && !errors.Is(err, engine.ErrNoServer) {
			return err
		}
	}
	return nil
}

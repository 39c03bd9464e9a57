package loop

import (
	"context"

	"cupola/core"
	"cupola/core/run/story"
	"cupola/core/run/story/agentsession"
)

// openSession gives the agent that works on a story a session in which it can report. Work items and issues have none:
// their tasks are in no list of the repository.
func (w *work) openSession(ctx context.Context, change *story.Change) error {
	sessions := w.run.loop.Sessions
	if sessions == nil || !w.rec.Source.InRepository() {
		return nil
	}
	if w.session == "" {
		var err error
		if w.session, err = w.ownSession(change); err != nil {
			return err
		}
	}
	if w.session != "" {
		err := sessions.SetStory(ctx, w.session, w.p.ID)
		if !core.AsError(err).HasCode(core.NotFound) {
			return err
		}
	}
	s, _, err := sessions.Create(ctx, agentsession.Request{
		Change: change, Dir: w.tree.root, Story: w.p.ID, Run: w.rec.ID, Verify: w.rec.Verify,
		VerifyFrom: w.rec.VerifyFrom,
	})
	if err != nil {
		return err
	}
	w.session = s.ID
	return nil
}

// ownSession is the session that this process made for the worktree before; empty if there is none.
func (w *work) ownSession(change *story.Change) (string, error) {
	self, err := agentsession.Self()
	if err != nil {
		return "", err
	}
	all, err := w.run.loop.Sessions.All()
	if err != nil {
		return "", err
	}
	for i := range all {
		if all[i].IsOf(change) && all[i].Owner == self {
			return all[i].ID, nil
		}
	}
	return "", nil
}

// reported returns what the agent has learned, as far as it said so in its session, and forgets it there.
func (w *work) reported(ctx context.Context) (learned []story.Learning, err error) {
	if w.session == "" {
		return nil, nil
	}
	_, err = w.run.loop.Sessions.Drain(ctx, w.session, func(all []story.Learning) error {
		learned = all
		return nil
	})
	if core.AsError(err).HasCode(core.NotFound) {
		return nil, nil // it was removed
	}
	return learned, err
}

// closeSessions ends the sessions of the run's worktrees, and returns the events of what is learned in them. Those of
// a process that was killed are taken over by the next one. The caller holds the lock of the record.
func (r *execution) closeSessions(ctx context.Context) (events []story.Event) {
	sessions := r.loop.Sessions
	if sessions == nil {
		return nil
	}
	self, err := agentsession.Self()
	if err != nil {
		return nil
	}
	all, err := sessions.All()
	if err != nil {
		return nil
	}
	for i := range all {
		if all[i].Owner != self || all[i].Run != r.rec.ID {
			continue
		}
		_, err := sessions.Close(ctx, all[i].ID, func(learned []story.Learning) error {
			events = append(events, r.rec.learn(learned)...)
			return nil
		})
		if err != nil && r.loop.Log != nil {
			r.loop.Log.Warn("the agents' session of a run stays", "run", r.rec.ID, "error", err)
		}
	}
	return events
}

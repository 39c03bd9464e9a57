package loop

import (
	"context"

	"cupola/core/story"
	"cupola/core/story/agentsession"
)

// seat gives the agent that works on a story a session in which it can report. Work items and issues have none: their
// tasks are in no file of their own.
func (w *work) seat(ctx context.Context, change *story.Change) error {
	if w.run.loop.Sessions == nil || w.run.Source != story.OpenSpec && w.run.Source != story.Tasks {
		return nil
	}
	if w.session != "" {
		return w.run.loop.Sessions.SetStory(ctx, w.session, w.p.ID)
	}
	s, err := w.seated(change)
	if err != nil {
		return err
	}
	if s == nil {
		s, _, err = w.run.loop.Sessions.Create(ctx, agentsession.Request{
			Change: change, Dir: w.tree.root, Story: w.p.ID, Verify: w.run.Verify, VerifyFrom: w.run.VerifyFrom,
		})
		if err != nil {
			return err
		}
	}
	w.session = s.ID
	return w.run.loop.Sessions.SetStory(ctx, s.ID, w.p.ID)
}

// seated is the session that this process made for the worktree before; nil if there is none.
func (w *work) seated(change *story.Change) (*agentsession.Session, error) {
	self, err := agentsession.Self()
	if err != nil {
		return nil, err
	}
	all, err := w.run.loop.Sessions.All()
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].IsOf(change) && all[i].Owner == self {
			return &all[i], nil
		}
	}
	return nil, nil
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
	return learned, err
}

// leaveSeats ends the sessions of the run's worktrees. Those of a process that was killed are taken over by the next
// one. The caller holds the lock of the run.
func (r *run) leaveSeats(ctx context.Context) {
	if r.loop.Sessions == nil {
		return
	}
	self, err := agentsession.Self()
	if err != nil {
		return
	}
	all, err := r.loop.Sessions.All()
	if err != nil {
		return
	}
	for i := range all {
		if all[i].Owner != self {
			continue
		}
		_, err := r.loop.Sessions.Close(ctx, all[i].ID, func(learned []story.Learning) error {
			r.Learnings = append(r.Learnings, learned...)
			return nil
		})
		if err != nil && r.loop.Log != nil {
			r.loop.Log.Warn("the agents' session of a run stays", "run", r.ID, "error", err)
		}
	}
}

// Package schedule runs an act for panes once it is due there, for each pane one at a time. The acts and their
// occasions belong to others.
package schedule

import (
	"context"
	"sync"
	"time"

	"cupola/core"
)

// Act acts on a pane. It returns when to act there again if the occasion is still the same; zero for never.
type Act func(ctx context.Context, pane core.PaneID) (again time.Time)

// Occasion is a reason to act on a pane.
type Occasion struct {
	// At is from when on it is due; zero is now.
	At time.Time
	// Of distinguishes the occasion from the next; it must be comparable. There is one act for one that stays the same.
	// Nil makes each a new one.
	Of any
}

// Schedule holds the panes with an occasion to act. Its methods may be called concurrently.
type Schedule struct {
	now func() time.Time
	act Act
	// wake signals that an occasion has changed.
	wake chan struct{}

	mu    sync.Mutex
	tasks map[core.PaneID]*task
}

// task is the occasion of one pane, and its act.
type task struct {
	occasion Occasion
	// due is when the next act is due, if pending; busy is true while one runs.
	due           time.Time
	pending, busy bool
}

// New returns a schedule for an act.
func New(now func() time.Time, act Act) *Schedule {
	return &Schedule{now: now, act: act, wake: make(chan struct{}, 1), tasks: map[core.PaneID]*task{}}
}

// Set replaces the occasions. Acts that run are not ended.
func (s *Schedule) Set(occasions map[core.PaneID]Occasion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, t := range s.tasks {
		if _, still := occasions[id]; still {
			continue
		}
		if t.pending, t.occasion = false, (Occasion{}); !t.busy {
			delete(s.tasks, id)
		}
	}
	for id, occasion := range occasions {
		t := s.tasks[id]
		if t == nil {
			t = &task{}
			s.tasks[id] = t
		}
		if occasion.Of == nil || t.occasion.Of != occasion.Of {
			t.occasion, t.due, t.pending = occasion, occasion.At, true
		}
	}
	s.wakeUp()
}

func (s *Schedule) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run acts until ctx ends, and then waits for the acts that run.
func (s *Schedule) Run(ctx context.Context) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var acts sync.WaitGroup
	defer acts.Wait()
	for {
		select {
		case <-s.wake:
		case <-timer.C:
		case <-ctx.Done():
			return
		}
		ready, next := s.take()
		for _, id := range ready {
			acts.Go(func() { s.end(id, s.act(ctx, id)) })
		}
		if !next.IsZero() {
			timer.Reset(max(0, next.Sub(s.now())))
		}
	}
}

// take returns the panes with something to do now, which are busy until end, and when the next one is due; zero for
// none.
func (s *Schedule) take() (ready []core.PaneID, next time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for id, t := range s.tasks {
		switch {
		case !t.pending || t.busy:
		case t.due.After(now):
			next = core.Earlier(next, t.due)
		default:
			t.pending, t.busy = false, true
			ready = append(ready, id)
		}
	}
	return ready, next
}

// end notes that the act at a pane has ended, and when the next one is due there; zero for none.
func (s *Schedule) end(id core.PaneID, again time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tasks[id]
	t.busy = false
	if !again.IsZero() && !t.pending {
		t.due, t.pending = again, true
	}
	s.wakeUp()
}

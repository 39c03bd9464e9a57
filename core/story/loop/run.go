package loop

import (
	"context"
	"slices"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/secret"
	"cupola/core/story"
)

// pauseEvery is how often a run that is paused looks whether it is to go on.
const pauseEvery = 250 * time.Millisecond

// run is a run while this process works on it. All of Run is guarded by mu while agents work.
type run struct {
	*story.Run
	loop    *Loop
	journal *journal
	emit    func(story.Event)
	began   time.Time
	// before counts the tries of earlier runs; forgiven those of each story that failed in them.
	before   int
	forgiven map[string]int
	// idle counts the tries in a row that changed nothing.
	idle int
	// main is the worktree of the run.
	main *tree
	// working are the stories that are worked on.
	working map[string]bool

	mu sync.Mutex
	// merging is held by who changes the worktree of a run whose stories have their own.
	merging sync.Mutex
}

// note records events at once with the state of the run.
func (r *run) note(events ...story.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.record(events...)
}

// record is note for those that hold the lock.
func (r *run) record(events ...story.Event) error {
	if err := r.save(); err != nil {
		return err
	}
	for i := range events {
		if err := r.write(events[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) save() error { return r.loop.Book.files().Save(r.Run) }

func (r *run) write(event story.Event) error {
	event.Run, event.At = r.ID, r.loop.Now().UTC()
	event.Text, event.Output = secret.Mask(event.Text), secret.Mask(event.Output)
	if err := r.journal.write(&event); err != nil {
		return err
	}
	if r.emit != nil {
		r.emit(event)
	}
	return nil
}

// change changes the last try of a story, and records what the function returns, with the story and the try.
func (r *run) change(p *story.Progress, apply func(*story.Try) []story.Event) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := apply(p.Last())
	for i := range events {
		events[i].Story = p.ID
		if last := p.Last(); last != nil {
			events[i].Try = last.N
		}
	}
	return r.record(events...)
}

// step says what is done about a story now.
func (r *run) step(p *story.Progress, step story.Step) error {
	return r.change(p, func(*story.Try) []story.Event {
		p.State = step
		return nil
	})
}

// result is what became of a story: the reason why the run has to end, if it has to.
type result struct {
	id     string
	reason story.Reason
	err    error
}

// ends reports whether the run has to end.
func (r *result) ends() bool { return r.reason != "" || r.err != nil }

// conduct works through the stories.
func (r *run) conduct(ctx context.Context) (story.Reason, error) {
	if err := r.prepare(ctx); err != nil {
		return story.Error, err
	}
	results := make(chan result)
	r.working = map[string]bool{}
	var over result
	for {
		if !over.ends() {
			over.reason = r.limit(ctx)
		}
		for !over.ends() && len(r.working) < r.Limits.Parallel {
			if over.err = r.pause(ctx); over.ends() || ctx.Err() != nil {
				break
			}
			p := r.next()
			if p == nil {
				break
			}
			go func() {
				reason, err := r.story(ctx, p)
				results <- result{p.ID, reason, err}
			}()
		}
		if len(r.working) == 0 {
			break
		}
		done := <-results
		r.mu.Lock()
		delete(r.working, done.id)
		r.mu.Unlock()
		if !over.ends() {
			over = done
		}
	}
	switch done, all := r.Counts(); {
	case done == all:
		return story.AllDone, r.finish(ctx)
	case over.ends():
		return over.reason, over.err
	}
	return story.Blocked, nil
}

// next is the first story that can be worked on, which is at work then; nil if there is none now.
func (r *run) next() *story.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.Stories {
		p := &r.Stories[i]
		if p.State == story.Done || r.working[p.ID] {
			continue
		}
		if !slices.ContainsFunc(p.After, func(id string) bool {
			before := r.Story(id)
			return before != nil && before.State != story.Done
		}) {
			r.working[p.ID] = true
			return p
		}
	}
	return nil
}

// turn waits until no story is worked on that comes before another one, so that stories are merged in their order.
func (r *run) turn(ctx context.Context, p *story.Progress) error {
	for {
		r.mu.Lock()
		first := ""
		for i := range r.Stories {
			if id := r.Stories[i].ID; r.working[id] {
				first = id
				break
			}
		}
		r.mu.Unlock()
		if first == p.ID {
			return nil
		}
		if err := core.Sleep(ctx, turnEvery); err != nil {
			return err
		}
	}
}

// turnEvery is how often a story that waits for its turn looks whether it has come.
const turnEvery = 50 * time.Millisecond

// limit is the limit that the run has reached; empty if none.
func (r *run) limit(ctx context.Context) story.Reason {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return story.StoppedBy
	case r.CostUSD >= r.Limits.BudgetUSD:
		return story.Budget
	case r.Iterations-r.before >= r.Limits.MaxIterations:
		return story.MaxIterations
	case r.idle >= r.Limits.NoProgress:
		return story.NoProgress
	}
	return ""
}

// pause waits while the run is asked to pause.
func (r *run) pause(ctx context.Context) error {
	if !r.loop.Book.Paused(r.ID) {
		return nil
	}
	said := false
	for r.loop.Book.Paused(r.ID) {
		// Others may still work.
		if !said {
			r.mu.Lock()
			r.State = story.Paused
			err := r.record(story.Event{Type: story.Pause})
			r.mu.Unlock()
			if err != nil {
				return err
			}
			said = true
		}
		if err := core.Sleep(ctx, pauseEvery); err != nil {
			return nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.State = story.Running
	return r.record(story.Event{Type: story.Resume})
}

package keeper

import (
	"context"
	"slices"
	"sync"
	"time"

	"cupola/core"
)

// polled is a list of facts from outside of the engine, for which a keeper asks now and then.
type polled[T comparable] struct {
	// ask returns the list; nil if there is nothing to ask for. Every is how often it is called, and
	// unknown says in the log that it failed.
	ask     func(context.Context) ([]T, error)
	every   time.Duration
	unknown string
	// wake asks for the list at once; it has a capacity of one.
	wake chan struct{}

	mu   sync.Mutex
	list []T
}

// leastPause is the least time between two polls.
const leastPause = 100 * time.Millisecond

// watch polls the list until ctx ends, and nudges the keeper when it changes.
func (p *polled[T]) watch(ctx context.Context, k *keeper) {
	if p.ask == nil {
		return
	}
	for ctx.Err() == nil {
		list, err := p.ask(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			k.log.Warn(p.unknown, "error", err)
		case p.set(list):
			wakeUp(k.nudges)
		}
		select {
		case <-time.After(p.every):
		case <-p.wake:
			_ = core.Sleep(ctx, leastPause) // several changes are often reported one after the other
		case <-ctx.Done():
		}
	}
}

// set replaces the list, and reports whether it changed.
func (p *polled[T]) set(list []T) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	news := !slices.Equal(p.list, list)
	p.list = list
	return news
}

// last returns the list that was polled last.
func (p *polled[T]) last() []T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.list
}

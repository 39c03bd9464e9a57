package run

import (
	"sync"
	"time"
)

// ringEvery is the least time between two rings of a bell.
const ringEvery = 100 * time.Millisecond

// bell calls ring soon after each call, but at most every ringEvery. It is safe for concurrent use.
type bell struct {
	ring func()

	mu   sync.Mutex
	last time.Time
	// due rings later; nil if nothing is put off.
	due *time.Timer
	// ringing are the rings that have not returned.
	ringing sync.WaitGroup
}

func (b *bell) call() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.due != nil {
		return
	}
	b.ringing.Add(1)
	b.due = time.AfterFunc(max(0, ringEvery-time.Since(b.last)), b.now)
}

// now rings.
func (b *bell) now() {
	defer b.ringing.Done()
	b.mu.Lock()
	b.due, b.last = nil, time.Now()
	b.mu.Unlock()
	b.ring()
}

// flush rings at once if that was put off, and returns when all rings have.
func (b *bell) flush() {
	b.mu.Lock()
	due := b.due
	b.mu.Unlock()
	if due != nil && due.Stop() {
		b.now()
	}
	b.ringing.Wait()
}

package acp

import "sync"

// mostUnread is how many events may wait for their reader before the agent's output is no longer read.
const mostUnread = 4096

// feed passes events to a function in order, on a goroutine of its own: the function may call the client.
type feed struct {
	mu      sync.Mutex
	changed *sync.Cond
	events  []Event
	closed  bool
	done    chan struct{}
}

func newFeed(on func(Event)) *feed {
	f := &feed{done: make(chan struct{})}
	f.changed = sync.NewCond(&f.mu)
	go f.run(on)
	return f
}

func (f *feed) add(event Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.events = append(f.events, event)
		f.changed.Broadcast()
	}
}

// wait waits until the reader has caught up.
func (f *feed) wait() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.events) >= mostUnread && !f.closed {
		f.changed.Wait()
	}
}

// close ends the feed once all events have been passed.
func (f *feed) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.changed.Broadcast()
}

func (f *feed) run(on func(Event)) {
	defer close(f.done)
	for {
		f.mu.Lock()
		for len(f.events) == 0 && !f.closed {
			f.changed.Wait()
		}
		events := f.events
		f.events = nil
		f.changed.Broadcast()
		f.mu.Unlock()
		if len(events) == 0 {
			return
		}
		for i := range events {
			on(events[i])
		}
	}
}

package keeper

import "cupola/core"

// ringSize is how many events are kept for returning readers.
const ringSize = 4096

// ring holds the newest events, without a gap. The zero value is empty.
type ring struct {
	events []core.Event
	oldest int
}

func (r *ring) add(e core.Event) {
	if len(r.events) < ringSize {
		r.events = append(r.events, e)
		return
	}
	r.events[r.oldest] = e
	r.oldest = (r.oldest + 1) % ringSize
}

// newest returns a copy of the last n events; n is at most len.
func (r *ring) newest(n int) []core.Event {
	events := make([]core.Event, 0, n)
	for i := len(r.events) - n; i < len(r.events); i++ {
		events = append(events, r.events[(r.oldest+i)%len(r.events)])
	}
	return events
}

func (r *ring) len() int { return len(r.events) }

func (r *ring) clear() { r.events, r.oldest = nil, 0 }

package keeper

import (
	"context"
	"testing"
	"time"

	"cupola/core"
)

// reader reads a subscription in a test.
type reader struct {
	*Subscription
	t    testing.TB
	stop context.CancelFunc
}

// subscribed subscribes; the subscription is over before the test is.
func subscribed(t testing.TB, f *Streams, interest Interest) *reader {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s, err := f.Subscribe(ctx, interest)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	r := &reader{s, t, stop}
	t.Cleanup(r.end)
	return r
}

// end ends the subscription and waits until it is over.
func (r *reader) end() {
	r.stop()
	for range r.Events {
	}
}

// next returns the next event.
func (r *reader) next() core.Event {
	r.t.Helper()
	select {
	case e, open := <-r.Events:
		if !open {
			r.t.Fatalf("the stream ended: %v", r.Err())
		}
		return e
	case <-time.After(testTimeout):
		r.t.Fatal("no event came")
	}
	return core.Event{}
}

// until reads up to the first event of a type, and returns all.
func (r *reader) until(last core.EventType) []core.Event {
	r.t.Helper()
	var events []core.Event
	for {
		e := r.next()
		events = append(events, e)
		if e.Type == last {
			return events
		}
	}
}

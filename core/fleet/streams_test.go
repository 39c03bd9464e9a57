package fleet_test

import (
	"context"
	"testing"
	"time"

	"cupola/core"
	"cupola/core/fleet"
	"cupola/core/fleet/keeper"
)

// reader reads a subscription.
type reader struct {
	*keeper.Subscription
	t    testing.TB
	stop context.CancelFunc
}

// subscribed subscribes; the subscription is over before the test is.
func subscribed(t testing.TB, f *fleet.Fleet, interest keeper.Interest) *reader {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s, err := f.Streams.Subscribe(ctx, interest)
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

// states reads events until an agent comes into a state, and returns the states
// that the events on the way led from and to.
func (r *reader) states(last core.State) (passed []string, final core.Event) {
	r.t.Helper()
	for {
		e := r.next()
		if e.Type != core.StateChanged || e.From == e.To {
			continue
		}
		passed = append(passed, e.From+">"+e.To)
		if e.To == string(last) {
			return passed, e
		}
	}
}

// display reads a Live.
type display struct {
	*keeper.Live
	t    testing.TB
	stop context.CancelFunc
}

// displayed returns a display that is over before the test is.
func displayed(t testing.TB, f *fleet.Fleet) *display {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	l, err := f.Streams.Live(ctx, false)
	if err != nil {
		stop()
		t.Fatal(err)
	}
	d := &display{l, t, stop}
	t.Cleanup(d.end)
	return d
}

// end ends the display and waits until it is over.
func (d *display) end() {
	d.stop()
	for range d.Frames {
	}
}

// next returns the next frame.
func (d *display) next() keeper.Frame {
	d.t.Helper()
	select {
	case f, open := <-d.Frames:
		if !open {
			d.t.Fatalf("the frames ended: %v", d.Err())
		}
		return f
	case <-time.After(testTimeout):
		d.t.Fatal("no frame came")
	}
	return keeper.Frame{}
}

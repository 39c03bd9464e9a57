package relays

import (
	"context"
	"strings"
	"sync"
	"time"

	"cupola/core"
	"cupola/core/run/relay"
	"cupola/core/run/relay/stream"
	"cupola/core/text/report"
)

// relayWaiting reports what backends do while a caller waits for their answers. It is safe for
// concurrent use.
type relayWaiting struct {
	report core.ProgressFunc
	human  bool
	now    func() time.Time

	mu       sync.Mutex
	backends []*awaited
}

// awaited is one backend that is waited for.
type awaited struct {
	name, state  string
	tokens       int64
	began, ended time.Time
}

// The states of a backend that is waited for, besides the tool that it uses.
const (
	awaitedThinks = "thinking"
	awaitedWrites = "writing"
	awaitedDone   = "done"
	awaitedFailed = "failed"
)

// waiting reports what backends do until the function that it returns is called.
func (c *Call) waiting(ctx context.Context, names ...string) (w *relayWaiting, end func()) {
	w = &relayWaiting{report: c.Env.Progress, human: c.Env.Human, now: c.Env.Now}
	for _, name := range names {
		w.backends = append(w.backends, &awaited{name: name, state: awaitedThinks, began: w.now()})
	}
	if w.report == nil {
		return w, func() {}
	}
	if !w.human {
		// Programs hear once that it keeps running; the reporter repeats that.
		w.report.Report("relay", -1, "%s: no answer yet", strings.Join(names, ", "))
		return w, func() {}
	}
	w.show()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				w.show()
			case <-ctx.Done():
				return
			}
		}
	}()
	return w, func() {
		cancel()
		<-ended
		w.mu.Lock()
		defer w.mu.Unlock()
		w.report = nil
	}
}

// heard takes an event of a backend.
func (w *relayWaiting) heard(name string, event relay.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, b := range w.backends {
		if b.name == name {
			b.take(event, w.now())
		}
	}
}

func (b *awaited) take(event relay.Event, now time.Time) {
	if event.Usage != nil {
		b.tokens = event.Usage.Total()
	}
	switch event.Type {
	case stream.Text:
		b.state = awaitedWrites
	case stream.Done:
		b.state, b.ended = awaitedDone, now
	case stream.Call:
		b.state = event.Tool + " " + event.Status
	case stream.Failed:
		b.state, b.ended = awaitedFailed, now
	default:
		if event.Tool != "" {
			b.state = "uses " + event.Tool
		}
	}
}

// show reports the state of every backend to a person.
func (w *relayWaiting) show() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.report == nil {
		return
	}
	parts := core.Map(w.backends, func(b *awaited) string { return b.String(w.now()) })
	w.report.Report("relay", -1, "%s", strings.Join(parts, " | "))
}

// String says what a backend does, for how long, and what it used.
func (b *awaited) String(now time.Time) string {
	if !b.ended.IsZero() {
		now = b.ended
	}
	text := b.name + " " + b.state + " " + max(0, now.Sub(b.began)).Round(time.Second).String()
	if b.tokens > 0 {
		text += ", " + report.Grouped(b.tokens) + " tokens"
	}
	return text
}

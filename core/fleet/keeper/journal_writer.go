package keeper

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"cupola/core"
)

const (
	// journalTimeout limits one write to the journal.
	journalTimeout = 10 * time.Second
	// journalRetry is the delay before a failed write is retried, unless new records arrive earlier.
	journalRetry = 5 * time.Second
	// journalQueueMax is how many events are queued for a failing journal; the oldest are dropped.
	journalQueueMax = ringSize
)

// journalWriter writes a keeper's events and alerts to the journal asynchronously and in batches, so that a
// slow disk delays no event.
type journalWriter struct {
	journal Journal
	log     *slog.Logger
	// wake signals queued records.
	wake chan struct{}

	mu     sync.Mutex
	events []core.Event
	// alerts holds the newest alert of each id.
	alerts map[string]core.Alert
}

func newJournalWriter(journal Journal, log *slog.Logger) *journalWriter {
	return &journalWriter{journal: journal, log: log, wake: make(chan struct{}, 1), alerts: map[string]core.Alert{}}
}

// note queues events numbered after a revision, and alerts. Without a journal it drops them.
func (c *journalWriter) note(after core.Revision, events []core.Event, alerts []core.Alert) {
	if c.journal == nil || len(events)+len(alerts) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, e := range events {
		e.Revision = after + core.Revision(i) + 1
		c.events = append(c.events, e)
	}
	for _, alert := range alerts {
		c.alerts[alert.ID] = alert
	}
	c.trim()
	wakeUp(c.wake)
}

// run writes until ctx ends, and then what is left.
func (c *journalWriter) run(ctx context.Context) {
	again := time.NewTimer(0)
	again.Stop()
	defer again.Stop()
	for {
		select {
		case <-c.wake:
		case <-again.C:
		case <-ctx.Done():
			withGrace(ctx, func(ctx context.Context) { c.flush(ctx) })
			return
		}
		if !c.flush(ctx) {
			again.Reset(journalRetry)
		}
	}
}

// flush writes the queue and reports whether that succeeded; failed records stay queued.
func (c *journalWriter) flush(ctx context.Context) bool {
	c.mu.Lock()
	events, alerts := c.events, c.alerts
	c.events, c.alerts = nil, map[string]core.Alert{}
	c.mu.Unlock()
	ctx, stop := context.WithTimeout(ctx, journalTimeout)
	defer stop()
	ok := true
	if len(events) > 0 {
		if err := c.journal.Happened(ctx, events); err != nil {
			c.log.Warn("events could not be recorded", "count", len(events), "error", err)
			ok = false
		} else {
			events = nil
		}
	}
	if len(alerts) > 0 {
		list := make([]core.Alert, 0, len(alerts))
		for _, alert := range alerts {
			list = append(list, alert)
		}
		if err := c.journal.SaveAlerts(ctx, list); err != nil {
			c.log.Warn("alerts could not be recorded", "count", len(list), "error", err)
			ok = false
		} else {
			alerts = nil
		}
	}
	c.giveBack(events, alerts)
	return ok
}

// giveBack queues failed records before those that arrived meanwhile.
func (c *journalWriter) giveBack(events []core.Event, alerts map[string]core.Alert) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events = slices.Concat(events, c.events)
	for id, alert := range alerts {
		if _, newer := c.alerts[id]; !newer {
			c.alerts[id] = alert
		}
	}
	c.trim()
}

// trim drops the oldest events over the limit; the caller holds the lock.
func (c *journalWriter) trim() {
	if over := len(c.events) - journalQueueMax; over > 0 {
		c.log.Warn("events are given up, since the journal takes none", "count", over)
		c.events = slices.Clone(c.events[over:])
	}
}

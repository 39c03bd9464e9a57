package keeper

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// relaysEvery is how often a keeper asks which relays failed: one stat and one directory each.
const relaysEvery = 2 * time.Second

// watchRelays updates the failed relays until ctx ends.
func (k *keeper) watchRelays(ctx context.Context) {
	if k.alerts.failed == nil {
		return
	}
	for ctx.Err() == nil {
		if k.alerts.relay(k.alerts.failed()) {
			wakeUp(k.nudges)
		}
		_ = core.Sleep(ctx, relaysEvery)
	}
}

// relay sets the failed relays, and reports whether they changed.
func (w *alertTracker) relay(failed []alert.Relay) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := !slices.Equal(w.relays, failed)
	w.relays = failed
	return news
}

func (w *alertTracker) failedRelays() []alert.Relay {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.relays
}

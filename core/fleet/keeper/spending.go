package keeper

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// spendingEvery is how often a keeper polls the spending.
const spendingEvery = 30 * time.Second

// watchSpending updates the spending until ctx ends.
func (k *keeper) watchSpending(ctx context.Context) {
	if k.alerts.asks == nil {
		return
	}
	for ctx.Err() == nil {
		spends, err := k.alerts.asks(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			k.log.Warn("what was spent is not known", "error", err)
		case k.alerts.spend(spends):
			wakeUp(k.nudges)
		}
		_ = core.Sleep(ctx, spendingEvery)
	}
}

// spend sets the spending, and reports whether it changed.
func (w *alertTracker) spend(spends []alert.Spend) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := !slices.Equal(w.spent, spends)
	w.spent = spends
	return news
}

func (w *alertTracker) spending() []alert.Spend {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spent
}

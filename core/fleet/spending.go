package fleet

import (
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/alert"
)

// spendingEvery is how often a keeper asks what was spent.
const spendingEvery = 30 * time.Second

// maySpend returns BudgetExceeded where a prompt to agents would go over a ceiling.
// User panes cost nothing.
func (f *Fleet) maySpend(ctx context.Context, request *SendRequest, panes []*core.Pane) error {
	if f.afford == nil || request.OverrideBudget {
		return nil
	}
	var sessions []string
	for _, pane := range panes {
		if pane.IsAgent() && !slices.Contains(sessions, pane.Session) {
			sessions = append(sessions, pane.Session)
		}
	}
	if len(sessions) == 0 {
		return nil
	}
	return f.afford(ctx, sessions)
}

// passed returns the ceilings that are known to be passed. What is not known
// leaves the picture as it is.
func (f *lookout) passed(ctx context.Context) []alert.Spend {
	if f.spent == nil {
		return nil
	}
	spends, err := f.spent(ctx)
	if err != nil {
		f.log.Debug("which ceilings are passed is not known", "error", err)
	}
	return spends
}

// watchSpending tells the warden what was spent, until ctx ends.
func (k *keeper) watchSpending(ctx context.Context) {
	if k.warden.asks == nil {
		return
	}
	for ctx.Err() == nil {
		spends, err := k.warden.asks(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			k.log.Warn("what was spent is not known", "error", err)
		case k.warden.spend(spends):
			poke(k.nudges)
		}
		pause(ctx, spendingEvery)
	}
}

// spend takes in what was spent, and reports whether that is news.
func (w *warden) spend(spends []alert.Spend) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	news := !slices.Equal(w.spent, spends)
	w.spent = spends
	return news
}

func (w *warden) spending() []alert.Spend {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.spent
}

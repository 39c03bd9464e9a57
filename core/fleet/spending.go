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

// grant is the permission to type a prompt, which maySpend gives. A delivery to an
// agent without one asks for itself, so that no way in goes around the ceilings.
type grant bool

// maySpend asks whether a prompt may go to agents of some sessions, which need not
// exist yet. It returns BudgetExceeded, or an error of the store where ceilings are
// known to exist and cannot be read.
func (f *Fleet) maySpend(ctx context.Context, override bool, sessions []string) (grant, error) {
	if f.afford == nil || override || len(sessions) == 0 {
		return true, nil
	}
	err := f.afford(ctx, sessions)
	return err == nil, err
}

// sessionsOfAgents are the sessions of those panes that hold agents. User panes cost
// nothing.
func sessionsOfAgents(panes ...*core.Pane) []string {
	var sessions []string
	for _, pane := range panes {
		if pane.IsAgent() && !slices.Contains(sessions, pane.Session) {
			sessions = append(sessions, pane.Session)
		}
	}
	return sessions
}

// mayPrompt asks for the first prompt of agents that are to be started.
func (r *LaunchRequest) mayPrompt(ctx context.Context, f *Fleet, session string) (err error) {
	if r.Prompt != "" {
		r.grant, err = f.maySpend(ctx, r.OverrideBudget, []string{session})
	}
	return err
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

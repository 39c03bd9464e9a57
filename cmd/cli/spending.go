package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"cupola/cmd/demo"
	"cupola/core"
	"cupola/core/alert"
	"cupola/core/budget"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/relay"
	"cupola/core/store"
	"cupola/core/usage"
	"cupola/robot/command/money"
)

// openBudget returns the book of ceilings, with the user's prices.
func (p *program) openBudget(paths config.Paths, log *slog.Logger) (*budget.Book, error) {
	settings, err := p.deps.Settings()
	if err != nil {
		return nil, err
	}
	return p.bookOf(paths, settings, log), nil
}

// bookOf returns one book for all callers. It opens the store itself, when it first needs
// it: counting needs no fleet.
func (p *program) bookOf(paths config.Paths, settings *config.Config, log *slog.Logger) *budget.Book {
	p.bookOnce.Do(func() {
		p.counted = &journal{path: paths.Store(), opts: store.Options{
			Busy: storeBusy, Keep: retention(settings.Store), Warn: p.deps.Warn, Log: log,
		}}
		own := make(map[string]usage.Price, len(settings.Prices))
		for model, price := range settings.Prices {
			own[model] = usage.Price(price)
		}
		p.book = &budget.Book{
			Read: p.counted.readable, Write: p.counted.writable, Now: time.Now,
			Mark: passedMark(paths), Copy: paths.Store() + ".ceilings", Warn: p.deps.Warn,
		}
		p.book.Ledger = usage.New(usage.Options{
			Env: demo.Getenv(p.Getenv, paths), Prices: usage.DefaultPrices(own), Log: log, Read: p.counted.readable,
			Write: p.counted.writable, Relays: relay.Book{Dir: paths.Relays()}.UsageFile(),
		})
	})
	return p.book
}

// passedMark is the path of the marker file that says that a ceiling may be passed.
func passedMark(paths config.Paths) string { return paths.Store() + ".passed" }

// budgetGuard checks prompts of a fleet against the ceilings.
type budgetGuard struct {
	book  func() *budget.Book
	mark  string
	fleet *fleet.Fleet
	log   *slog.Logger
	// warn and progress reach the caller of the command.
	warn     func(string)
	progress core.ProgressFunc
}

// count updates the usage; it returns false if there is no ceiling, so that nothing needs
// counting.
func (t *budgetGuard) count(ctx context.Context, progress core.ProgressFunc) (bool, error) {
	ceilings, err := t.book().Ceilings(ctx)
	if err != nil || len(ceilings) == 0 {
		return false, err
	}
	return true, money.Count(ctx, t.fleet, t.book().Ledger, progress)
}

// afford refuses prompts over a ceiling. If there are ceilings and the store cannot be used,
// it refuses them too; if counting fails otherwise, it warns that ceilings are not checked.
func (t *budgetGuard) afford(ctx context.Context, sessions []string) error {
	there, err := t.count(ctx, t.progress)
	if err == nil && there {
		err = t.book().Afford(ctx, sessions)
	}
	if err == nil || core.AsError(err).HasCode(core.BudgetExceeded) || ctx.Err() != nil {
		return err
	}
	if failed := core.AsError(err); t.book().Known() &&
		(failed.HasCode(core.StoreError) || failed.HasCode(core.StoreLocked) || failed.HasCode(core.MigrationFailed)) {
		return uncheckedError(failed)
	}
	t.log.Warn("ceilings could not be checked", "error", err)
	t.warn("no ceiling was checked: " + err.Error())
	return nil
}

// uncheckedError returns the error of a prompt that cannot be compared with the ceilings.
func uncheckedError(failed *core.Error) *core.Error {
	return &core.Error{
		Code: failed.Code, Err: failed,
		Message:  "there are ceilings, and they cannot be checked: " + failed.Error() + "; no prompt is sent unguarded",
		Remedies: []core.Remedy{core.RemedyRepairStore},
	}
}

// renamed moves the ceilings and records of a session to its new name.
func (t *budgetGuard) renamed(ctx context.Context, records *journal, from, to string) error {
	_, err := os.Stat(records.path)
	if err == nil {
		var s *store.Store
		if s, err = records.writable(ctx); err == nil {
			err = store.SessionsIn(s).Rename(ctx, records.server, from, to)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if t.book().Known() {
		err = errors.Join(err, t.book().Rename(ctx, from, to))
	}
	if err != nil {
		t.warn("the history and the ceilings of " + to + " are still those of " + from + ": " + err.Error())
	}
	return err
}

// spends returns what was spent under each ceiling, for the alerts.
func (t *budgetGuard) spends(ctx context.Context) ([]alert.Spend, error) {
	there, err := t.count(ctx, nil)
	if err != nil || !there {
		return nil, err
	}
	found, err := t.book().Spends(ctx)
	if err != nil {
		return nil, err
	}
	return judged(found, " has used "), nil
}

// passed returns the ceilings whose share the store recorded as passed.
func (t *budgetGuard) passed(ctx context.Context) ([]alert.Spend, error) {
	if !budget.Marked(t.mark) {
		return nil, nil
	}
	found, err := t.book().Passed(ctx)
	return judged(found, " has used at least "), err
}

// judged converts spends for the rules of alerts.
func judged(found []budget.Spend, verb string) []alert.Spend {
	spends := make([]alert.Spend, len(found))
	for i := range found {
		s := &found[i]
		spends[i] = alert.Spend{
			Subject: s.Scope + "/" + s.Unit, Percent: s.Percent(),
			Message: s.Name() + verb + s.Says(), Since: s.WarnedAt,
		}
		if s.Scope == budget.Session {
			spends[i].Subject, spends[i].Session = s.Session+"/"+s.Unit, s.Session
		}
		if spends[i].Percent >= budget.ReachAt {
			spends[i].Since = s.ReachedAt
		}
	}
	return spends
}

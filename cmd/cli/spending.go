package cli

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/budget"
	"cupola/core/config"
	"cupola/core/fleet"
	"cupola/core/store"
	"cupola/core/usage"
	"cupola/robot/command"
)

// openBudget returns the book of ceilings, with the user's prices.
func (p *program) openBudget(paths config.Paths, log *slog.Logger) (*budget.Book, error) {
	settings, err := p.deps.Settings()
	if err != nil {
		return nil, err
	}
	return p.bookOf(paths, settings, log), nil
}

// bookOf is the same for all who ask. It opens the store for itself, and not before
// it must: a fleet is not needed to count.
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
			Env: p.Getenv, Prices: usage.DefaultPrices(own), Log: log, Read: p.counted.readable,
			Write: p.counted.writable,
		})
	})
	return p.book
}

// passedMark is beside the store, where a ceiling may be passed.
func passedMark(paths config.Paths) string { return paths.Store() + ".passed" }

// treasurer tells a fleet what may be spent.
type treasurer struct {
	book  func() *budget.Book
	mark  string
	fleet *fleet.Fleet
	log   *slog.Logger
	// warn and told reach whoever gave the command.
	warn func(string)
	told core.ProgressFunc
}

// count brings the ledger up to date; false where there is no ceiling, and so
// nothing to count for.
func (t *treasurer) count(ctx context.Context, told core.ProgressFunc) (bool, error) {
	ceilings, err := t.book().Ceilings(ctx)
	if err != nil || len(ceilings) == 0 {
		return false, err
	}
	return true, command.Count(ctx, t.fleet, t.book().Ledger, told)
}

// afford refuses prompts over a ceiling. Where there are ceilings and the store that
// tells what was spent cannot be used, it refuses them too; where something else keeps
// from counting, a warning says that nothing guards.
func (t *treasurer) afford(ctx context.Context, sessions []string) error {
	there, err := t.count(ctx, t.told)
	if err == nil && there {
		err = t.book().Afford(ctx, sessions)
	}
	if err == nil || core.AsError(err).HasCode(core.BudgetExceeded) || ctx.Err() != nil {
		return err
	}
	if failed := core.AsError(err); t.book().Known() &&
		(failed.HasCode(core.StoreError) || failed.HasCode(core.StoreLocked) || failed.HasCode(core.MigrationFailed)) {
		return unguarded(failed)
	}
	t.log.Warn("ceilings could not be checked", "error", err)
	t.warn("no ceiling was checked: " + err.Error())
	return nil
}

// unguarded is the error of a prompt that nobody can compare with the ceilings that
// are set.
func unguarded(failed *core.Error) *core.Error {
	return &core.Error{
		Code: failed.Code, Err: failed,
		Message: "there are ceilings, and they cannot be checked: " + failed.Error() + "; no prompt is sent unguarded",
		Hint:    "Mend the store ('cupola doctor'), or send it all the same with --override-budget.",
		Actions: []string{"cupola doctor", "cupola budget"},
	}
}

// renamed puts the ceilings of a session, and what is on record of it, under its new
// name.
func (t *treasurer) renamed(ctx context.Context, records *journal, from, to string) error {
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

// spends are what the alerts must know.
func (t *treasurer) spends(ctx context.Context) ([]alert.Spend, error) {
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

// passed are the ceilings of which the store remembers that a share was passed.
func (t *treasurer) passed(ctx context.Context) ([]alert.Spend, error) {
	if !budget.Marked(t.mark) {
		return nil, nil
	}
	found, err := t.book().Passed(ctx)
	return judged(found, " has used at least "), err
}

// judged are spends as the rules of alerts judge them.
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

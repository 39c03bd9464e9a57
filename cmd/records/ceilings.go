package records

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"cupola/core"
	"cupola/core/alert"
	"cupola/core/fleet"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/verb/money"
)

// Guard checks prompts of a fleet against the ceilings.
type Guard struct {
	// Fleet is whose agents use what is counted; nil counts what is on record alone.
	Fleet *fleet.Fleet
	// Progress takes how far counting is; nil takes nothing.
	Progress core.ProgressFunc

	records *Records
}

func (t *Guard) budget() *budget.Monitor { return t.records.Budget() }

// count updates the usage; it returns false if there is no ceiling, so that nothing needs
// counting.
func (t *Guard) count(ctx context.Context, progress core.ProgressFunc) (bool, error) {
	ceilings, err := t.budget().Ceilings(ctx)
	if err != nil || len(ceilings) == 0 {
		return false, err
	}
	return true, money.Count(ctx, t.Fleet, t.budget().Ledger(), progress)
}

// Afford refuses prompts over a ceiling. If there are ceilings and the store cannot be used,
// it refuses them too; if counting fails otherwise, it warns that ceilings are not checked.
func (t *Guard) Afford(ctx context.Context, sessions []string) error {
	there, err := t.count(ctx, t.Progress)
	if err == nil && there {
		err = t.budget().Afford(ctx, sessions)
	}
	if err == nil || core.AsError(err).HasCode(core.BudgetExceeded) || ctx.Err() != nil {
		return err
	}
	if failed := core.AsError(err); t.budget().Known() &&
		(failed.HasCode(core.StoreError) || failed.HasCode(core.StoreLocked) || failed.HasCode(core.MigrationFailed)) {
		return uncheckedError(failed)
	}
	t.records.Log.Warn("ceilings could not be checked", "error", err)
	t.records.Warn("no ceiling was checked: " + err.Error())
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

// Renamed moves the ceilings and records of a session to its new name.
func (t *Guard) Renamed(ctx context.Context, journal *Journal, from, to string) error {
	_, err := os.Stat(journal.File.Path)
	if err == nil {
		var s *store.Store
		if s, err = journal.File.Writing(ctx); err == nil {
			err = store.SessionsIn(s).Rename(ctx, journal.Server, from, to)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if t.budget().Known() {
		err = errors.Join(err, t.budget().Rename(ctx, from, to))
	}
	if err != nil {
		t.records.Warn("the history and the ceilings of " + to + " are still those of " + from + ": " + err.Error())
	}
	return err
}

// Spends returns what was spent under each ceiling, for the alerts.
func (t *Guard) Spends(ctx context.Context) ([]alert.Spend, error) {
	there, err := t.count(ctx, nil)
	if err != nil || !there {
		return nil, err
	}
	found, err := t.budget().Spends(ctx)
	if err != nil {
		return nil, err
	}
	return judged(found, " has used "), nil
}

// Passed returns the ceilings whose share the store recorded as passed.
func (t *Guard) Passed(ctx context.Context) ([]alert.Spend, error) {
	if !budget.Marked(passedMark(t.records.Paths)) {
		return nil, nil
	}
	found, err := t.budget().Passed(ctx)
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

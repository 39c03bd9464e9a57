package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Retention is how much is kept. A field of zero keeps everything.
type Retention struct {
	// Age is how old a record may become.
	Age time.Duration
	// Prompts and Events are how many of each are kept, over all servers; as many
	// answers are kept as prompts.
	Prompts, Events int
}

const (
	// pruneEvery is how often old records are looked for.
	pruneEvery = 6 * time.Hour
	// pruneRows is how many of them one transaction removes.
	pruneRows = 500
	// pruneSteps bounds how many transactions follow each other beside other
	// work; what they leave is for the next time.
	pruneSteps = 20
)

// prunings each remove rows older than a time or above a count, at most as many as the
// last argument. Alerts are removed only after they ended.
var prunings = []struct {
	statement string
	bound     func(keep Retention, now time.Time) int64
}{
	{"DELETE FROM prompts WHERE seq IN (SELECT seq FROM prompts WHERE at < ? LIMIT ?)", oldest},
	{"DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE at < ? LIMIT ?)", oldest},
	{"DELETE FROM answers WHERE seq IN (SELECT seq FROM answers WHERE at < ? LIMIT ?)", oldest},
	{"DELETE FROM alerts WHERE (server, id) IN (SELECT server, id FROM alerts WHERE last_seen < ? AND resolved_at + " +
		"dismissed_at > 0 LIMIT ?)", oldest},
	{"DELETE FROM usage_requests WHERE key IN (SELECT key FROM usage_requests WHERE at < ? LIMIT ?)", oldest},
	{
		"DELETE FROM prompts WHERE seq IN (SELECT seq FROM prompts WHERE seq <= (SELECT seq FROM prompts ORDER BY " +
			"seq DESC LIMIT 1 OFFSET ?) LIMIT ?)",
		func(keep Retention, _ time.Time) int64 { return int64(keep.Prompts) },
	},
	{
		"DELETE FROM answers WHERE seq IN (SELECT seq FROM answers WHERE seq <= (SELECT seq FROM answers ORDER BY " +
			"seq DESC LIMIT 1 OFFSET ?) LIMIT ?)",
		func(keep Retention, _ time.Time) int64 { return int64(keep.Prompts) },
	},
	{
		"DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE seq <= (SELECT seq FROM events ORDER BY seq " +
			"DESC LIMIT 1 OFFSET ?) LIMIT ?)",
		func(keep Retention, _ time.Time) int64 { return int64(keep.Events) },
	},
}

// oldest is the time before which nothing is kept; 0 keeps all.
func oldest(keep Retention, now time.Time) int64 {
	if keep.Age <= 0 {
		return 0
	}
	return millis(now.Add(-keep.Age))
}

// Prune removes records beyond Options.Keep, in small transactions between which other
// writers run, and returns the number of removed rows. A store that is written to also
// prunes itself, a few times a day.
func (s *Store) Prune(ctx context.Context) (int, error) { return s.prune(ctx, -1) }

// prune stops after a number of full transactions; a negative number is no limit.
func (s *Store) prune(ctx context.Context, steps int) (removed int, err error) {
	for _, p := range prunings {
		bound := p.bound(s.location.opts.Keep, s.location.opts.Now())
		for full := bound > 0; full; {
			n := int64(0)
			err := s.write(ctx, "remove old records", func(tx *sql.Tx) error {
				result, err := tx.ExecContext(ctx, p.statement, bound, pruneRows)
				if err == nil {
					n, err = result.RowsAffected()
				}
				return err
			})
			if err != nil {
				return removed, err
			}
			removed += int(n)
			if full = n == pruneRows; !full {
				continue
			}
			steps--
			if steps == 0 {
				return removed, nil
			}
		}
	}
	return removed, s.write(ctx, "note the pruning", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, into("meta", "key, value")+" ON CONFLICT DO UPDATE SET value = excluded.value",
			"pruned_at", millis(s.location.opts.Now()))
		return err
	})
}

// tidy prunes if that is due, within pruneSteps. It logs errors.
func (s *Store) tidy(ctx context.Context) {
	if !s.pruning.TryLock() {
		return
	}
	defer s.pruning.Unlock()
	now := s.location.opts.Now()
	// A wrong clock may have left a time in the future.
	if now.Sub(s.pruned).Abs() < pruneEvery {
		return
	}
	var at int64
	err := s.read(ctx, "read when it was pruned", func(db *sql.DB) error {
		err := db.QueryRowContext(ctx, "SELECT value FROM meta WHERE key = 'pruned_at'").Scan(&at)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		return err
	})
	s.pruned = moment(at)
	if err == nil && now.Sub(s.pruned).Abs() >= pruneEvery {
		s.pruned = now
		_, err = s.prune(ctx, pruneSteps)
	}
	if err != nil {
		s.location.opts.Log.Warn("old records stay", "error", err)
	}
}

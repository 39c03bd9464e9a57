package store

import (
	"context"
	"database/sql"
	"hash/fnv"
)

// Save records parts of transcripts, all or none. A request replaces the recorded one of
// the same transcript; a request that is recorded from another transcript stays with that
// one.
func (u Usage) Save(ctx context.Context, parts []UsagePart) error {
	return u.in.save(ctx, "record the usage", func(tx *sql.Tx) error {
		put, err := tx.PrepareContext(ctx, into("usage_requests", requestColumns)+`
			ON CONFLICT DO UPDATE SET at = excluded.at, model = excluded.model, input = excluded.input, cache_read = excluded.cache_read,
				cache_write = excluded.cache_write, cache_long = excluded.cache_long, output = excluded.output, reasoning = excluded.reasoning,
				cost = excluded.cost WHERE file = excluded.file`)
		if err != nil {
			return err
		}
		defer put.Close() //nolint:errcheck // the rows are written, or err says why not
		for i := range parts {
			if err := savePart(ctx, tx, put, &parts[i]); err != nil {
				return err
			}
		}
		return shareCosts(ctx, tx, parts)
	})
}

func savePart(ctx context.Context, tx *sql.Tx, put *sql.Stmt, part *UsagePart) error {
	f := &part.File
	err := tx.QueryRowContext(ctx, into("usage_files", fileColumns)+`
		ON CONFLICT (path) DO UPDATE SET size = excluded.size, modified = excluded.modified, position = excluded.position,
			mark = excluded.mark, state = excluded.state, session = excluded.session, folder = excluded.folder
		RETURNING id`,
		string(f.Kind), f.Path, f.Size, f.Modified, f.Position, f.Mark, f.State, f.Session, f.Folder).Scan(&f.ID)
	if err != nil {
		return err
	}
	if part.Afresh {
		if _, err := tx.ExecContext(ctx, "DELETE FROM usage_requests WHERE file = ?", f.ID); err != nil {
			return err
		}
	}
	for i := range part.Requests {
		r := &part.Requests[i]
		_, err := put.ExecContext(ctx, r.Key, f.ID, millis(r.At), r.Model, r.Input, r.CacheRead, r.CacheWrite,
			r.CacheLong, r.Output, r.Reasoning, r.Cost)
		if err != nil {
			return err
		}
	}
	for i := range part.Costs {
		c := &part.Costs[i]
		_, err := tx.ExecContext(ctx, into("usage_costs", "kind, session, "+costColumns)+` ON CONFLICT DO UPDATE SET
				until = excluded.until, input = excluded.input, cache_read = excluded.cache_read, cache_write = excluded.cache_write,
				cache_long = excluded.cache_long, output = excluded.output, cost = excluded.cost`,
			string(f.Kind), f.Session, c.Model, millis(c.Until), c.Input, c.CacheRead, c.CacheWrite, c.CacheLong,
			c.Output, c.Cost)
		if err != nil {
			return err
		}
	}
	for i := range part.Limits {
		l := &part.Limits[i]
		_, err := tx.ExecContext(ctx, into("usage_limits", limitColumns)+` ON CONFLICT DO UPDATE SET
				used = excluded.used, minutes = excluded.minutes, resets_at = excluded.resets_at, seen_at = excluded.seen_at, message = excluded.message
			WHERE excluded.seen_at >= seen_at`,
			string(f.Kind), l.Name, l.Used, int64(l.Window.Minutes()), millis(l.ResetsAt), millis(l.SeenAt), l.Message)
		if err != nil {
			return err
		}
	}
	return nil
}

// shareCosts gives the requests of sessions that were read the shares of what
// their agents say that the sessions have cost.
func shareCosts(ctx context.Context, tx *sql.Tx, parts []UsagePart) error {
	shared := map[[2]string]bool{}
	for i := range parts {
		f := &parts[i].File
		id := [2]string{string(f.Kind), f.Session}
		if f.Session == "" || shared[id] || len(parts[i].Requests)+len(parts[i].Costs) == 0 {
			continue
		}
		shared[id] = true
		costs, err := costsOf(ctx, tx, f)
		if err != nil {
			return err
		}
		for j := range costs {
			if err := shareCost(ctx, tx, f, &costs[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func costsOf(ctx context.Context, tx *sql.Tx, f *UsageFile) ([]UsageCost, error) {
	return rowsOf(ctx, tx, func(row *sql.Rows) (c UsageCost, err error) {
		err = row.Scan(&c.Model, when(&c.Until), &c.Input, &c.CacheRead, &c.CacheWrite, &c.CacheLong, &c.Output,
			&c.Cost)
		return c, err
	}, "SELECT "+costColumns+" FROM usage_costs WHERE kind = ? AND session = ?", string(f.Kind), f.Session)
}

// weight is the relative cost of a request among others of its model. The price of a cached or an answered token
// relative to a plain one is the same for all models of one maker.
const weight = "(input + 0.1 * cache_read + 1.25 * cache_write + 2 * cache_long + 5 * output)"

// shareCost spreads a cost over the requests that it is for. Where none of them is
// on record it is for one that the agent did not write down.
func shareCost(ctx context.Context, tx *sql.Tx, f *UsageFile, c *UsageCost) error {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(string(f.Kind) + "\x00cost\x00" + f.Session + "\x00" + c.Model))
	unwritten := int64(hash.Sum64()) //nolint:gosec // a hash has no sign
	if _, err := tx.ExecContext(ctx, "DELETE FROM usage_requests WHERE key = ?", unwritten); err != nil {
		return err
	}
	const these = "file IN (SELECT id FROM usage_files WHERE kind = ?1 AND session = ?2) AND model = ?3 AND at <= ?4"
	args := []any{string(f.Kind), f.Session, c.Model, millis(c.Until)}
	var all sql.NullFloat64
	if err := tx.QueryRowContext(ctx, "SELECT sum("+weight+") FROM usage_requests WHERE "+these,
		args...).Scan(&all); err != nil {
		return err
	}
	if all.Float64 > 0 {
		_, err := tx.ExecContext(ctx, "UPDATE usage_requests SET cost = ?5 * "+weight+" / ?6 WHERE "+these,
			append(args, c.Cost, all.Float64)...)
		return err
	}
	_, err := tx.ExecContext(ctx, into("usage_requests", requestColumns),
		unwritten, f.ID, millis(c.Until), c.Model, c.Input, c.CacheRead, c.CacheWrite, c.CacheLong, c.Output, 0, c.Cost)
	return err
}

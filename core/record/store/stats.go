package store

import (
	"context"
	"database/sql"
	"time"

	"cupola/core"
)

// PromptStats counts what a query found.
type PromptStats struct {
	Prompts int
	Bytes   int
	// Panes counts the deliveries, Outcomes them by outcome.
	Panes    int
	Outcomes map[core.Outcome]int
	// Sessions and Kinds count deliveries, the most first.
	Sessions, Kinds []Count
	// First and Last are when the oldest and the newest was sent; zero for none.
	First, Last time.Time
}

// Count is how often a name was seen.
type Count struct {
	Name string `json:"name"`
	N    int    `json:"count"`
}

// Stats counts the prompts that a query finds, whatever its Limit and
// Offset.
func (l Prompts) Stats(ctx context.Context, q PromptQuery) (PromptStats, error) {
	stats := PromptStats{Outcomes: map[core.Outcome]int{}, Sessions: []Count{}, Kinds: []Count{}}
	chosen, args := q.selection()
	err := l.in.read(ctx, "count the prompts", func(db *sql.DB) error {
		err := db.QueryRowContext(ctx,
			"SELECT count(*), COALESCE(sum(bytes), 0), COALESCE(min(at), 0), COALESCE(max(at), 0) FROM prompts "+
				"WHERE seq IN ("+chosen+")", args...,
		).Scan(&stats.Prompts, &stats.Bytes, when(&stats.First), when(&stats.Last))
		if err != nil {
			return err
		}
		outcomes, err := countBy(ctx, db, "outcome", chosen, args)
		for _, count := range outcomes {
			stats.Outcomes[core.Outcome(count.Name)] = count.N
			stats.Panes += count.N
		}
		if err != nil {
			return err
		}
		if stats.Sessions, err = countBy(ctx, db, "session", chosen, args); err != nil {
			return err
		}
		stats.Kinds, err = countBy(ctx, db, "kind", chosen, args)
		return err
	})
	return stats, err
}

// countBy counts deliveries by one of their columns.
func countBy(ctx context.Context, db *sql.DB, column, chosen string, args []any) ([]Count, error) {
	return rowsOf(ctx, db, func(row *sql.Rows) (c Count, err error) {
		err = row.Scan(&c.Name, &c.N)
		return c, err
	}, "SELECT "+column+", count(*) FROM deliveries WHERE prompt IN ("+chosen+") GROUP BY 1 ORDER BY 2 DESC, 1",
		args...)
}

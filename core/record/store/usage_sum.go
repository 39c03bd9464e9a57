package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"

	"cupola/core"
)

// UsageQuery selects requests. Its zero value is all of them.
type UsageQuery struct {
	// Since excludes older records, Until those at or after it.
	Since, Until time.Time
	// Owned excludes transcripts without a known session; Owner also those of
	// other sessions, unless it is empty.
	Owned bool
	Owner string
	// Bands are sizes of prompts, in tokens, above which prices differ.
	Bands []int64
}

// UsageSum is the sum of the requests of one transcript, day and model, separate for each band of prompt sizes and for
// requests with and without a cost.
type UsageSum struct {
	// Day is when the day began, UTC.
	Day   time.Time
	Kind  core.Kind
	Model string
	// Session and Folder are the agent's, Owner and Agent what Cupola calls it.
	Session, Folder, Owner, Agent string
	// Over counts the bands that the prompts were larger than.
	Over int
	// Costed is true where Cost is the agent's own figure, in USD.
	Costed   bool
	Cost     float64
	Requests int
	UsageTokens
	First, Last time.Time
}

// day is in milliseconds.
const day = int64(24 * time.Hour / time.Millisecond)

// Sums adds up the requests that a query finds, by day, transcript and model
// in a stable order.
func (u Usage) Sums(ctx context.Context, q UsageQuery) ([]UsageSum, error) {
	query, args := q.statement()
	return list(ctx, u.in, "add up the usage", func(row *sql.Rows) (sum UsageSum, err error) {
		var began int64
		err = row.Scan(&began, &sum.Kind, &sum.Model, &sum.Session, &sum.Folder, &sum.Owner, &sum.Agent, &sum.Over,
			&sum.Costed, &sum.Cost, &sum.Requests,
			&sum.Input, &sum.CacheRead, &sum.CacheWrite, &sum.CacheLong, &sum.Output, &sum.Reasoning, when(&sum.First),
			when(&sum.Last))
		sum.Day = moment(began * day)
		return sum, err
	}, query, args...)
}

func (q *UsageQuery) statement() (query string, args []any) {
	over := []string{"0"}
	for _, band := range q.Bands {
		over = append(over, "(input + cache_read + cache_write + cache_long > "+strconv.FormatInt(band, 10)+")")
	}
	var where []string
	add := func(clause string, value any) {
		where, args = append(where, clause), append(args, value)
	}
	if !q.Since.IsZero() {
		add("at >= ?", millis(q.Since))
	}
	if !q.Until.IsZero() {
		add("at < ?", millis(q.Until))
	}
	// SQLite keeps the order of a CROSS JOIN: by time over all transcripts or, where
	// few of these are wanted, one after the other.
	from := "usage_requests CROSS JOIN usage_files ON id = file"
	if q.Owned {
		from = "usage_files CROSS JOIN usage_requests ON file = id"
		where = append(where, "owner <> ''")
	}
	if q.Owner != "" {
		add("owner = ?", q.Owner)
	}
	where = append(where, "true")
	return "SELECT at / " + strconv.FormatInt(day, 10) + ", kind, model, session, folder, owner, agent, " + strings.Join(over, " + ") + `,
			cost IS NOT NULL, total(cost), count(*), sum(input), sum(cache_read), sum(cache_write), sum(cache_long), sum(output), sum(reasoning), min(at), max(at)
		FROM ` + from + ` WHERE ` + strings.Join(where, " AND ") + " GROUP BY 1, id, 3, 8, 9 ORDER BY 1, path, 3, 8, 9", args
}

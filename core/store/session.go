package store

import (
	"context"
	"database/sql"
)

// SessionQuery selects sessions by their names.
type SessionQuery struct {
	// Foreign leaves out all but those of Server that held nothing of Cupola's when
	// the last event in them was recorded.
	Foreign bool
	Server  string
}

// Sessions returns the names of all sessions of which something is on record, in
// alphabetical order.
func (s *Store) Sessions(ctx context.Context, q SessionQuery) ([]string, error) {
	query, args := `SELECT session FROM prompts UNION SELECT session FROM deliveries UNION SELECT session FROM events
		UNION SELECT session FROM alerts UNION SELECT owner FROM usage_files UNION SELECT session FROM ceilings`, []any(nil)
	if q.Foreign {
		query, args = `SELECT session FROM events WHERE seq IN (SELECT max(seq) FROM events WHERE +server = ? GROUP BY session) AND hidden`, []any{q.Server}
	}
	return list(ctx, s, "list the sessions on record", func(row *sql.Rows) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	}, "SELECT * FROM ("+query+") WHERE session <> '' ORDER BY 1", args...)
}

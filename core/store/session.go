package store

import (
	"context"
	"database/sql"
)

// Sessions returns the names of all sessions of which something is on record, in
// alphabetical order.
func (s *Store) Sessions(ctx context.Context) ([]string, error) {
	return list(ctx, s, "list the sessions on record", func(row *sql.Rows) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	}, `SELECT * FROM (SELECT session FROM prompts UNION SELECT session FROM deliveries UNION SELECT session FROM events
		UNION SELECT session FROM alerts UNION SELECT owner FROM usage_files UNION SELECT session FROM ceilings) WHERE session <> '' ORDER BY 1`)
}

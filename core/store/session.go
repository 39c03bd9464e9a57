package store

import (
	"context"
	"database/sql"
)

// Sessions returns the names of all sessions of which something is on record, in
// alphabetical order.
func (s *Store) Sessions(ctx context.Context) ([]string, error) {
	names := []string{}
	err := s.read(ctx, "list the sessions on record", func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, `SELECT session FROM prompts UNION SELECT session FROM deliveries UNION SELECT session FROM events
			UNION SELECT session FROM alerts UNION SELECT owner FROM usage_files UNION SELECT session FROM ceilings ORDER BY 1`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var name string
			if err := rows.Scan(&name); err != nil {
				return err
			}
			if name != "" {
				names = append(names, name)
			}
		}
		return rows.Err()
	})
	return names, err
}

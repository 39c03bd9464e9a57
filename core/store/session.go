package store

import (
	"context"
	"database/sql"
)

// SessionQuery selects sessions by their names.
type SessionQuery struct {
	// Server leaves out what is on record of other servers; what agents used and may
	// spend is of none.
	Server string
	// Foreign leaves out all but those of Server that held nothing of Cupola's when
	// the last event in them was recorded.
	Foreign bool
}

const (
	sessionsOnRecord = `SELECT session FROM prompts WHERE ?1 IN ('', server)
		UNION SELECT d.session FROM deliveries d JOIN prompts ON seq = prompt WHERE ?1 IN ('', server)
		UNION SELECT session FROM events WHERE ?1 IN ('', server) UNION SELECT session FROM alerts WHERE ?1 IN ('', server)
		UNION SELECT owner FROM usage_files UNION SELECT session FROM ceilings`
	foreignSessions = "SELECT session FROM events WHERE seq IN (SELECT max(seq) FROM events WHERE +server = ?1 GROUP BY session) AND hidden"
)

// Sessions returns the names of all sessions of which something is on record, in
// alphabetical order.
func (s *Store) Sessions(ctx context.Context, q SessionQuery) ([]string, error) {
	query := sessionsOnRecord
	if q.Foreign {
		query = foreignSessions
	}
	return list(ctx, s, "list the sessions on record", func(row *sql.Rows) (name string, err error) {
		err = row.Scan(&name)
		return name, err
	}, "SELECT * FROM ("+query+") WHERE session <> '' ORDER BY 1", q.Server)
}

package store

import (
	"context"
	"database/sql"
)

// Sessions is the part of a store that knows sessions by their names.
type Sessions struct{ in file }

// SessionsIn returns the session names of a store.
func SessionsIn(s *Store) Sessions { return Sessions{s} }

// SessionQuery selects sessions by their names.
type SessionQuery struct {
	// Server excludes records of other servers. Usage and ceilings belong to no server, and
	// are always included.
	Server string
	// Foreign selects only sessions of Server that were foreign when their last event was
	// recorded.
	Foreign bool
}

const (
	sessionsOnRecord = `SELECT session FROM prompts WHERE ?1 IN ('', server)
		UNION SELECT d.session FROM deliveries d JOIN prompts ON seq = prompt WHERE ?1 IN ('', server)
		UNION SELECT session FROM events WHERE ?1 IN ('', server) UNION SELECT session FROM alerts WHERE ?1 IN ('', server)
		UNION SELECT owner FROM usage_files UNION SELECT session FROM ceilings`
	foreignSessions = "SELECT session FROM events WHERE seq IN (SELECT max(seq) FROM events WHERE +server = ?1 " +
		"GROUP BY session) AND hidden"
)

// All returns the names of all sessions on record, in alphabetical order.
func (p Sessions) All(ctx context.Context, q SessionQuery) ([]string, error) {
	query := sessionsOnRecord
	if q.Foreign {
		query = foreignSessions
	}
	return list(ctx, p.in, "list the sessions on record", scan(single[string]),
		"SELECT * FROM ("+query+") WHERE session <> '' ORDER BY 1", q.Server)
}

// renames are the statements that give all records of a session its new name. The event that reports the new name is
// left unchanged.
var renames = [...]string{
	"UPDATE deliveries SET session = ?3 WHERE session = ?2 AND prompt IN (SELECT seq FROM prompts WHERE server = ?1)",
	"UPDATE prompts SET session = ?3 WHERE session = ?2 AND server = ?1",
	"UPDATE answers SET session = ?3 WHERE session = ?2 AND server = ?1",
	"UPDATE events SET session = ?3 WHERE session = ?2 AND server = ?1",
	"UPDATE usage_files SET owner = ?3 WHERE owner = ?2 AND ?1 <> ''",
}

// Rename moves the records of a session to its new name.
func (p Sessions) Rename(ctx context.Context, server, from, to string) error {
	return p.in.write(ctx, "rename the session on record", func(tx *sql.Tx) error {
		for _, update := range renames {
			if _, err := tx.ExecContext(ctx, update, server, from, to); err != nil {
				return err
			}
		}
		return nil
	})
}

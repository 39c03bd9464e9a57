package store

import (
	"context"
	"database/sql"
	"time"

	"cupola/core"
)

// AlertQuery selects alerts. Its zero value is all of all servers.
type AlertQuery struct {
	Server string
	// Session leaves out the alerts of others, Since those last seen earlier.
	Session string
	Since   time.Time
	// Open leaves out what was resolved or dismissed.
	Open bool
}

// Alerts is the part of a store that holds alerts.
type Alerts struct{ in file }

// AlertsIn returns the alerts of a store.
func AlertsIn(s *Store) Alerts { return Alerts{s} }

// Save records alerts of a server, each in place of the one with its id. An alert
// that another process dismissed meanwhile stays dismissed until its count grows.
func (a Alerts) Save(ctx context.Context, server string, alerts []core.Alert) error {
	return a.in.save(ctx, "record the alerts", func(tx *sql.Tx) error {
		save, err := tx.PrepareContext(ctx, into("alerts", "server, "+alertColumns)+`
			ON CONFLICT DO UPDATE SET
				type = excluded.type, severity = excluded.severity, subject = excluded.subject, session = excluded.session, pane = excluded.pane,
				state = excluded.state, reason = excluded.reason, message = excluded.message, first_seen = excluded.first_seen,
				last_seen = excluded.last_seen, resolved_at = excluded.resolved_at,
				dismissed_at = CASE WHEN excluded.dismissed_at = 0 AND excluded.count <= count THEN dismissed_at ELSE excluded.dismissed_at END,
				count = excluded.count`)
		if err != nil {
			return err
		}
		defer save.Close() //nolint:errcheck // the rows are written, or err says why not
		for i := range alerts {
			if _, err := save.ExecContext(ctx, append([]any{server}, alertFields(&alerts[i])...)...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Find returns the alerts that a query finds, in the order of their ids.
func (a Alerts) Find(ctx context.Context, q AlertQuery) ([]core.Alert, error) {
	return list(ctx, a.in, "read the alerts", scan(alertFields), "SELECT "+alertColumns+`
		FROM alerts WHERE (?1 = '' OR server = ?1) AND (?2 = '' OR session = ?2) AND last_seen >= ?3
			AND (NOT ?4 OR resolved_at = 0 AND dismissed_at = 0) ORDER BY id, server`, q.Server, q.Session, millis(q.Since), q.Open)
}

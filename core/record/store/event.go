package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"cupola/core"
)

// EventQuery selects events of one server.
type EventQuery struct {
	Server string
	// After leaves out a revision and what came before it; 0 is all. If the revisions of a
	// server restarted at 1, it applies only to events after the last restart.
	After core.Revision
	// Since excludes older records, Until those at or after it.
	Since, Until time.Time
	// Session and Types exclude all others; empty excludes none.
	Session string
	Types   []core.EventType
	// Own excludes events of foreign sessions.
	Own bool
	// Last limits the result to the newest ones; 0 is all.
	Last int
}

// Events is the part of a store that holds events.
type Events struct{ in file }

// EventsIn returns the events of a store.
func EventsIn(s *Store) Events { return Events{s} }

// Save records events of a server, all or none. Those that are on record
// are not recorded twice. The snapshot of a resync is not recorded.
func (l Events) Save(ctx context.Context, server string, events []core.Event) error {
	return l.in.save(ctx, "record the events", func(tx *sql.Tx) error {
		insert, err := tx.PrepareContext(ctx, into("events", "server, "+eventColumns)+" ON CONFLICT DO NOTHING")
		if err != nil {
			return err
		}
		defer insert.Close() //nolint:errcheck // the rows are written, or err says why not
		for i := range events {
			e := &events[i]
			alert := []byte{}
			if e.Alert != nil {
				if alert, err = json.Marshal(e.Alert); err != nil {
					return err
				}
			}
			columns := append(append([]any{server}, eventFields(e)...), string(alert))
			if _, err := insert.ExecContext(ctx, columns...); err != nil {
				return err
			}
		}
		return nil
	})
}

// Find returns the events that a query finds, in the order in which they
// happened.
func (l Events) Find(ctx context.Context, q EventQuery) ([]core.Event, error) {
	query, args := q.statement()
	return list(ctx, l.in, "read the events", scanEvent, query, args...)
}

func (q *EventQuery) statement() (query string, args []any) {
	// The plus keeps SQLite from the index that holds events apart: most rows are
	// of one server, and those wanted are the newest.
	query = "SELECT seq, " + eventColumns + " FROM events WHERE +server = ?"
	args = []any{q.Server}
	add := func(clause string, values ...any) {
		query, args = query+" AND "+clause, append(args, values...)
	}
	if q.After > 0 {
		// From the newest back, for most ask for the latest.
		add("seq > COALESCE((SELECT e.seq FROM events e WHERE +e.server = ? AND +e.revision <= ? ORDER BY e.seq "+
			"DESC LIMIT 1), 0)",
			q.Server, q.After)
	}
	if !q.Since.IsZero() {
		add("at >= ?", millis(q.Since))
	}
	if !q.Until.IsZero() {
		add("at < ?", millis(q.Until))
	}
	if q.Session != "" {
		add("session = ?", q.Session)
	}
	if q.Own {
		add("NOT hidden")
	}
	if len(q.Types) > 0 {
		names, err := json.Marshal(q.Types)
		if err != nil {
			names = []byte("[]")
		}
		add("type IN (SELECT value FROM json_each(?))", string(names))
	}
	query += " ORDER BY seq"
	if q.Last > 0 {
		query, args = "SELECT * FROM ("+query+" DESC LIMIT ?) ORDER BY seq", append(args, q.Last)
	}
	return query, args
}

func scanEvent(rows *sql.Rows) (core.Event, error) {
	var e core.Event
	var seq int64
	var alert string
	if err := rows.Scan(append(append([]any{&seq}, eventFields(&e)...), &alert)...); err != nil {
		return e, err
	}
	if alert != "" {
		e.Alert = new(core.Alert)
		if err := json.Unmarshal([]byte(alert), e.Alert); err != nil {
			return e, fmt.Errorf("event %d: its alert: %w", seq, err)
		}
	}
	return e, nil
}

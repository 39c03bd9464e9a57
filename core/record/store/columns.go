package store

import (
	"database/sql/driver"
	"fmt"
	"time"

	"cupola/core"
)

// Each function below returns the places of the columns of one record: rows are scanned into them, and written from
// what they hold.

// column is a value that its column stores in another form.
type column[C any] struct {
	value func() C
	set   func(C)
}

// Value returns the column.
func (c column[C]) Value() (driver.Value, error) { return c.value(), nil }

// Scan reads the column.
func (c column[C]) Scan(from any) error {
	value, ok := from.(C)
	if !ok {
		return fmt.Errorf("a column holds %T instead of %T", from, value)
	}
	c.set(value)
	return nil
}

// when is a time as a column: milliseconds, 0 for the zero time.
func when(at *time.Time) column[int64] {
	return column[int64]{func() int64 { return millis(*at) }, func(ms int64) { *at = moment(ms) }}
}

// elapsed is a duration as a column: milliseconds.
func elapsed(took *core.Milliseconds) column[int64] {
	return column[int64]{
		func() int64 { return time.Duration(*took).Milliseconds() },
		func(ms int64) { *took = core.Milliseconds(time.Duration(ms) * time.Millisecond) },
	}
}

// evidence is the column for the observations of a prompt, as one text.
func evidence(of *core.Result) column[string] {
	return column[string]{of.Saw, func(text string) {
		if text != "" {
			of.Evidence = []string{text}
		}
	}}
}

const paneColumns = "session, ordinal, pane, agent, kind"

func paneFields(p *core.PaneRef) []any {
	return []any{&p.Session, &p.Ordinal, &p.Pane, &p.Agent, &p.Kind}
}

const promptColumns = "id, at, server, session, origin, tracked, bytes, text"

func promptFields(p *core.Prompt) []any {
	return []any{&p.ID, when(&p.At), &p.Server, &p.Session, &p.Origin, &p.Tracked, &p.Bytes, &p.Text}
}

const (
	resultColumns   = "outcome, why, evidence, enters, elapsed_ms, at"
	deliveryColumns = paneColumns + ", " + resultColumns
)

func resultFields(r *core.Result) []any {
	return []any{&r.Outcome, &r.Why, evidence(r), &r.Enters, elapsed(&r.Elapsed), when(&r.At)}
}

func deliveryFields(d *core.Delivery) []any {
	return append(paneFields(&d.PaneRef), resultFields(&d.Result)...)
}

const decisionColumns = paneColumns + ", at, server, origin, given_by, reason, asks, act, chosen, text, outcome"

func decisionFields(d *core.Decision) []any {
	return append(paneFields(&d.PaneRef),
		when(&d.At), &d.Server, &d.Origin, &d.By, &d.Reason, &d.Asks, &d.Act, &d.Chosen, &d.Text, &d.Outcome)
}

const alertColumns = "id, type, severity, subject, session, pane, state, reason, message, first_seen, last_seen, " +
	"count, resolved_at, dismissed_at"

func alertFields(a *core.Alert) []any {
	return []any{
		&a.ID, &a.Type, &a.Severity, &a.Subject, &a.Session, &a.Pane, &a.State, &a.Reason, &a.Message,
		when(&a.FirstSeen),
		when(&a.LastSeen),
		&a.Count,
		when(&a.ResolvedAt),
		when(&a.DismissedAt),
	}
}

const eventColumns = "revision, at, type, session, pane, pane_id, agent, kind, from_what, to_what, reason, message, " +
	"late, hidden, alert"

// eventFields lacks the alert, which is written as JSON.
func eventFields(e *core.Event) []any {
	return []any{
		&e.Revision,
		when(&e.At),
		&e.Type, &e.Session, &e.Pane, &e.PaneID, &e.Agent, &e.Kind, &e.From, &e.To, &e.Reason,
		&e.Message, &e.Late, &e.Foreign,
	}
}

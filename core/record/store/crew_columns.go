package store

import (
	"database/sql/driver"
	"encoding/json"
	"errors"

	"cupola/core/run/crew"
	"cupola/core/run/relay/stream"
)

// document is a value as a column: JSON, or empty for a nil pointer.
type document[T any] struct{ of **T }

// Value returns the column.
func (d document[T]) Value() (driver.Value, error) {
	if *d.of == nil {
		return "", nil
	}
	text, err := json.Marshal(*d.of)
	return string(text), err
}

// Scan reads the column.
func (d document[T]) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return errors.New("a document is no text")
	}
	*d.of = nil
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), d.of)
}

const crewColumns = "id, recipe, prompt, dir, sandbox, stage, session, worktrees, state, reason, turn, limits, " +
	"started, ended, elapsed_ms, error, error_code, waits_until"

func crewFields(c *crew.Crew, limits **crew.Limits) []any {
	return []any{
		&c.ID, &c.Recipe, &c.Prompt, &c.Dir, &c.Sandbox, &c.Stage, &c.Session, &c.Worktrees, &c.State, &c.Reason,
		&c.Turn,
		document[crew.Limits]{limits},
		when(&c.Started),
		when(&c.Ended),
		&c.ElapsedMS, &c.Error, &c.ErrorCode,
		when(&c.Until),
	}
}

const memberColumns = "name, backend, model, model_used, brief, dir, backend_session, status, turns, messages, " +
	"used, cost_usd, cost_known, error, error_code"

func memberFields(m *crew.Member) []any {
	return []any{
		&m.Name, &m.Backend, &m.Model, &m.ModelUsed, &m.Brief, &m.Dir, &m.Session, &m.Status, &m.Turns, &m.Messages,
		document[stream.Usage]{&m.Used},
		&m.CostUSD, &m.CostKnown, &m.Error, &m.ErrorCode,
	}
}

const crewEventColumns = "type, turn, at, sender, recipient, text, status, reason, pending, error_code"

func crewEventFields(e *crew.Event) []any {
	return []any{
		&e.Type, &e.Turn, when(&e.At), &e.From, &e.To, &e.Text, &e.Status, &e.Reason, &e.Pending, &e.Code,
	}
}

const askColumns = "turn, member, prompt, answer, state, relay, started, ended"

func askFields(a *crew.Ask) []any {
	return []any{
		&a.Turn, &a.Member, &a.Prompt, &a.Answer, &a.State, &a.Relay, when(&a.Started), when(&a.Ended),
	}
}

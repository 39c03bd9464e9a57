package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"cupola/core"
	"cupola/core/run/crew"
	"cupola/core/text/near"
)

// Crews is the part of a store that holds crews.
type Crews struct{ in file }

// CrewsIn returns the crews of a store.
func CrewsIn(s *Store) Crews { return Crews{s} }

// Create puts a crew on record, with its members and its first events.
func (c Crews) Create(ctx context.Context, made *crew.Crew, events []crew.Event) error {
	return c.in.save(ctx, "record the crew", func(tx *sql.Tx) error {
		limits := &made.Limits
		if _, err := tx.ExecContext(ctx, into("crews", crewColumns), crewFields(made, &limits)...); err != nil {
			return err
		}
		for i := range made.Members {
			values := append([]any{made.ID, i}, memberFields(&made.Members[i])...)
			if _, err := tx.ExecContext(ctx, into("crew_members", "crew, place, "+memberColumns),
				values...); err != nil {
				return err
			}
		}
		return addCrewEvents(ctx, tx, made.ID, events)
	})
}

// Apply records a step of a crew, whole or not at all, and gives its events their numbers.
func (c Crews) Apply(ctx context.Context, step *crew.Step) error {
	id := step.Crew.ID
	return c.in.write(ctx, "record the crew's step", func(tx *sql.Tx) error {
		limits := &step.Crew.Limits
		values := append(crewFields(step.Crew, &limits), id)
		if err := update(ctx, tx, "crews", crewColumns, "id = ?", values); err != nil {
			return err
		}
		for _, member := range step.Members {
			values := append(memberFields(member), id, member.Name)
			if err := update(ctx, tx, "crew_members", memberColumns, "crew = ? AND name = ?", values); err != nil {
				return err
			}
		}
		for i := range step.Taken {
			d := &step.Taken[i]
			_, err := tx.ExecContext(ctx, "UPDATE crew_deliveries SET turn = ? WHERE message = ? AND member = ?",
				d.Turn,
				d.Seq, d.To)
			if err != nil {
				return err
			}
		}
		for _, ask := range step.Asks {
			_, err := tx.ExecContext(ctx, "INSERT OR REPLACE"+strings.TrimPrefix(into("crew_asks", "crew, "+askColumns),
				"INSERT"), append([]any{id}, askFields(ask)...)...)
			if err != nil {
				return err
			}
		}
		return addCrewEvents(ctx, tx, id, step.Events)
	})
}

// update sets all columns of the rows that a condition finds; it finds one at least.
func update(ctx context.Context, tx *sql.Tx, table, columns, condition string, values []any) error {
	done, err := tx.ExecContext(ctx, "UPDATE "+table+" SET "+strings.ReplaceAll(columns, ", ", " = ?, ")+
		" = ? WHERE "+condition, values...)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n > 0 {
		return err
	}
	return &core.Error{Code: core.NotFound, Message: "it was removed from the records"}
}

func addCrewEvents(ctx context.Context, tx *sql.Tx, id string, events []crew.Event) error {
	for i := range events {
		event := &events[i]
		added, err := tx.ExecContext(ctx, into("crew_events", "crew, "+crewEventColumns),
			append([]any{id}, crewEventFields(event)...)...)
		if err == nil {
			event.Seq, err = added.LastInsertId()
		}
		if err != nil {
			return err
		}
		for _, member := range event.Recipients {
			_, err := tx.ExecContext(ctx, into("crew_deliveries", "message, crew, member, turn"), event.Seq, id, member,
				crew.Waiting)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Add adds events to a crew, from a process that does not run it.
func (c Crews) Add(ctx context.Context, id string, events []crew.Event) error {
	return c.in.write(ctx, "record for the crew", func(tx *sql.Tx) error {
		return addCrewEvents(ctx, tx, id, events)
	})
}

// All returns the crews that began last, the newest first; a limit of 0 is all.
func (c Crews) All(ctx context.Context, limit int) ([]crew.Crew, error) {
	if limit <= 0 {
		limit = -1
	}
	all, err := list(ctx, c.in, "list the crews", scanCrew,
		"SELECT "+crewColumns+" FROM crews ORDER BY started DESC, id LIMIT ?", limit)
	if err != nil || len(all) == 0 {
		return all, err
	}
	index := map[string]int{}
	for i := range all {
		index[all[i].ID] = i
	}
	_, err = list(ctx, c.in, "list the members of crews", func(row *sql.Rows) (m crew.Member, err error) {
		id := ""
		if err = row.Scan(append([]any{&id}, memberFields(&m)...)...); err == nil {
			if i, known := index[id]; known {
				all[i].Members = append(all[i].Members, m)
			}
		}
		return m, err
	}, "SELECT crew, "+memberColumns+" FROM crew_members ORDER BY crew, place")
	return all, err
}

func scanCrew(row *sql.Rows) (one crew.Crew, err error) {
	var limits *crew.Limits
	if err = row.Scan(crewFields(&one, &limits)...); err == nil && limits != nil {
		one.Limits = *limits
	}
	one.Members = []crew.Member{}
	return one, err
}

// Load returns the crew with an id. An unknown one is NotFound with the near miss.
func (c Crews) Load(ctx context.Context, id string) (*crew.Crew, error) {
	found, err := list(ctx, c.in, "read the crew", scanCrew, "SELECT "+crewColumns+" FROM crews WHERE id = ?", id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, c.unknown(ctx, id)
	}
	one := &found[0]
	one.Members, err = list(ctx, c.in, "read the members of the crew", scan(memberFields),
		"SELECT "+memberColumns+" FROM crew_members WHERE crew = ? ORDER BY place", id)
	return one, err
}

func (c Crews) unknown(ctx context.Context, id string) error {
	words, err := list(ctx, c.in, "list the crews", scan(single[string]), "SELECT id FROM crews ORDER BY started DESC")
	if err != nil {
		return err
	}
	return &core.Error{
		Code: core.NotFound, Message: fmt.Sprintf("no crew has the id %q", id), Suggestions: near.Words(id, words),
		Slip: core.Slip{Word: id}, Remedies: []core.Remedy{core.RemedyListRuns},
	}
}

// Events returns the events of a crew behind a number, in their order; 0 is all.
func (c Crews) Events(ctx context.Context, id string, after int64) ([]crew.Event, error) {
	return list(ctx, c.in, "read the crew's events", func(row *sql.Rows) (e crew.Event, err error) {
		e.Crew = id
		err = row.Scan(append([]any{&e.Seq}, crewEventFields(&e)...)...)
		return e, err
	}, "SELECT seq, "+crewEventColumns+" FROM crew_events WHERE crew = ? AND seq > ? ORDER BY seq", id, after)
}

// Deliveries returns the messages of a crew with their recipients, in the order in which they were written. If waiting
// is true it returns only the ones that are not delivered yet.
func (c Crews) Deliveries(ctx context.Context, id string, waiting bool) ([]crew.Delivery, error) {
	query := "SELECT d.message, d.member, e.sender, e.text, d.turn FROM crew_deliveries d JOIN crew_events e ON " +
		"e.seq = d.message WHERE d.crew = ?"
	if waiting {
		query += fmt.Sprintf(" AND d.turn = %d", crew.Waiting)
	}
	return list(ctx, c.in, "read the crew's messages", func(row *sql.Rows) (d crew.Delivery, err error) {
		err = row.Scan(&d.Seq, &d.To, &d.From, &d.Text, &d.Turn)
		return d, err
	}, query+" ORDER BY d.message, d.member", id)
}

// Asks returns the turns of a crew's members, the oldest first.
func (c Crews) Asks(ctx context.Context, id string) ([]crew.Ask, error) {
	return c.asks(ctx, id, "")
}

// OpenAsks returns those alone that have no answer, and have a relay.
func (c Crews) OpenAsks(ctx context.Context, id string) ([]crew.Ask, error) {
	return c.asks(ctx, id, " AND state = 'open' AND relay <> ''")
}

func (c Crews) asks(ctx context.Context, id, condition string) ([]crew.Ask, error) {
	return list(ctx, c.in, "read the crew's turns", scan(askFields),
		"SELECT "+askColumns+" FROM crew_asks WHERE crew = ?"+condition+" ORDER BY turn, member", id)
}

// Control is a request of a user to the process that runs a crew.
type Control string

// The requests. Resume is the absence of one.
const (
	Resume    Control = ""
	PauseCrew Control = "pause"
	StopCrew  Control = "stop"
)

// Control returns what was asked of the process that runs a crew; StopCrew if it was removed.
func (c Crews) Control(ctx context.Context, id string) (Control, error) {
	found, err := list(ctx, c.in, "read what is asked of the crew", scan(single[Control]),
		"SELECT control FROM crews WHERE id = ?", id)
	if err != nil || len(found) == 1 {
		return append(found, Resume)[0], err
	}
	return StopCrew, nil
}

// Ask asks something of the process that runs a crew.
func (c Crews) Ask(ctx context.Context, id string, what Control) error {
	return c.in.write(ctx, "ask the crew", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE crews SET control = ? WHERE id = ?", what, id)
		return err
	})
}

// Remove removes a crew with all that is on record of it.
func (c Crews) Remove(ctx context.Context, id string) error {
	return c.in.write(ctx, "remove the crew", func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM crews WHERE id = ?", id)
		return err
	})
}

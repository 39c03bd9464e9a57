package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"cupola/core"
)

// Ceiling is the most that may be spent.
type Ceiling struct {
	// Scope is session, day or fleet; Session names one session, and is empty for
	// every session alike and for the other scopes.
	Scope, Session string
	// Unit is usd or tokens.
	Unit string
	Most float64
	// Since is from when on a fleet's spending counts.
	Since time.Time
	SetAt time.Time
}

// Passing is that a share of a ceiling was passed.
type Passing struct {
	Scope, Session, Unit string
	// Period is the one in which it was, such as a day.
	Period  string
	Percent int
	At      time.Time
}

// Ceilings returns every ceiling, by scope, session and unit.
func (s *Store) Ceilings(ctx context.Context) ([]Ceiling, error) {
	ceilings := []Ceiling{}
	err := s.read(ctx, "read the ceilings", func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT scope, session, unit, ceiling, since, set_at FROM ceilings ORDER BY scope, session, unit")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var c Ceiling
			var since, set int64
			if err := rows.Scan(&c.Scope, &c.Session, &c.Unit, &c.Most, &since, &set); err != nil {
				return err
			}
			c.Since, c.SetAt = moment(since), moment(set)
			ceilings = append(ceilings, c)
		}
		return rows.Err()
	})
	return ceilings, err
}

// SetCeiling sets a ceiling, in place of the one of its scope, session and unit;
// what was passed of that one is forgotten.
func (s *Store) SetCeiling(ctx context.Context, c Ceiling) error {
	return s.write(ctx, "set the ceiling", func(tx *sql.Tx) error {
		if err := forgetPassings(ctx, tx, &c); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO ceilings VALUES (?, ?, ?, ?, ?, ?)",
			c.Scope, c.Session, c.Unit, c.Most, millis(c.Since), millis(c.SetAt))
		return err
	})
}

// RemoveCeiling removes the ceiling of a scope, session and unit; NotFound if
// there is none.
func (s *Store) RemoveCeiling(ctx context.Context, c Ceiling) error {
	return s.write(ctx, "remove the ceiling", func(tx *sql.Tx) error {
		if err := forgetPassings(ctx, tx, &c); err != nil {
			return err
		}
		gone, err := tx.ExecContext(ctx, "DELETE FROM ceilings WHERE scope = ? AND session = ? AND unit = ?", c.Scope, c.Session, c.Unit)
		if err != nil {
			return err
		}
		if n, err := gone.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return &core.Error{
			Code: core.NotFound, Message: fmt.Sprintf("there is no ceiling in %s for %s", c.Unit, c.name()), Actions: []string{"cupola budget"},
		}
	})
}

func (c *Ceiling) name() string {
	switch {
	case c.Scope != "session":
		return "the " + c.Scope
	case c.Session == "":
		return "every session"
	}
	return "session " + c.Session
}

func forgetPassings(ctx context.Context, tx *sql.Tx, c *Ceiling) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM ceilings_passed WHERE scope = ? AND session = ? AND unit = ?", c.Scope, c.Session, c.Unit)
	return err
}

// Passings returns what was passed, the oldest first.
func (s *Store) Passings(ctx context.Context) ([]Passing, error) {
	passings := []Passing{}
	err := s.read(ctx, "read what was passed", func(db *sql.DB) error {
		rows, err := db.QueryContext(ctx, "SELECT scope, session, unit, period, percent, at FROM ceilings_passed ORDER BY at, scope, session, unit, percent")
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var p Passing
			var at int64
			if err := rows.Scan(&p.Scope, &p.Session, &p.Unit, &p.Period, &p.Percent, &at); err != nil {
				return err
			}
			p.At = moment(at)
			passings = append(passings, p)
		}
		return rows.Err()
	})
	return passings, err
}

// Pass records what was passed; what is on record keeps its time.
func (s *Store) Pass(ctx context.Context, passings []Passing) error {
	return s.write(ctx, "record what was passed", func(tx *sql.Tx) error {
		for i := range passings {
			p := &passings[i]
			_, err := tx.ExecContext(ctx, "INSERT OR IGNORE INTO ceilings_passed VALUES (?, ?, ?, ?, ?, ?)",
				p.Scope, p.Session, p.Unit, p.Period, p.Percent, millis(p.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

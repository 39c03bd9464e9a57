package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"cupola/core"
)

// Ceilings is the part of a store that holds how much may be spent.
type Ceilings struct{ in file }

// CeilingsIn returns the ceilings of a store.
func CeilingsIn(s *Store) Ceilings { return Ceilings{s} }

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

// Passing records that a share of a ceiling was passed.
type Passing struct {
	Scope, Session, Unit string
	// Period is the period of the ceiling in which it was passed, such as a day.
	Period  string
	Percent int
	At      time.Time
}

const (
	ceilingColumns = "scope, session, unit, ceiling, since, set_at"
	passingColumns = "scope, session, unit, period, percent, at"
)

// All returns every ceiling, by scope, session and unit.
func (c Ceilings) All(ctx context.Context) ([]Ceiling, error) {
	return list(ctx, c.in, "read the ceilings", func(row *sql.Rows) (one Ceiling, err error) {
		err = row.Scan(&one.Scope, &one.Session, &one.Unit, &one.Most, when(&one.Since), when(&one.SetAt))
		return one, err
	}, "SELECT "+ceilingColumns+" FROM ceilings ORDER BY scope, session, unit")
}

// Set sets a ceiling, in place of the one of its scope, session and unit; the shares that
// were passed of that one are removed.
func (c Ceilings) Set(ctx context.Context, to Ceiling) error {
	return c.in.write(ctx, "set the ceiling", func(tx *sql.Tx) error {
		if err := forgetPassings(ctx, tx, &to); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			into("ceilings", ceilingColumns)+
				" ON CONFLICT DO UPDATE SET ceiling = excluded.ceiling, since = excluded.since, set_at = "+
				"excluded.set_at",
			to.Scope, to.Session, to.Unit, to.Most, millis(to.Since), millis(to.SetAt))
		return err
	})
}

// Remove removes the ceiling of a scope, session and unit; NotFound if
// there is none.
func (c Ceilings) Remove(ctx context.Context, what Ceiling) error {
	return c.in.write(ctx, "remove the ceiling", func(tx *sql.Tx) error {
		if err := forgetPassings(ctx, tx, &what); err != nil {
			return err
		}
		gone, err := tx.ExecContext(ctx, "DELETE FROM ceilings WHERE scope = ? AND session = ? AND unit = ?",
			what.Scope, what.Session, what.Unit)
		if err != nil {
			return err
		}
		if n, err := gone.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return &core.Error{
			Code: core.NotFound, Message: fmt.Sprintf("there is no ceiling in %s for %s", what.Unit, what.Name()),
			Remedies: []core.Remedy{core.RemedyListCeilings},
		}
	})
}

// Name is the subject of the ceiling in words.
func (c *Ceiling) Name() string {
	switch {
	case c.Scope != "session":
		return "the " + c.Scope
	case c.Session == "":
		return "every session"
	}
	return "session " + c.Session
}

func forgetPassings(ctx context.Context, tx *sql.Tx, c *Ceiling) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM ceilings_passed WHERE scope = ? AND session = ? AND unit = ?", c.Scope,
		c.Session, c.Unit)
	return err
}

// Passings returns the recorded passed shares, the oldest first.
func (c Ceilings) Passings(ctx context.Context) ([]Passing, error) {
	return list(ctx, c.in, "read what was passed", func(row *sql.Rows) (p Passing, err error) {
		err = row.Scan(&p.Scope, &p.Session, &p.Unit, &p.Period, &p.Percent, when(&p.At))
		return p, err
	}, "SELECT "+passingColumns+" FROM ceilings_passed ORDER BY at, scope, session, unit, percent")
}

// Pass records passed shares. A share that is already recorded keeps its time.
func (c Ceilings) Pass(ctx context.Context, passings []Passing) error {
	return c.in.write(ctx, "record what was passed", func(tx *sql.Tx) error {
		for i := range passings {
			p := &passings[i]
			_, err := tx.ExecContext(ctx, into("ceilings_passed", passingColumns)+" ON CONFLICT DO NOTHING",
				p.Scope, p.Session, p.Unit, p.Period, p.Percent, millis(p.At))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

package budget

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"cupola/core/record/store"
	"cupola/core/system/textfile"
)

// Passed returns the ceilings with a share that is recorded as passed, with that share as
// Used, a lower bound of the spending. It counts no usage, so it misses shares passed since
// the last count.
func (m *Monitor) Passed(ctx context.Context) ([]Spend, error) {
	s, err := m.Read(ctx)
	if err != nil {
		return nil, err
	}
	passed, err := store.CeilingsIn(s).Passings(ctx)
	if err != nil || len(passed) == 0 {
		return nil, err
	}
	ceilings, err := store.CeilingsIn(s).All(ctx)
	if err != nil {
		return nil, err
	}
	var spends []Spend
	for i := range passed {
		p := &passed[i]
		c := ceilingOf(p, ceilings)
		if c == nil || p.At.Before(c.SetAt) {
			continue
		}
		since, period := m.period(c)
		if p.Period != period {
			continue
		}
		at := slices.IndexFunc(spends,
			func(s Spend) bool { return s.Scope == p.Scope && s.Session == p.Session && s.Unit == p.Unit })
		if at < 0 {
			at = len(spends)
			spends = append(spends, Spend{
				Scope: p.Scope, Session: p.Session, Unit: p.Unit, Every: p.Session != c.Session, Most: c.Most,
				Since: since, Period: period,
			})
		}
		spends[at].passed(p)
	}
	return spends, nil
}

// mark creates the mark. If that fails, readers only miss what is passed.
func (m *Monitor) mark() {
	if m.Mark != "" && !Marked(m.Mark) {
		_ = textfile.Put(m.Mark, nil)
	}
}

// Marked reports whether the file Mark of a budget exists.
func Marked(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// unmark removes the mark if no share is passed any more.
func (m *Monitor) unmark(ctx context.Context, s *store.Store) error {
	passed, err := store.CeilingsIn(s).Passings(ctx)
	if err != nil || len(passed) > 0 {
		return err
	}
	// Another process may remove it at the same time.
	if err := os.Remove(m.Mark); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// passed records in the spend that a share was passed.
func (s *Spend) passed(p *store.Passing) {
	s.Used = max(s.Used, s.Most*float64(p.Percent)/100)
	if p.Percent >= ReachAt {
		s.ReachedAt = p.At
	} else {
		s.WarnedAt = p.At
	}
}

// ceilingOf returns the ceiling that a record of a passed share refers to; nil if it
// was removed.
func ceilingOf(p *store.Passing, ceilings []store.Ceiling) *store.Ceiling {
	var every *store.Ceiling
	for i := range ceilings {
		c := &ceilings[i]
		switch {
		case c.Scope != p.Scope || c.Unit != p.Unit:
		case c.Session == p.Session:
			return c
		case c.Session == "":
			every = c
		}
	}
	return every
}

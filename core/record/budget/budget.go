// Package budget compares spending with ceilings: of a session, of a day and of the whole
// fleet, in USD or in tokens. A ceiling has the state warning from 80 % on, reached at 100
// % and exceeded above. Each of these shares is recorded when it is passed, so that it is
// reported once.
//
// A session's ceiling counts what its agents used, by its name. Those of a day (UTC)
// and of the fleet count every agent on this machine, Cupola's or not. Tokens
// without a known price cost nothing here; a Spend says how many there are.
package budget

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/alert"
	"cupola/core/record/store"
)

// What a ceiling is of.
const (
	Session = "session"
	Day     = "day"
	Fleet   = "fleet"
)

// What a ceiling counts.
const (
	USD    = "usd"
	Tokens = "tokens"
)

// The shares of a ceiling, in percent, that are recorded and reported.
const (
	WarnAt  = alert.SpentWarns
	ReachAt = alert.SpentAll
)

// State compares a spend with its ceiling.
type State string

// The states. Exceeded is more than the ceiling; Reached is all of it.
const (
	Within   State = "ok"
	Warned   State = "warning"
	Reached  State = "reached"
	Exceeded State = "exceeded"
)

// Spend is the money spent under one ceiling.
type Spend struct {
	// Scope is session, day or fleet. Session is the session that spent, also under a ceiling
	// for every session; empty if none has spent yet.
	Scope   string `json:"scope" table:"CEILING OF,strong"`
	Session string `json:"session,omitempty" names:"session"`
	// Every is true for a ceiling that applies to every session.
	Every bool `json:"every"`
	// Unit is usd or tokens.
	Unit string  `json:"unit"`
	Most float64 `json:"ceiling" table:"OF"`
	Used float64 `json:"used" table:"USED"`
	// Period is the counted time: a day, or all since Since; a zero Since is all on record.
	Period string    `json:"period" table:"COUNTED,dim"`
	Since  time.Time `json:"-"`
	// WarnedAt and ReachedAt are when the shares were first found to be passed; zero if
	// they were not.
	WarnedAt  time.Time `json:"warned_at,omitzero"`
	ReachedAt time.Time `json:"reached_at,omitzero"`
	// Unpriced counts the tokens without a known price, which Used in USD does not contain.
	Unpriced int64 `json:"unpriced_tokens"`
}

// State returns the state of the spend.
func (s *Spend) State() State {
	switch percent := s.Percent(); {
	case s.Used > s.Most:
		return Exceeded
	case percent >= ReachAt:
		return Reached
	case percent >= WarnAt:
		return Warned
	}
	return Within
}

// Percent returns how much of the ceiling is used; 0 for a ceiling of 0.
func (s *Spend) Percent() float64 {
	if s.Most <= 0 {
		return 0
	}
	return s.Used / s.Most * 100
}

// Remaining returns what may still be spent, at least 0.
func (s *Spend) Remaining() float64 { return max(0, s.Most-s.Used) }

// Name is the subject of the ceiling in words.
func (s *Spend) Name() string {
	of := store.Ceiling{Scope: s.Scope, Session: s.Session}
	return of.Name()
}

// Says returns a sentence about how much was used.
func (s *Spend) Says() string { return Amount(s.Used, s.Unit) + " of " + Amount(s.Most, s.Unit) }

// Amount writes an amount with its unit.
func Amount(n float64, unit string) string {
	if unit == USD {
		return fmt.Sprintf("$%.2f", n)
	}
	return fmt.Sprintf("%.0f tokens", n)
}

// Monitor manages ceilings, and compares them with the usage that a ledger counted.
type Monitor struct {
	// Ledger is called where there is something to count.
	Ledger func() *usage.Ledger
	// Read and Write return the store, as in usage.Options.
	Read  func(context.Context) (*store.Store, error)
	Write func(context.Context) (*store.Store, error)
	Now   func() time.Time
	// Mark is a file that exists if a share may have been passed. Without it readers
	// need not open the store. Empty is none.
	Mark string
	// Copy is the path of a copy of the ceilings, which survives a damaged store; empty is
	// none.
	Copy string
	// Warn, if not nil, receives each warning for the user as one sentence.
	Warn func(string)
}

// Set sets a ceiling, in place of the one of the same name.
func (m *Monitor) Set(ctx context.Context, c store.Ceiling) error {
	if c.Most <= 0 || math.IsInf(c.Most, 0) || math.IsNaN(c.Most) {
		return core.Errorf(core.InvalidInput, "a ceiling must be more than nothing")
	}
	if _, err := m.Ceilings(ctx); err != nil && !core.AsError(err).HasCode(core.StoreError) {
		return err
	}
	s, err := m.Write(ctx)
	if err != nil {
		return err
	}
	c.SetAt = m.Now()
	if err := store.CeilingsIn(s).Set(ctx, c); err != nil {
		return err
	}
	all, err := store.CeilingsIn(s).All(ctx)
	if err != nil {
		return err
	}
	m.keep(all)
	return m.unmark(ctx, s)
}

// Rename moves the ceilings of a session to its new name.
func (m *Monitor) Rename(ctx context.Context, from, to string) error {
	all, err := m.Ceilings(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if c.Session != from || c.Scope != Session {
			continue
		}
		under := c
		under.Session = to
		if err := m.Set(ctx, under); err != nil {
			return err
		}
		if err := m.Remove(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes a ceiling; NotFound if there is none.
func (m *Monitor) Remove(ctx context.Context, c store.Ceiling) error {
	all, err := m.Ceilings(ctx)
	if err != nil {
		return err
	}
	s, err := m.Write(ctx)
	if err != nil {
		return err
	}
	// After an interruption between the two, the store's record is valid.
	m.keep(slices.DeleteFunc(slices.Clone(all), func(other store.Ceiling) bool {
		return other.Scope == c.Scope && other.Session == c.Session && other.Unit == c.Unit
	}))
	if err := store.CeilingsIn(s).Remove(ctx, c); err != nil {
		return err
	}
	return m.unmark(ctx, s)
}

// Spends returns what was spent under each ceiling, ordered by scope, session and unit, as
// far as the ledger has read. It records the shares that were passed.
func (m *Monitor) Spends(ctx context.Context) ([]Spend, error) {
	ceilings, err := m.Ceilings(ctx)
	if err != nil || len(ceilings) == 0 {
		return []Spend{}, err
	}
	spends := []Spend{}
	for i := range ceilings {
		more, err := m.under(ctx, &ceilings[i], ceilings)
		if err != nil {
			return nil, err
		}
		spends = append(spends, more...)
	}
	slices.SortStableFunc(spends, func(a, m Spend) int {
		return cmp.Or(slices.Index(scopes, a.Scope)-slices.Index(scopes, m.Scope), cmp.Compare(a.Session, m.Session),
			cmp.Compare(m.Unit, a.Unit))
	})
	return spends, m.remember(ctx, spends)
}

var scopes = []string{Fleet, Day, Session}

// under returns what was spent under one ceiling. One for every session leaves out
// those that have their own.
func (m *Monitor) under(ctx context.Context, c *store.Ceiling, all []store.Ceiling) ([]Spend, error) {
	spend := Spend{Scope: c.Scope, Session: c.Session, Unit: c.Unit, Most: c.Most}
	spend.Since, spend.Period = m.period(c)
	query := usage.Query{Since: spend.Since, Session: c.Session, Owned: c.Scope == Session}
	if c.Scope == Session && c.Session == "" {
		query.Group = usage.BySession
	}
	sum, err := m.Ledger().Sum(ctx, query)
	if err != nil {
		return nil, err
	}
	if query.Group != usage.BySession {
		spend.use(&sum.Total)
		return []Spend{spend}, nil
	}
	spend.Every = true
	var spends []Spend
	for i := range sum.Rows {
		row := &sum.Rows[i]
		own := func(other store.Ceiling) bool {
			return other.Scope == Session && other.Session == row.Key && other.Unit == c.Unit
		}
		if row.Folder || slices.ContainsFunc(all, own) {
			continue
		}
		one := spend
		one.Session = row.Key
		one.use(&row.Amount)
		spends = append(spends, one)
	}
	if len(spends) == 0 {
		return []Spend{spend}, nil
	}
	return spends, nil
}

// period returns the start and the name of the present period of a ceiling.
func (m *Monitor) period(c *store.Ceiling) (since time.Time, name string) {
	switch {
	case c.Scope == Day:
		since = m.Now().UTC().Truncate(24 * time.Hour)
		return since, since.Format(time.DateOnly)
	case !c.Since.IsZero():
		return c.Since, "since " + c.Since.UTC().Format(time.RFC3339)
	}
	return c.Since, "all"
}

func (s *Spend) use(a *usage.Amount) {
	if s.Unit == USD {
		s.Used, s.Unpriced = a.Cost, a.Unpriced
		return
	}
	s.Used = float64(a.Total())
}

// remember stores newly passed shares and fills in when each was passed.
func (m *Monitor) remember(ctx context.Context, spends []Spend) error {
	s, err := m.Read(ctx)
	if err != nil {
		return err
	}
	passed, err := store.CeilingsIn(s).Passings(ctx)
	if err != nil {
		return err
	}
	if len(passed) > 0 {
		m.mark()
	}
	var fresh []store.Passing
	for i := range spends {
		spend := &spends[i]
		for _, share := range []struct {
			percent int
			at      *time.Time
		}{{WarnAt, &spend.WarnedAt}, {ReachAt, &spend.ReachedAt}} {
			p := store.Passing{
				Scope: spend.Scope, Session: spend.Session, Unit: spend.Unit, Period: spend.Period,
				Percent: share.percent,
			}
			known := slices.IndexFunc(passed, func(other store.Passing) bool {
				p.At = other.At
				return p == other
			})
			switch {
			case known >= 0:
				*share.at = passed[known].At
			case spend.Percent() >= float64(share.percent):
				p.At = m.Now().Truncate(time.Millisecond)
				*share.at = p.At
				fresh = append(fresh, p)
			}
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	writable, err := m.Write(ctx)
	if err != nil {
		return err
	}
	m.mark()
	return store.CeilingsIn(writable).Pass(ctx, fresh)
}

// Afford returns BudgetExceeded if a ceiling of one of the sessions is exceeded.
func (m *Monitor) Afford(ctx context.Context, sessions []string) error {
	spends, err := m.Spends(ctx)
	if err != nil {
		return err
	}
	over := []Spend{}
	for i := range spends {
		s := &spends[i]
		if s.State() == Exceeded && (s.Scope != Session || slices.Contains(sessions, s.Session)) {
			over = append(over, *s)
		}
	}
	if len(over) == 0 {
		return nil
	}
	first := &over[0]
	message := fmt.Sprintf("%s has used %s", first.Name(), first.Says())
	if first.Scope == Day {
		message = "today " + first.Says() + " were used"
	}
	return &core.Error{
		Code: core.BudgetExceeded, Message: message + "; no prompt is sent over a ceiling",
		Details:  map[string]any{"exceeded": rowsOf(over), "requested": map[string]int{"prompts": 1}},
		Remedies: []core.Remedy{core.RemedyRaiseCeiling}, Subject: core.Subject{Ceilings: raised(over)},
	}
}

// raised returns ceilings that leave room for as much as the exceeded ones allowed.
func raised(over []Spend) []core.Ceiling {
	all := make([]core.Ceiling, len(over))
	for i := range over {
		s := &over[i]
		amount := strconv.FormatFloat(math.Ceil(s.Used+s.Most), 'f', -1, 64)
		all[i] = core.Ceiling{Scope: s.Scope, Session: s.Session, Unit: s.Unit, Amount: amount}
	}
	return all
}

// row is a spend in the details of an error.
type row struct {
	Scope   string  `json:"scope"`
	Session string  `json:"session,omitempty"`
	Unit    string  `json:"unit"`
	Ceiling float64 `json:"ceiling"`
	Used    float64 `json:"used"`
	// Remaining is the amount that may still be spent, in the ceiling's unit; 0 over a ceiling.
	Remaining float64 `json:"remaining"`
}

func rowsOf(spends []Spend) []row {
	rows := make([]row, len(spends))
	for i := range spends {
		s := &spends[i]
		rows[i] = row{s.Scope, s.Session, s.Unit, s.Most, math.Round(s.Used*1e4) / 1e4, max(0, s.Most-s.Used)}
	}
	return rows
}

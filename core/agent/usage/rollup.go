package usage

import (
	"cmp"
	"context"
	"slices"
	"time"

	"cupola/core"
	"cupola/core/record/store"
)

// Group is how usage is grouped into rows.
type Group string

// The groups. BySession is the session whose agents wrote the transcripts where it
// is known, else the folder in which the agent worked; ByAgent is session/agent, or the
// agent kind where no session is known.
const (
	ByDay     Group = "day"
	ByAgent   Group = "agent"
	ByKind    Group = "kind"
	ByModel   Group = "model"
	BySession Group = "session"
)

// Where a cost comes from.
const (
	// FromAgent is the agent's own figure, FromTable one from list prices; Mixed is
	// some of each, and FromNowhere means that no price is known.
	FromAgent   = "agent"
	FromTable   = "table"
	Mixed       = "mixed"
	FromNowhere = "unknown"
)

// Query selects usage.
type Query struct {
	// Since leaves out what is older, Until what is not.
	Since, Until time.Time
	// Kinds and Agents exclude the usage of others; an agent is a name such as cc_1. Usage
	// that matches either is included.
	Kinds  []core.Kind
	Agents []string
	// Session is a session's name or a folder. Owned excludes agents for which no
	// session is known.
	Session string
	Owned   bool
	Group   Group
}

// Amount is how much was used.
type Amount struct {
	Requests int
	store.UsageTokens
	// Cost is in USD; Source says where it comes from.
	Cost   float64
	Source string
	// Unpriced counts the tokens without a known price, which Cost does not contain.
	Unpriced int64
}

// Total returns the number of all tokens.
func (a *Amount) Total() int64 { return a.Input + a.CacheRead + a.CacheWrite + a.CacheLong + a.Output }

// Row is the usage of one day, kind, model or session.
type Row struct {
	Key string
	// Folder is true if Key is the folder in which agents worked, for sessions that Cupola
	// does not know.
	Folder bool
	Amount
	First, Last time.Time
}

// Sum is the result of a query.
type Sum struct {
	// Rows are by day, or else those that used most first.
	Rows  []Row
	Total Amount
}

// Sum adds up the recorded usage. It reads no transcripts: Refresh does.
func (l *Ledger) Sum(ctx context.Context, q Query) (Sum, error) {
	s, err := l.opts.Read(ctx)
	if err != nil {
		return Sum{}, err
	}
	query := store.UsageQuery{Since: q.Since, Until: q.Until, Owned: q.Owned, Bands: l.opts.Prices.bands()}
	if q.Owned {
		query.Owner = q.Session
	}
	found, err := store.UsageIn(s).Sums(ctx, query)
	if err != nil {
		return Sum{}, err
	}
	return l.opts.Prices.rollUp(found, &q), nil
}

// rollUp groups sums, and prices what has no cost.
func (p Prices) rollUp(found []store.UsageSum, q *Query) Sum {
	rows := map[string]*Row{}
	var sum Sum
	bands := p.bands()
	for i := range found {
		u := &found[i]
		if !q.matches(u) {
			continue
		}
		name, folder := q.Group.of(u)
		row := rows[name]
		if row == nil {
			row = &Row{Key: name, Folder: folder, First: u.First}
			rows[name] = row
		}
		row.First = core.Earlier(row.First, u.First)
		if u.Last.After(row.Last) {
			row.Last = u.Last
		}
		one := p.amount(u, bands)
		row.add(&one)
		sum.Total.add(&one)
	}
	sum.Rows = make([]Row, 0, len(rows))
	for _, row := range rows {
		sum.Rows = append(sum.Rows, *row)
	}
	slices.SortFunc(sum.Rows, func(a, b Row) int {
		if q.Group == ByDay {
			return cmp.Compare(a.Key, b.Key)
		}
		return cmp.Or(cmp.Compare(b.Total(), a.Total()), cmp.Compare(a.Key, b.Key))
	})
	sum.Total.Source = cmp.Or(sum.Total.Source, FromNowhere)
	return sum
}

func (q *Query) matches(u *store.UsageSum) bool {
	some := len(q.Kinds)+len(q.Agents) == 0 || slices.Contains(q.Kinds, u.Kind) ||
		u.Agent != "" && slices.Contains(q.Agents, u.Agent)
	return some && (q.Session == "" || u.Owner == q.Session || u.Owner == "" && u.Folder == q.Session)
}

// of is the name of the row that a sum belongs to.
func (g Group) of(u *store.UsageSum) (name string, folder bool) {
	switch g {
	case ByAgent:
		if u.Owner != "" && u.Agent != "" {
			return u.Owner + "/" + u.Agent, false
		}
		return string(u.Kind), false
	case ByKind:
		return string(u.Kind), false
	case ByModel:
		return cmp.Or(u.Model, "unknown"), false
	case BySession:
		return cmp.Or(u.Owner, u.Folder, "unknown"), u.Owner == ""
	}
	return u.Day.Format(time.DateOnly), false
}

// amount is a sum with its cost.
func (p Prices) amount(u *store.UsageSum, bands []int64) Amount {
	a := Amount{Requests: u.Requests, UsageTokens: u.UsageTokens, Cost: u.Cost, Source: FromAgent}
	if u.Costed {
		return a
	}
	price, known := p.Of(u.Model)
	if !known {
		a.Source, a.Unpriced = FromNowhere, a.Total()
		return a
	}
	prompt := int64(0)
	if u.Over > 0 && u.Over <= len(bands) {
		prompt = bands[u.Over-1]
	}
	a.Cost, a.Source = price.cost(u.UsageTokens, prompt), FromTable
	return a
}

func (a *Amount) add(b *Amount) {
	a.Requests += b.Requests
	a.Input += b.Input
	a.CacheRead += b.CacheRead
	a.CacheWrite += b.CacheWrite
	a.CacheLong += b.CacheLong
	a.Output += b.Output
	a.Reasoning += b.Reasoning
	a.Cost += b.Cost
	a.Unpriced += b.Unpriced
	switch {
	case a.Source == "" || a.Source == FromNowhere:
		a.Source = b.Source
	case a.Source != b.Source && b.Source != FromNowhere:
		a.Source = Mixed
	}
}

// Limit is a provider's limit as a transcript shows it.
type Limit = store.UsageLimit

// Limits returns the newest limits of providers that transcripts show.
func (l *Ledger) Limits(ctx context.Context) ([]Limit, error) {
	s, err := l.opts.Read(ctx)
	if err != nil {
		return nil, err
	}
	return store.UsageIn(s).Limits(ctx)
}

// PricesAsOf is the date of the list prices.
func (l *Ledger) PricesAsOf() string { return l.opts.Prices.AsOf }

package money

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// tokensFilters choose what is counted, and how.
type tokensFilters struct {
	Days    int            `json:"days,omitempty" min:"1" help:"Only this many days up to today (default: 30, unless --since is given)"`
	Since   registry.Since `json:"since,omitzero" since:"time" help:"Only usage since this time"`
	GroupBy string         `json:"group_by,omitempty" default:"day" enum:"day,agent,kind,model,session" help:"What to group by"`
	Agent   []string       `json:"agent,omitempty" help:"Only agents of these kinds or names (claude, cod, cc_1), separated by commas"`
	Session string         `json:"session,omitempty" inline:"word" names:"session" help:"Only this session; a folder names agents that no session is known of"`
}

type tokensIn struct {
	tokensFilters
	registry.Page `default:"limit=100"`
}

type tokensOut struct {
	Filters tokensFilters `json:"filters,omitzero"`
	// Rows are by day, or else those that used most first.
	Rows []tokensRow `json:"rows"`
	// Total is over all rows, whatever the page.
	Total amount `json:"totals"`
	// PricesAsOf is the date of the list prices.
	PricesAsOf string `json:"prices_as_of,omitempty"`
	verb.Paged

	// why says why there are no rows; empty where there are.
	why string
}

// tokensRow is the usage of one day, agent, agent kind, model or session.
type tokensRow struct {
	_ struct{} `minimal:"key,tokens,cost_usd"`
	_ struct{} `standard:"key,requests,tokens,input_tokens,cache_read_tokens,output_tokens,cost_usd,cost_source"`
	_ struct{} `table:"KEY,REQUESTS,INPUT,CACHED,OUTPUT,TOKENS,COST"`
	// Key is the day (UTC), the agent kind, the model or the session; of an agent
	// SESSION/AGENT, or its kind where no session is known of it.
	Key string `json:"key" table:"KEY,strong,flex"`
	// Folder is true where Key is the folder of agents whose session is unknown.
	Folder bool `json:"folder"`
	amount
	First time.Time `json:"first_at,omitzero"`
	Last  time.Time `json:"last_at,omitzero"`
}

var tokens = registry.Define(registry.Spec[*verb.Env, tokensIn, tokensOut]{
	Name: "tokens", Group: verb.GroupMoney, Short: "Show tokens used, and their cost",
	Aliases: []string{"usage show", "token usage"},
	Long: "Counted from the agents' own transcripts, each request once, by UTC days. Costs are the agent's own " +
		"figures if it gives any, or else come from dated list prices, which [prices] in the configuration " +
		"overrides. The first call reads all transcripts, later ones only what is new.",
	Scope: registry.Global, Effect: registry.Reads, List: "rows",
	Deprecated: registry.Prefixed{Prefix: "tokens", Flags: []string{"agent", "days", "group-by", "session", "since"}},
	Examples:   []string{"--days=7", "--since=24h --group-by=model", "--group-by=agent --session=api"},
	Errors:     counting, Run: runTokens,
}).SeeAlso("budget", "metrics")

// counting are the error codes of verbs that count usage.
var counting = []core.Code{
	core.SessionNotFound, core.AgentNotFound, core.ConfigInvalid, core.PermissionDenied,
	core.StoreError, core.StoreLocked, core.MigrationFailed,
}

// usualDays is how far tokens looks back by default.
const usualDays = 30

func runTokens(ctx context.Context, env *verb.Env, in tokensIn) (tokensOut, error) {
	now := env.Now()
	query := usage.Query{Group: usage.Group(in.GroupBy)}
	since := in.Since.AsTime(now)
	if in.Days == 0 && !in.Since.Given() {
		in.Days = usualDays
	}
	query.Since = since
	if in.Days > 0 {
		if first := DayOf(now).AddDate(0, 0, 1-in.Days); first.After(since) {
			query.Since = first
		}
	}
	var err error
	if query.Kinds, query.Agents, err = agentsNamed(env, in.Agent); err != nil {
		return tokensOut{}, err
	}
	directory, err := count(ctx, env)
	if err != nil {
		return tokensOut{}, err
	}
	if in.Session, err = spender(ctx, env, directory.Ledger(), in.Session); err != nil {
		return tokensOut{}, err
	}
	query.Session = in.Session
	sum, err := directory.Ledger().Sum(ctx, query)
	if err != nil {
		return tokensOut{}, err
	}
	shown, page := verb.Cut(sum.Rows, in.Page)
	out := tokensOut{
		Filters: in.tokensFilters, Rows: make([]tokensRow, 0, len(shown)), Total: amountOf(&sum.Total),
		PricesAsOf: directory.Ledger().PricesAsOf(), Paged: page,
	}
	if len(sum.Rows) == 0 {
		out.why = emptyReason(directory.Ledger().Folders(), out.Filters)
		env.Warn(out.why)
	}
	for i := range shown {
		row := &shown[i]
		out.Rows = append(out.Rows,
			tokensRow{
				Key: row.Key, Folder: row.Folder, amount: amountOf(&row.Amount), First: row.First,
				Last: row.Last,
			})
	}
	return out, nil
}

// emptyReason says why nothing was used: there are no transcripts, or none of what was
// asked for.
func emptyReason(places []usage.Folder, asked tokensFilters) string {
	var found, looked []string
	for _, place := range places {
		looked = append(looked, string(place.Kind)+" in "+place.Path)
		if place.Files > 0 {
			found = append(found, fmt.Sprintf("%d of %s", place.Files, place.Kind))
		}
	}
	if len(found) == 0 {
		return "no transcripts of agents were found; these were looked for: " + strings.Join(looked, ", ")
	}
	period := "that time"
	if !asked.Since.Given() && asked.Days > 0 {
		period = "the last " + verb.Plural(asked.Days, "day")
	}
	return "there are transcripts (" + strings.Join(found, ", ") +
		"), but nothing in them fits what was asked for in " + period + "; see 'cupola tokens --days=365'"
}

// spender is SessionOnRecord for sessions and folders that agents used something in.
func spender(ctx context.Context, env *verb.Env, ledger *usage.Ledger, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	sum, err := ledger.Sum(ctx, usage.Query{Group: usage.BySession})
	if err != nil {
		return "", err
	}
	keys := core.Map(sum.Rows, func(r usage.Row) string { return r.Key })
	return verb.SessionOnRecord(ctx, env, name, keys...)
}

// DayOf is when a moment's day began, UTC.
func DayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// agentsNamed separates the kinds among some words from names of agents, which end in
// a number.
func agentsNamed(env *verb.Env, words []string) (kinds []core.Kind, names []string, err error) {
	var asKinds []string
	for _, word := range words {
		if at := strings.LastIndexByte(word, '_'); at > 0 && strings.Trim(word[at+1:], "0123456789") == "" &&
			at+1 < len(word) {
			names = append(names, word)
		} else {
			asKinds = append(asKinds, word)
		}
	}
	if len(asKinds) == 0 {
		return nil, names, nil
	}
	f, err := env.Fleet()
	if core.AsError(err).HasCode(core.EngineUnavailable, core.EngineBusy) {
		for _, kind := range asKinds {
			kinds = append(kinds, core.Kind(kind))
		}
		return kinds, names, nil
	}
	if err == nil {
		kinds, err = f.Resolver.KindIDs(asKinds)
	}
	return kinds, names, err
}

func (o tokensOut) Hints() *registry.Hints {
	hints := verb.PageHints(o.Pagination)
	if o.Total.UnpricedTokens > 0 {
		hints.Warnings = append(hints.Warnings,
			"no price is known for "+report.Grouped(o.Total.UnpricedTokens)+
				` of the tokens; give one under [prices."MODEL"] in the configuration`)
	}
	return hints
}

// Next suggests to look back further where nothing was found.
func (o tokensOut) Next() []registry.Action {
	if o.why == "" || o.Filters.Days >= 365 {
		return nil
	}
	return verb.NextOnly("tokens", "Look back a year", "tokens", "--days=365")
}

// shares returns the costs of the rows or, if nothing cost anything, their tokens, and the value of a whole bar: the
// greatest of the days, else all together.
func (o tokensOut) shares() (values []float64, whole float64, costs bool) {
	costs = o.Total.CostUSD > 0
	for i := range o.Rows {
		value := float64(o.Rows[i].Tokens)
		if costs {
			value = o.Rows[i].CostUSD
		}
		values = append(values, value)
	}
	if o.Filters.GroupBy == string(usage.ByDay) {
		return values, slices.Max(append([]float64{0}, values...)), costs
	}
	if costs {
		return values, o.Total.CostUSD, costs
	}
	return values, float64(o.Total.Tokens), costs
}

// perDay are the values of rows by day, with 0 for the days between them.
func perDay(rows []tokensRow, values []float64) []float64 {
	var days []float64
	var last time.Time
	for i := range rows {
		day, err := time.Parse(time.DateOnly, rows[i].Key)
		if err != nil {
			return values
		}
		for !last.IsZero() && last.AddDate(0, 0, 1).Before(day) {
			last, days = last.AddDate(0, 0, 1), append(days, 0)
		}
		last, days = day, append(days, values[i])
	}
	return days
}

func (o tokensOut) Report() *report.Report {
	rows := slices.Clone(o.Rows)
	if len(rows) > 1 {
		rows = append(rows, tokensRow{Key: "all", amount: o.Total})
	}
	table := report.TableOf(rows, time.Time{}, "no agent has used anything in that time")
	table.Columns[0].Title = strings.ToUpper(o.Filters.GroupBy)
	if last := len(o.Rows); last > 1 {
		table.Rows[last][0].Tone = report.Dim
	}
	shares, whole, costs := o.shares()
	if len(o.Rows) > 1 {
		table.AddBars(shares, whole)
	}
	r := table.Report()
	if o.Filters.GroupBy == string(usage.ByDay) && len(o.Rows) > 1 {
		label := "tokens a day"
		if costs {
			label = "cost a day"
		}
		r.Add(report.Spark(label, perDay(o.Rows, shares)))
	}
	sources := func(source string) bool {
		return slices.ContainsFunc(o.Rows, func(row tokensRow) bool { return row.CostSource == source })
	}
	if sources(usage.FromTable) || sources(usage.Mixed) {
		r.AddLine(report.Toned(report.Dim,
			"~ from list prices of "+o.PricesAsOf+"; no subscription is counted in"))
	}
	return r
}

package command

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/report"
	"cupola/core/usage"
	"cupola/robot/registry"
)

type tokensIn struct {
	Days    int            `min:"1" help:"Only this many days up to today (default: 30, unless --since is given)"`
	Since   registry.Since `since:"time" help:"Only usage since this time"`
	GroupBy string         `enum:"day,agent,kind,model,session" help:"What to group by"`
	Agent   []string       `help:"Only agents of these kinds or names (claude, cod, cc_1), separated by commas"`
	Session string         `inline:"word" help:"Only this session; a folder names agents that no session is known of"`
	registry.Page
}

type tokensOut struct {
	Filters tokensFilters `json:"filters,omitzero"`
	// Rows are by day, or else those that used most first.
	Rows []tokensRow `json:"rows"`
	// Total is over all rows, whatever the page.
	Total amount `json:"totals"`
	// PricesAsOf is the date of the list prices.
	PricesAsOf string `json:"prices_as_of,omitempty"`
	paged

	// why says why there are no rows; empty where there are.
	why string
}

// tokensFilters echoes what was asked for.
type tokensFilters struct {
	Days    int      `json:"days,omitempty"`
	Since   string   `json:"since,omitempty"`
	GroupBy string   `json:"group_by,omitempty"`
	Agent   []string `json:"agent,omitempty"`
	Session string   `json:"session,omitempty"`
}

// tokensRow is what one day, agent, agent kind, model or session used.
type tokensRow struct {
	_ struct{} `minimal:"key,tokens,cost_usd"`
	_ struct{} `standard:"key,requests,tokens,input_tokens,cache_read_tokens,output_tokens,cost_usd,cost_source"`
	// Key is the day (UTC), the agent kind, the model or the session; of an agent
	// SESSION/AGENT, or its kind where no session is known of it.
	Key string `json:"key"`
	// Folder is true where Key is the folder in which agents worked of whom no
	// session is known.
	Folder bool `json:"folder"`
	amount
	First time.Time `json:"first_at,omitzero"`
	Last  time.Time `json:"last_at,omitzero"`
}

var tokens = registry.Define(registry.Spec[tokensIn, tokensOut]{
	Name: "tokens", Group: groupMoney, Short: "Show how many tokens agents used, and what they cost",
	Aliases: []string{"usage show", "token usage"},
	Long: "Counted from the agents' own transcripts, each request once, by UTC days. Costs are the agent's own " +
		"figures if it gives any, or " +
		"else come from dated list prices, which [prices] in the configuration overrides. The first call reads all " +
		"transcripts, later " +
		"ones only what is new.",
	Scope: registry.Global, Effect: registry.Reads, List: "rows",
	Deprecated: registry.Prefixed{Prefix: "tokens", Flags: []string{"agent", "days", "group-by", "session", "since"}},
	Default:    tokensIn{GroupBy: "day", Page: registry.Page{Limit: 100}},
	Examples: []tokensIn{
		{Days: 7, GroupBy: "day", Page: registry.Page{Limit: 100}},
		{GroupBy: "model", Since: registry.Since{Ago: 24 * time.Hour}, Page: registry.Page{Limit: 100}},
		{GroupBy: "agent", Session: "api", Page: registry.Page{Limit: 100}},
	},
	Errors: counting, Run: runTokens, Human: tokensReport,
	Hints: func(_ tokensIn, out tokensOut) *registry.Hints { return tokensHints(out) },
	Next: func(in tokensIn, out tokensOut) []registry.Action {
		if out.why == "" || in.Days >= 365 {
			return nil
		}
		return []registry.Action{{
			Action: "tokens", Description: "Look back a year",
			Command: "cupola tokens --days=365",
		}}
	},
}).SeeAlso("budget", "metrics")

// counting are the codes with which verbs fail that count usage.
var counting = []core.Code{
	core.SessionNotFound, core.AgentNotFound, core.ConfigInvalid, core.PermissionDenied,
	core.StoreError, core.StoreLocked, core.MigrationFailed,
}

// usualDays is how far tokens looks back where nobody says.
const usualDays = 30

func runTokens(ctx context.Context, deps *registry.Deps, in tokensIn) (tokensOut, error) {
	now := deps.Now()
	query := usage.Query{Group: usage.Group(in.GroupBy)}
	since, err := in.Since.AsTime(now)
	if err != nil {
		return tokensOut{}, err
	}
	if in.Days == 0 && !in.Since.Given() {
		in.Days = usualDays
	}
	query.Since = since
	if in.Days > 0 {
		if first := dayOf(now).AddDate(0, 0, 1-in.Days); first.After(since) {
			query.Since = first
		}
	}
	if query.Kinds, query.Agents, err = agentsNamed(deps, in.Agent); err != nil {
		return tokensOut{}, err
	}
	book, err := count(ctx, deps)
	if err != nil {
		return tokensOut{}, err
	}
	if in.Session, err = spender(ctx, deps, book.Ledger, in.Session); err != nil {
		return tokensOut{}, err
	}
	query.Session = in.Session
	sum, err := book.Ledger.Sum(ctx, query)
	if err != nil {
		return tokensOut{}, err
	}
	shown, page := cut(sum.Rows, in.Page)
	out := tokensOut{
		Filters: tokensFilters{
			Days: in.Days, Since: in.Since.String(), GroupBy: in.GroupBy, Agent: set(in.Agent),
			Session: in.Session,
		},
		Rows: make([]tokensRow, 0, len(shown)), Total: amountOf(&sum.Total), PricesAsOf: book.Ledger.PricesAsOf(),
		paged: page,
	}
	if len(sum.Rows) == 0 {
		out.why = whyNothing(book.Ledger.Places(), out.Filters)
		deps.Warn(out.why)
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

// whyNothing says why nothing was used: there are no transcripts, or none of what was
// asked for.
func whyNothing(places []usage.Place, asked tokensFilters) string {
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
	if asked.Since == "" && asked.Days > 0 {
		period = "the last " + plural(asked.Days, "day")
	}
	return "there are transcripts (" + strings.Join(found, ", ") +
		"), but nothing in them fits what was asked for in " + period + "; see 'cupola tokens --days=365'"
}

// spender is onRecord for sessions and folders that agents used something in.
func spender(ctx context.Context, deps *registry.Deps, ledger *usage.Ledger, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	sum, err := ledger.Sum(ctx, usage.Query{Group: usage.BySession})
	if err != nil {
		return "", err
	}
	var keys []string
	for i := range sum.Rows {
		keys = append(keys, sum.Rows[i].Key)
	}
	return onRecord(ctx, deps, name, keys...)
}

// dayOf is when a moment's day began, UTC.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// agentsNamed tells the kinds among some words from names of agents, which end in
// a number.
func agentsNamed(deps *registry.Deps, words []string) (kinds []core.Kind, names []string, err error) {
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
	f, err := deps.Fleet()
	if core.AsError(err).HasCode(core.EngineUnavailable) {
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

func tokensHints(out tokensOut) *registry.Hints {
	hints := pageHints(out.Pagination)
	if out.Total.UnpricedTokens > 0 {
		if hints == nil {
			hints = &registry.Hints{}
		}
		hints.Warnings = append(hints.Warnings,
			"no price is known for "+grouped(out.Total.UnpricedTokens)+
				` of the tokens; give one under [prices."MODEL"] in the configuration`)
	}
	return hints
}

func tokensReport(in tokensIn, out tokensOut) *report.Report {
	table := &report.Table{
		Columns: report.Columns(strings.ToUpper(in.GroupBy), "REQUESTS", "INPUT", "CACHED", "OUTPUT", "TOKENS", "COST"),
		Empty:   "no agent has used anything in that time",
	}
	for i := 1; i < len(table.Columns); i++ {
		table.Columns[i].Right = true
	}
	table.Columns[0].Flex = true
	for i := range out.Rows {
		table.Rows = append(table.Rows, amountCells(report.Toned(report.Strong, out.Rows[i].Key), &out.Rows[i].amount))
	}
	if len(out.Rows) > 1 {
		table.Rows = append(table.Rows, amountCells(report.Toned(report.Dim, "all"), &out.Total))
	}
	r := (&report.Report{}).Add(report.Block{Table: table})
	sources := func(source string) bool {
		return slices.ContainsFunc(out.Rows, func(row tokensRow) bool { return row.CostSource == source })
	}
	if sources(usage.FromTable) || sources(usage.Mixed) {
		r.Add(report.Block{Lines: []report.Line{{report.Toned(report.Dim,
			"~ from list prices of "+out.PricesAsOf+"; no subscription is counted in")}}})
	}
	return r
}

func amountCells(name report.Cell, a *amount) []report.Cell {
	return []report.Cell{
		name, report.Text(grouped(int64(a.Requests))), report.Text(grouped(a.Input + a.CacheWrite)),
		report.Toned(report.Dim, grouped(a.CacheRead)), report.Text(grouped(a.Output)), report.Text(grouped(a.Tokens)),
		report.Text(money(a.CostUSD, a.CostSource, a.UnpricedTokens)),
	}
}

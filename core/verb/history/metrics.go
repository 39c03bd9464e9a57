package history

import (
	"context"
	"fmt"
	"time"

	"cupola/core"
	"cupola/core/record/store"
	"cupola/core/record/timesheet"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

// metricsFilters choose what is counted.
type metricsFilters struct {
	Period string         `json:"period,omitempty" default:"day" help:"Length of a row: hour, day (UTC), week, or a duration such as 30m, 6h or 7d"`
	Since  registry.Since `json:"since,omitzero" since:"time" help:"Start at this time instead of showing the last seven periods"`
	registry.OfSession
}

type metricsIn struct {
	metricsFilters
	registry.Page `default:"limit=100"`
}

type metricsOut struct {
	Filters metricsFilters `json:"filters,omitzero"`
	// From is when the first period begins, To is now.
	From time.Time `json:"from,omitzero"`
	To   time.Time `json:"to"`
	// Periods has one row per period, the oldest first.
	Periods []periodRow `json:"periods"`
	// Agents has one row per agent, over all periods.
	Agents []agentTimes `json:"agents"`
	Total  measures     `json:"totals"`
	// Kept is true if a keeper runs now. Times in states are known only
	// for while one did.
	Kept bool `json:"kept"`
	verb.Paged
}

// measures are counts, and seconds that agents spent in each state.
type measures struct {
	Prompts    int `json:"prompts" table:"PROMPTS,empty=-"`
	Deliveries int `json:"deliveries"`
	outcomes
	// Waits, Limits and Errors are how often an agent came to wait for the user, to a
	// limit or to an error.
	Waits    int     `json:"wait_count" table:"WAITS,warn,empty=-,drop=1"`
	Limits   int     `json:"limit_count"`
	Errors   int     `json:"error_count" table:"ERRORS,bad,empty=-,drop=2"`
	Working  seconds `json:"working_s" table:"WORKING,empty=-"`
	Waiting  seconds `json:"waiting_s" table:"WAITING,empty=-"`
	Idle     seconds `json:"idle_s" table:"IDLE,empty=-,drop=3"`
	Limited  seconds `json:"limited_s"`
	Error    seconds `json:"error_s"`
	Starting seconds `json:"starting_s"`
	Exited   seconds `json:"exited_s"`
	Unknown  seconds `json:"unknown_s"`
}

// seconds are shown as a duration.
type seconds float64

// String writes them in whole seconds, as 1h2m3s.
func (s seconds) String() string { return (time.Duration(s) * time.Second).String() }

// periodRow holds the figures of one period.
type periodRow struct {
	_    struct{}  `minimal:"from,prompts,working_s"`
	_    struct{}  `standard:"from,prompts,delivered,wait_count,working_s,waiting_s,idle_s"`
	From time.Time `json:"from" table:"FROM,strong"`
	To   time.Time `json:"to"`
	measures
}

// agentTimes holds the figures of one agent.
type agentTimes struct {
	_       struct{}  `minimal:"address,prompts,working_s"`
	Session string    `json:"session" names:"session"`
	Address string    `json:"address,omitempty" names:"session" table:"AGENT,strong,and=Agent"`
	Agent   string    `json:"agent,omitempty"`
	Kind    core.Kind `json:"kind,omitempty"`
	measures
}

// Metrics declares the verb metrics.
var Metrics = registry.Define(registry.Spec[verb.OnRecords, metricsIn, metricsOut]{
	Name: "metrics", Group: verb.GroupSee, Short: "Count prompts, waits and time in states",
	Long: "Read from the records. Without --since, the rows begin with the first period that has records. Time " +
		"in states is known only for periods in which a dashboard, a watch or another long-lived Cupola was running.",
	Scope: registry.Global, Effect: registry.Reads, List: "periods",
	Deprecated: registry.Prefixed{Prefix: "metrics", Flags: []string{"period"}},
	Examples:   []string{"", "--period=1h --session=api"},
	Errors: []core.Code{
		core.SessionNotFound, core.EngineUnavailable, core.StoreError, core.StoreLocked,
		core.MigrationFailed,
	},
	Run: runMetrics,
}).SeeAlso("summary", "tokens")

const (
	// usualPeriods is how many periods are shown without --since,
	// mostPeriods how many at most.
	usualPeriods = 7
	mostPeriods  = 1000
	// lead is how long before the first period events are read, for the states that
	// agents were in when it began.
	lead = 24 * time.Hour
)

func (o metricsOut) Hints() *registry.Hints {
	hints := verb.PageHints(o.Pagination)
	if !o.Kept {
		hints.Warnings = append(hints.Warnings,
			"kept is false: times in states are counted only while a dashboard, a watch or another long-lived Cupola "+
				"runs, and none does now")
	}
	return hints
}

func runMetrics(ctx context.Context, deps verb.OnRecords, in metricsIn) (metricsOut, error) {
	now := deps.Env.Now().UTC()
	spans, err := in.spans(now)
	if err != nil {
		return metricsOut{}, err
	}
	if in.Session, err = verb.SessionOnRecord(ctx, deps.Env, in.Session); err != nil {
		return metricsOut{}, err
	}
	hidden, err := verb.HiddenEver(ctx, deps.Env, in.Session)
	if err != nil {
		return metricsOut{}, err
	}
	prompts, err := store.PromptsIn(deps.Records).Find(ctx,
		store.PromptQuery{Server: deps.Server, Session: in.Session, Except: hidden, Since: spans[0].from})
	if err != nil {
		return metricsOut{}, err
	}
	events, err := store.EventsIn(deps.Records).Find(ctx,
		store.EventQuery{Server: deps.Server, Since: spans[0].from.Add(-lead)})
	if err != nil {
		return metricsOut{}, err
	}
	m := newMeasured(spans, in.Session, hidden)
	for i := range prompts.Prompts {
		m.prompt(&prompts.Prompts[i])
	}
	for _, span := range timesheet.Of(events, now, deps.Kept) {
		if in.Session != "" || !span.Foreign || !deps.Fleet.Resolver.HidesForeign() {
			m.add(span)
		}
	}
	rows := m.rows()
	if !in.Since.Given() {
		rows = fromFirst(rows)
	}
	out := metricsOut{
		Filters: in.metricsFilters, From: rows[0].From, To: now, Agents: m.agentRows(), Total: m.total,
		Kept: deps.Kept,
	}
	out.Periods, out.Paged = verb.Cut(rows, in.Page)
	return out, nil
}

// fromFirst leaves out the empty periods before the first with records, but never
// the last.
func fromFirst(rows []periodRow) []periodRow {
	for len(rows) > 1 && rows[0].measures == (measures{}) {
		rows = rows[1:]
	}
	return rows
}

// stretch is a period.
type stretch struct{ from, to time.Time }

// spans returns the periods that are asked for; the last has not ended. They begin at whole multiples of their
// length, UTC, weeks on Mondays.
func (in *metricsFilters) spans(now time.Time) ([]stretch, error) {
	length, err := lengthOf(in.Period)
	if err != nil {
		return nil, err
	}
	since := in.Since.AsTime(now)
	last := now.Truncate(length)
	first := last.Add(-(usualPeriods - 1) * length)
	if !since.IsZero() {
		first = since.UTC().Truncate(length)
	}
	if first.After(now) {
		return nil, &core.Error{Code: core.InvalidInput, Message: fmt.Sprintf("--since: %s is not past yet", in.Since)}
	}
	if n := now.Sub(first) / length; n >= mostPeriods {
		return nil, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("--since: these are %d periods; the most are %d", n+1, mostPeriods),
			Hint:    "Choose a longer --period.",
		}
	}
	var spans []stretch
	for from := first; !from.After(now); from = from.Add(length) {
		spans = append(spans, stretch{from, from.Add(length)})
	}
	return spans, nil
}

// lengthOf reads a period.
func lengthOf(text string) (time.Duration, error) {
	const day = 24 * time.Hour
	if length, is := map[string]time.Duration{"hour": time.Hour, "day": day, "week": 7 * day}[text]; is {
		return length, nil
	}
	length, err := core.ParseDuration(text)
	if err != nil || length < time.Minute {
		return 0, &core.Error{
			Code: core.InvalidInput, Message: fmt.Sprintf("--period: %q is not a period of at least a minute", text),
			Hint: "Give hour, day, week, or a duration such as 6h or 7d.", Suggestions: []string{"hour", "day", "week"},
		}
	}
	return length, nil
}

// Check sees that what was given can be read.
func (in metricsIn) Check() error {
	_, err := lengthOf(in.Period)
	return err
}

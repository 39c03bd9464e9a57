package money

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/agent/usage"
	"cupola/core/record/budget"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type budgetIn struct {
	registry.OfSession
}

type budgetOut struct {
	Filters registry.OfSession `json:"filters,omitzero"`
	// Ceilings has one row per ceiling, and one per session under a ceiling for all.
	Ceilings []BudgetRow `json:"ceilings"`
	// Today is the usage of every agent of this machine of today, UTC, or of the session's.
	Today amount `json:"today"`
	// PricesAsOf is the date of the list prices.
	PricesAsOf string `json:"prices_as_of,omitempty"`
}

// BudgetRow is the spending under one ceiling.
type BudgetRow struct {
	_ struct{} `minimal:"scope,session,percent,state" table:"CEILING OF,USED,OF,SHARE,STATE,COUNTED"`
	_ struct{} `standard:"scope,session,unit,ceiling,used,percent,state,period"`
	budget.Spend
	Remaining float64 `json:"remaining"`
	Percent   float64 `json:"percent" table:"SHARE"`
	// State is ok, warning (from 80 % on), reached (from 100 % on) or exceeded.
	State budget.State `json:"state" table:"STATE,word"`
}

var budgetShown = registry.Define(registry.Spec[*verb.Env, budgetIn, budgetOut]{
	Name: "budget", Group: verb.GroupMoney, Short: "Show spending against ceilings",
	Aliases: []string{"budget show", "budget list", "budget status", "show budget"},
	Long: "A ceiling warns at 80 % and raises an error at 100 %. Above it, new prompts are refused with " +
		"BUDGET_EXCEEDED unless they are sent with --override-budget. Usage is counted as 'tokens' counts it.",
	Scope: registry.Global, Effect: registry.Reads, List: "ceilings",
	Examples: []string{"", "--session=api"},
	Errors:   counting, Run: runBudget,
}).SeeAlso("tokens", "metrics")

// BudgetSection are the ceilings for the snapshot. Nothing is counted where there is
// none.
func BudgetSection(ctx context.Context, env *verb.Env) ([]BudgetRow, error) {
	directory, err := env.Budget()
	if err != nil {
		return nil, err
	}
	if ceilings, err := directory.Ceilings(ctx); err != nil || len(ceilings) == 0 {
		return nil, err
	}
	if _, err := count(ctx, env); err != nil {
		return nil, err
	}
	spends, err := directory.Spends(ctx)
	return budgetRows(spends), err
}

func runBudget(ctx context.Context, env *verb.Env, in budgetIn) (budgetOut, error) {
	directory, err := count(ctx, env)
	if err != nil {
		return budgetOut{}, err
	}
	if in.Session, err = verb.SessionOnRecord(ctx, env, in.Session); err != nil {
		return budgetOut{}, err
	}
	today, err := directory.Ledger().Sum(ctx,
		usage.Query{Since: DayOf(env.Now()), Session: in.Session, Owned: in.Session != ""})
	if err != nil {
		return budgetOut{}, err
	}
	spends, err := directory.Spends(ctx)
	if err != nil {
		return budgetOut{}, err
	}
	if in.Session != "" {
		spends = spendsOf(in.Session, spends)
	}
	return budgetOut{
		Filters: in.OfSession, Ceilings: budgetRows(spends), Today: amountOf(&today.Total),
		PricesAsOf: directory.Ledger().PricesAsOf(),
	}, nil
}

// spendsOf are the spends under the ceilings that hold for a session, also under one
// for every session that used nothing.
func spendsOf(session string, all []budget.Spend) []budget.Spend {
	var own, every []budget.Spend
	for i := range all {
		if s := all[i]; s.Scope != budget.Session || s.Session == session {
			own = append(own, s)
		} else if s.Every {
			s.Session, s.Used, s.Unpriced, s.WarnedAt, s.ReachedAt = session, 0, 0, time.Time{}, time.Time{}
			every = append(every, s)
		}
	}
	for _, s := range every {
		if !slices.ContainsFunc(own, func(o budget.Spend) bool { return o.Scope == s.Scope && o.Unit == s.Unit }) {
			own = append(own, s)
		}
	}
	return own
}

func budgetRows(spends []budget.Spend) []BudgetRow {
	rows := make([]BudgetRow, len(spends))
	for i := range spends {
		s := &spends[i]
		rows[i] = BudgetRow{
			Spend: *s, Remaining: verb.Rounded(s.Remaining(), 4), Percent: verb.Rounded(s.Percent(), 1),
			State: s.State(),
		}
		rows[i].Used = verb.Rounded(s.Used, 4)
	}
	return rows
}

func (o budgetOut) Next() []registry.Action {
	switch {
	case len(o.Ceilings) > 0:
		return nil
	case o.Filters.Session != "":
		return verb.NextOnly("budget-set", "Set a ceiling for it", "budget-set", budget.Session,
			"--session="+o.Filters.Session, "--usd=20")
	}
	return verb.NextOnly("budget-set", "Set a ceiling for a day", "budget-set", budget.Day, "--usd=20")
}

func (o budgetOut) Report() *report.Report {
	today := report.Line{
		report.Toned(report.Dim, "today "),
		report.Text(o.Today.money()),
		report.Toned(report.Dim, " for "+report.Grouped(o.Today.Tokens)+" tokens"),
	}
	if o.Today.Tokens == 0 {
		today = report.Line{report.Toned(report.Dim, "nothing was used today")}
	}
	used := core.Map(o.Ceilings, func(b BudgetRow) float64 { return b.Percent })
	table := report.TableOf(o.Ceilings, time.Time{}, "there is no ceiling").AddBars(used, 100)
	for i, row := range table.Rows {
		row[len(row)-1].Tone = report.ToneOf(string(o.Ceilings[i].State))
	}
	r := table.Report()
	r.AddLine(today...)
	if len(o.Ceilings) == 0 {
		r.Next = []report.Tip{verb.Tip("set a ceiling for a day", "budget-set", "day", "--usd=20")}
	}
	return r
}

// settingCeilings are the error codes of setting a ceiling.
var settingCeilings = []core.Code{
	core.SessionNotFound, core.NotFound, core.ConfigInvalid, core.StoreError,
	core.StoreLocked, core.MigrationFailed,
}

// Cell names the ceiling, and shows amounts in its unit.
func (r *BudgetRow) Cell(title string) (report.Cell, bool) {
	switch title {
	case "CEILING OF":
		name := strings.TrimSpace(r.Scope + " " + r.Session)
		if r.Every {
			name = "every " + name
		}
		return report.Toned(report.Strong, name), true
	case "USED":
		return report.Text(budget.Amount(r.Used, r.Unit)), true
	case "OF":
		return report.Text(budget.Amount(r.Most, r.Unit)), true
	case "SHARE":
		return report.Toned(report.ToneOf(string(r.State)), fmt.Sprintf("%.0f %%", r.Percent)), true
	}
	return report.Cell{}, false
}

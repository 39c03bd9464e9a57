package money

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"cupola/core"
	"cupola/core/record/budget"
	"cupola/core/record/store"
	"cupola/core/system/shell"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type budgetSetIn struct {
	Scope   string         `arg:"1" required:"true" enum:"session,day,fleet" open:"true" help:"What the ceiling is for: session, day (UTC) or fleet; an amount is the fleet's ceiling in dollars"`
	Session string         `names:"session" help:"With 'session': the session's name; without it, the ceiling holds for each session"`
	USD     string         `help:"Ceiling in dollars (20, 2.50)"`
	Tokens  string         `help:"Ceiling in tokens (1500000, 500k, 2M)"`
	Since   registry.Since `since:"time" help:"Count from this time on. Without it a session's ceiling counts everything on record, the fleet's only what is used from now on"`
	Remove  bool           `help:"Remove the ceiling; where there are two, the one in dollars or, with --tokens=0, the one in tokens"`
}

type budgetSetOut struct {
	Scope   string `json:"scope"`
	Session string `json:"session,omitempty" names:"session"`
	// Unit is usd or tokens.
	Unit string `json:"unit"`
	// Ceiling is the most that may be spent; 0 if it was removed.
	Ceiling float64 `json:"ceiling"`
	Removed bool    `json:"removed"`
	// Since is from when on it counts; empty is all on record, or the day's beginning.
	Since time.Time `json:"since,omitzero"`
}

var budgetSet = registry.Define(registry.Spec[*verb.Env, budgetSetIn, budgetSetOut]{
	Name: "budget-set", Group: verb.GroupMoney, Short: "Set or remove a spending ceiling",
	Long: "There can be one ceiling in dollars and one in tokens for a session, for each session, for a day and for " +
		"the fleet. Setting a ceiling again clears the warnings it has already given.",
	Scope: registry.Resource, Effect: registry.Destroys,
	Examples: []string{"day --usd=20", "session --session=api --tokens=2M"},
	Errors:   settingCeilings, Run: runBudgetSet,
})

func (o budgetSetOut) Next() []registry.Action {
	line := "cupola budget"
	if o.Session != "" {
		line += " " + shell.Line("--session="+o.Session)
	}
	return []registry.Action{{Action: "budget", Description: "See what was spent", Command: line}}
}

func runBudgetSet(ctx context.Context, env *verb.Env, in budgetSetIn) (budgetSetOut, error) {
	ceiling, err := in.ceiling(env.Now())
	if err != nil {
		return budgetSetOut{}, err
	}
	if ceiling.Session, err = verb.SessionOnRecord(ctx, env, ceiling.Session); err != nil {
		return budgetSetOut{}, err
	}
	directory, err := env.Budget()
	if err != nil {
		return budgetSetOut{}, err
	}
	if in.Remove {
		if in.USD == "" && in.Tokens == "" {
			ceiling.Unit = onlyUnit(ctx, directory, ceiling)
		}
		err = directory.Remove(ctx, ceiling)
	} else if err = directory.Set(ctx, ceiling); err == nil {
		warnOfSpent(ctx, env, ceiling)
	}
	return budgetSetOut{
		Scope: ceiling.Scope, Session: ceiling.Session, Unit: ceiling.Unit, Ceiling: ceiling.Most, Removed: in.Remove,
		Since: ceiling.Since,
	}, err
}

// onlyUnit is the unit of the only ceiling of its name, or dollars.
func onlyUnit(ctx context.Context, directory *budget.Monitor, c store.Ceiling) string {
	set, err := directory.Ceilings(ctx)
	set = slices.DeleteFunc(set,
		func(other store.Ceiling) bool { return other.Scope != c.Scope || other.Session != c.Session })
	if err != nil || len(set) != 1 {
		return budget.USD
	}
	return set[0].Unit
}

// warnOfSpent says where a ceiling that was just set is used up already. That it
// cannot be counted is reported when it is asked for.
func warnOfSpent(ctx context.Context, env *verb.Env, c store.Ceiling) {
	directory, err := count(ctx, env)
	if err != nil {
		return
	}
	spends, err := directory.Spends(ctx)
	if err != nil {
		return
	}
	for i := range spends {
		s := &spends[i]
		if s.Scope == c.Scope && s.Unit == c.Unit && (s.Session == c.Session || c.Session == "" && s.Every) &&
			s.State() == budget.Exceeded {
			env.Warn(s.Name() + " has already used " + s.Says() + ": new prompts are refused")
		}
	}
}

// scopes are the subjects of ceilings.
var scopes = []string{budget.Session, budget.Day, budget.Fleet}

// readScope reads an amount in the place of the scope: it is the fleet's ceiling in dollars.
func (in *budgetSetIn) readScope() error {
	if _, err := verb.Dollars("SCOPE", in.Scope); err == nil && in.USD == "" && in.Tokens == "" {
		in.Scope, in.USD = budget.Fleet, in.Scope
		return nil
	}
	return registry.CheckEnum("SCOPE", []string{in.Scope}, scopes)
}

// ceiling returns the requested ceiling.
func (in *budgetSetIn) ceiling(now time.Time) (store.Ceiling, error) {
	if err := in.readScope(); err != nil {
		return store.Ceiling{}, err
	}
	example := shell.Line("cupola", "budget-set", in.Scope)
	if in.Session != "" {
		example += " " + shell.Line("--session="+in.Session)
	}
	example += " --usd=20"
	c := store.Ceiling{Scope: in.Scope, Session: in.Session, Unit: budget.USD}
	since := in.Since.AsTime(now)
	switch {
	case in.Session != "" && in.Scope != budget.Session:
		return c, registry.Conflict("--session", shell.Quote(in.Scope), "Only the ceiling of a session has one.")
	case !since.IsZero() && in.Scope == budget.Day:
		return c, registry.Conflict("--since", shell.Quote(in.Scope), "A day counts from its beginning, UTC.")
	case in.USD != "" && in.Tokens != "":
		return c, registry.Conflict("--usd", "--tokens", "Set one ceiling after the other.")
	case in.USD == "" && in.Tokens == "" && !in.Remove:
		return c, &core.Error{
			Code: core.MissingRequired, Message: "budget-set needs --usd or --tokens",
			Details: map[string]any{"missing": []string{"--usd", "--tokens"}},
			Hint:    "For example: " + example, Actions: []string{example},
		}
	}
	if in.Tokens != "" {
		c.Unit = budget.Tokens
	}
	if in.Remove {
		return c, nil
	}
	if c.Since = since; in.Scope == budget.Fleet && since.IsZero() {
		c.Since = now
	}
	var err error
	if in.Tokens != "" {
		c.Most, err = countOf(in.Tokens)
	} else {
		c.Most, err = verb.Dollars("--usd", in.USD)
	}
	return c, err
}

// countOf reads a number of tokens: 1500000, 500k, 2M.
func countOf(text string) (float64, error) {
	number, unit := text, 1.0
	switch {
	case strings.HasSuffix(strings.ToLower(text), "k"):
		number, unit = text[:len(text)-1], 1e3
	case strings.HasSuffix(strings.ToLower(text), "m"):
		number, unit = text[:len(text)-1], 1e6
	}
	n, err := strconv.ParseFloat(number, 64)
	if err != nil || !(n*unit >= 1 && n*unit < 1e15) {
		return 0, &core.Error{
			Code:    core.InvalidInput,
			Message: fmt.Sprintf("--tokens: %q is not a number of tokens above 0", text),
			Hint:    "Give a number such as 1500000, 500k or 2M.",
		}
	}
	return n * unit, nil
}

func (o budgetSetOut) Report() *report.Report {
	of := "the " + o.Scope
	switch {
	case o.Session != "":
		of = "session " + o.Session
	case o.Scope == budget.Session:
		of = "every session"
	}
	if o.Removed {
		return report.Say(report.Toned(report.Good, "removed"), report.Text(" the ceiling in "+o.Unit+" of "+of))
	}
	return report.Say(report.Toned(report.Strong, of), report.Text(" may use "+budget.Amount(o.Ceiling, o.Unit)))
}

// Check sees that what was given can be read.
func (in budgetSetIn) Check() error {
	_, err := in.ceiling(time.Now())
	return err
}

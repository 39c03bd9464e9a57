package money

import (
	"context"
	"time"

	"cupola/core"
	"cupola/core/agent/account"
	"cupola/core/text/report"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

type accountsIn struct {
	providerFilter
	Limits        bool `help:"Also how much of each provider's limits is used, as far as running agents and transcripts show it"`
	registry.Page `default:"limit=100"`
}

type accountsOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Accounts has one row per way to sign in, the one in use first.
	Accounts []accountRow `json:"accounts" empty:"no account is signed in"`
	verb.Paged
	// Providers has one row per provider: the account that its agent uses. SignedIn counts those that are signed in.
	Providers []accountRow `json:"providers"`
	SignedIn  int          `json:"signed_in"`
	// Quotas has one row per provider, and Limits one per limit that was seen, on screens now or in transcripts: with
	// --limits.
	Quotas []quotaRow `json:"quotas,omitempty"`
	Limits []limitRow `json:"limits,omitempty"`
}

var accounts = registry.Define(registry.Spec[*verb.Env, accountsIn, accountsOut]{
	Name: "accounts", Group: verb.GroupMoney,
	Short: "List accounts, sign-ins and used limits",
	Long: "Read from the files the agents keep, from the environment and, for limits, from screens and transcripts. " +
		"Of a secret, only whether it exists and when it expires is read. No provider is contacted.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "accounts",
	Examples: []string{"--provider=openai --limits", ""},
	Errors:   append([]core.Code{core.EngineUnavailable}, counting[1:]...), Run: runAccounts,
}).SeeAlso("tokens", "budget")

func runAccounts(ctx context.Context, env *verb.Env, in accountsIn) (accountsOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsOut{}, err
	}
	out := accountsOut{Filters: in.providerFilter}
	out.Accounts, out.Paged = verb.Cut(accountRows(env, chosen), in.Page)
	out.Providers, out.SignedIn = accountsInUse(env, chosen)
	if in.Limits {
		deps, err := verb.OnFleet{}.Open(ctx, env)
		if err != nil {
			return out, err
		}
		if out.Quotas, out.Limits, err = limitsOf(ctx, deps, chosen); err != nil {
			return out, err
		}
	}
	return out, nil
}

// accountRows has a row for each way to sign in.
func accountRows(env *verb.Env, providers []*account.Provider) []accountRow {
	var rows []accountRow
	for _, p := range providers {
		for _, a := range AccountsOf(&env.Local, p) {
			if a.State != account.SignedOut || a.Name != "" {
				rows = append(rows, accountRow{Account: a})
			}
		}
	}
	return rows
}

// accountsInUse has a row for each provider: the account that its agent uses. It counts those that are signed in.
func accountsInUse(env *verb.Env, providers []*account.Provider) (rows []accountRow, signedIn int) {
	for _, p := range providers {
		a := AccountsOf(&env.Local, p)[0]
		if a.State == account.SignedIn {
			signedIn++
		}
		rows = append(rows, accountRow{Account: a})
	}
	return rows, signedIn
}

func (o accountsOut) Report() *report.Report {
	r := report.TableOf(o.Accounts, time.Time{}, "no account is signed in").Report()
	return r.AddRows("Limits", o.Quotas, time.Time{}).AddRows("What was seen", o.Limits, time.Time{})
}

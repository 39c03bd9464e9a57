package money

import (
	"context"
	"runtime"
	"slices"
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
	accountsListOut
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
	out := accountsOut{accountsListOut: accountsListOut{Filters: in.providerFilter}}
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

// providerFilter chooses providers.
type providerFilter struct {
	Provider []string `json:"provider,omitempty" help:"Only these providers, or the agent kinds that use them (anthropic or claude, openai or codex, ...)"`
}

// providers returns the providers that were asked for, or all.
func (in providerFilter) providers() ([]*account.Provider, error) {
	var valid []string
	for i := range account.Providers {
		p := &account.Providers[i]
		if valid = append(valid, p.Name); string(p.Kind) != p.Name {
			valid = append(valid, string(p.Kind))
		}
	}
	if err := registry.CheckEnum("provider", in.Provider, valid); err != nil {
		return nil, err
	}
	var chosen []*account.Provider
	for i := range account.Providers {
		p := &account.Providers[i]
		if len(in.Provider) == 0 || slices.Contains(in.Provider, p.Name) ||
			slices.Contains(in.Provider, string(p.Kind)) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

// Check sees that there are such providers.
func (in providerFilter) Check() error {
	_, err := in.providers()
	return err
}

// accountRow is one way to sign in at a provider. What is not known is absent.
type accountRow struct {
	_ struct{} `minimal:"provider,account,state" standard:"provider,kind,state,method,account,plan,expires_at"`
	account.Account
}

// AccountsOf are the accounts of providers on this machine.
func AccountsOf(env *verb.Local, p *account.Provider) []account.Account {
	return p.Find(env.Getenv, runtime.GOOS, env.Now())
}

// Cell says of a sign-in that renews itself that it does.
func (r *accountRow) Cell(title string) (report.Cell, bool) {
	if title == "ENDS" && r.Renews {
		return report.Toned(report.Dim, "renewed"), true
	}
	return report.Cell{}, false
}

type accountStatusIn struct{ providerFilter }

type accountStatusOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Providers has one row per provider: the account that its agent uses.
	Providers []accountRow `json:"providers" empty:"no account is signed in"`
	SignedIn  int          `json:"signed_in"`
}

var accountStatus = registry.Define(registry.Spec[*verb.Env, accountStatusIn, accountStatusOut]{
	Name: "account-status", Of: "accounts", Group: verb.GroupMoney, Short: "Show who is signed in at each provider",
	Long: "Read from the files the agents keep and from the environment. Of a secret, only whether it exists and " +
		"when it expires is read. No provider is contacted.",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "providers",
	Deprecated: registry.Prefixed{Prefix: "account-status", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=anthropic"},
	Run:        runAccountStatus,
}).SeeAlso("accounts", "tokens")

func runAccountStatus(_ context.Context, env *verb.Env, in accountStatusIn) (accountStatusOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountStatusOut{}, err
	}
	out := accountStatusOut{Filters: in.providerFilter}
	out.Providers, out.SignedIn = accountsInUse(env, chosen)
	return out, nil
}

type accountsListIn struct {
	providerFilter
	registry.Page `default:"limit=100"`
}

type accountsListOut struct {
	Filters providerFilter `json:"filters,omitzero"`
	// Accounts has one row per way to sign in, the one in use first.
	Accounts []accountRow `json:"accounts" empty:"no account is signed in"`
	verb.Paged
}

var accountsList = registry.Define(registry.Spec[*verb.Env, accountsListIn, accountsListOut]{
	Name: "accounts-list", Of: "accounts", Group: verb.GroupMoney, Short: "List the accounts of each provider",
	Scope: registry.Global, Effect: registry.Reads, Sessionless: true, List: "accounts",
	Deprecated: registry.Prefixed{Prefix: "accounts-list", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=openai"},
	Run:        runAccountsList,
}).SeeAlso("accounts", "tokens")

func runAccountsList(_ context.Context, env *verb.Env, in accountsListIn) (accountsListOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsListOut{}, err
	}
	shown, page := verb.Cut(accountRows(env, chosen), in.Page)
	return accountsListOut{Filters: in.providerFilter, Accounts: shown, Paged: page}, nil
}

package command

import (
	"context"
	"runtime"
	"slices"
	"strings"

	"cupola/core/account"
	"cupola/core/report"
	"cupola/robot/registry"
)

// ofProvider chooses providers.
type ofProvider struct {
	Provider []string `help:"Only these providers, or the agent kinds that use them (anthropic or claude, openai or codex, ...)"`
}

// providerFilter echoes which were asked for.
type providerFilter struct {
	Provider []string `json:"provider"`
}

// providers are those that were asked for, or all.
func (in ofProvider) providers() ([]*account.Provider, error) {
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
		if len(in.Provider) == 0 || slices.Contains(in.Provider, p.Name) || slices.Contains(in.Provider, string(p.Kind)) {
			chosen = append(chosen, p)
		}
	}
	return chosen, nil
}

func (in ofProvider) echo() providerFilter {
	return providerFilter{append([]string{}, in.Provider...)}
}

// accountRow is one way to sign in at a provider. What is not known is empty.
type accountRow struct {
	Provider string `json:"provider"`
	// Kind is the agent kind that uses it.
	Kind string `json:"kind"`
	// State is signed_in, expired, signed_out, or unknown where the secret lies in the
	// keychain of the system.
	State string `json:"state"`
	// Method is oauth, api_key or token.
	Method  string `json:"method"`
	Account string `json:"account"`
	Plan    string `json:"plan"`
	// Active is true for the one that the agent uses.
	Active bool `json:"active"`
	// ExpiresAt is when it ends; one that Renews is then replaced by the agent itself.
	ExpiresAt string `json:"expires_at"`
	Renews    bool   `json:"renews"`
	// Source is a file or a variable of the environment.
	Source string `json:"source"`
}

func accountRowOf(a *account.Account) accountRow {
	return accountRow{
		Provider: a.Provider, Kind: string(a.Kind), State: string(a.State), Method: a.Method, Account: a.Name, Plan: a.Plan, Active: a.Active,
		ExpiresAt: stamp(a.Expires), Renews: a.Renews, Source: a.Source,
	}
}

var accountPresets = map[string][]string{
	"minimal": {"provider", "state"}, "standard": {"provider", "kind", "state", "method", "account", "plan", "expires_at"},
}

// accountsOf are the accounts of providers on this machine.
func accountsOf(deps *registry.Deps, p *account.Provider) []account.Account {
	return p.Find(deps.Getenv, runtime.GOOS, deps.Now())
}

type accountStatusIn struct{ ofProvider }

type accountStatusOut struct {
	Filters providerFilter `json:"filters"`
	// Providers has a row a provider: the account that its agent uses.
	Providers []accountRow `json:"providers"`
	SignedIn  int          `json:"signed_in"`
}

var accountStatus = registry.Define(registry.Spec[accountStatusIn, accountStatusOut]{
	Name: "account-status", Group: groupMoney, Short: "Show who is signed in at each provider",
	Long: "Read from the files the agents keep and from the environment. Of a secret, only whether it exists and when it expires is read. " +
		"No provider is contacted.",
	Scope: registry.Global, Effect: registry.Reads, DeprecatedPrefix: "account-status",
	Examples: []accountStatusIn{{}, {ofProvider{[]string{"anthropic"}}}},
	List:     registry.List{Name: "providers", Presets: accountPresets},
	Run:      runAccountStatus, Human: func(_ accountStatusIn, out accountStatusOut) *report.Report { return accountReport(out.Providers) },
})

func runAccountStatus(_ context.Context, deps *registry.Deps, in accountStatusIn) (accountStatusOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountStatusOut{}, err
	}
	out := accountStatusOut{Filters: in.echo(), Providers: []accountRow{}}
	for _, p := range chosen {
		a := accountsOf(deps, p)[0]
		if a.State == account.SignedIn {
			out.SignedIn++
		}
		out.Providers = append(out.Providers, accountRowOf(&a))
	}
	return out, nil
}

type accountsListIn struct {
	ofProvider
	registry.Page
}

type accountsListOut struct {
	Filters providerFilter `json:"filters"`
	// Accounts has a row for each way to sign in, the one in use first.
	Accounts []accountRow `json:"accounts"`
	paged
}

var accountsList = registry.Define(registry.Spec[accountsListIn, accountsListOut]{
	Name: "accounts-list", Group: groupMoney, Short: "List the accounts of each provider",
	Scope: registry.Global, Effect: registry.Reads, DeprecatedPrefix: "accounts-list",
	Default:  accountsListIn{Page: registry.Page{Limit: 100}},
	Examples: []accountsListIn{{Page: registry.Page{Limit: 100}}, {ofProvider{[]string{"openai"}}, registry.Page{Limit: 100}}},
	List:     registry.List{Name: "accounts", Presets: accountPresets},
	Run:      runAccountsList, Human: func(_ accountsListIn, out accountsListOut) *report.Report { return accountReport(out.Accounts) },
	Hints: func(_ accountsListIn, out accountsListOut) *registry.Hints { return pageHints(out.Pagination) },
})

func runAccountsList(_ context.Context, deps *registry.Deps, in accountsListIn) (accountsListOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsListOut{}, err
	}
	rows := []accountRow{}
	for _, p := range chosen {
		for _, a := range accountsOf(deps, p) {
			if a.State != account.SignedOut || a.Name != "" {
				rows = append(rows, accountRowOf(&a))
			}
		}
	}
	shown, page := cut(rows, in.Page)
	return accountsListOut{Filters: in.echo(), Accounts: shown, paged: page}, nil
}

func accountReport(rows []accountRow) *report.Report {
	table := &report.Table{Columns: report.Columns("PROVIDER", "AGENT", "STATE", "BY", "ACCOUNT", "PLAN", "ENDS", "FROM"), Empty: "nobody is signed in"}
	table.Columns[7].Flex = true
	tones := map[string]report.Tone{
		string(account.SignedIn): report.Good, string(account.Expired): report.Bad, string(account.SignedOut): report.Dim, string(account.Unknown): report.Warn,
	}
	for i := range rows {
		row := &rows[i]
		ends := row.ExpiresAt
		if row.Renews {
			ends = "renewed"
		}
		table.Rows = append(table.Rows, []report.Cell{
			report.Toned(report.Strong, row.Provider), report.Text(row.Kind), report.Toned(tones[row.State], strings.ReplaceAll(row.State, "_", " ")), report.Text(row.Method),
			report.Text(row.Account), report.Text(row.Plan), report.Toned(report.Dim, ends), report.Toned(report.Dim, row.Source),
		})
	}
	return (&report.Report{}).Add(report.Block{Table: table})
}

package money

import (
	"context"

	"cupola/core/agent/account"
	"cupola/core/verb"
	"cupola/core/verb/registry"
)

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
	Name: "accounts-list", Group: verb.GroupMoney, Short: "List the accounts of each provider",
	Aliases: []string{"accounts"},
	Scope:   registry.Global, Effect: registry.Reads, Sessionless: true, List: "accounts",
	Deprecated: registry.Prefixed{Prefix: "accounts-list", Flags: []string{"provider"}},
	Examples:   []string{"", "--provider=openai"},
	Run:        runAccountsList,
}).SeeAlso("account-status", "quota-check")

func runAccountsList(_ context.Context, env *verb.Env, in accountsListIn) (accountsListOut, error) {
	chosen, err := in.providers()
	if err != nil {
		return accountsListOut{}, err
	}
	var rows []accountRow
	for _, p := range chosen {
		for _, a := range AccountsOf(&env.Local, p) {
			if a.State != account.SignedOut || a.Name != "" {
				rows = append(rows, accountRow{Account: a})
			}
		}
	}
	shown, page := verb.Cut(rows, in.Page)
	return accountsListOut{Filters: in.providerFilter, Accounts: shown, Paged: page}, nil
}
